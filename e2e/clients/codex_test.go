//go:build clients

package clients

import (
	"strings"
	"testing"
)

// sh is a turn's call of Codex's shell.
func sh(command string) []Step {
	return Call("exec_command", map[string]any{"cmd": command})
}

// Codex skips hooks that its person has not trusted, and says nothing: `vespe agent doctor` does. Once they are
// trusted a gated call waits for a person; the model reads why it may not, and the next time it may.
func TestCodexGatedCommandDeniedAndThenAllowed(t *testing.T) {
	w := gatedWorld(t)
	model := w.codexModel(
		func(*Request) []Step { return sh(deploy) },
		func(r *Request) []Step {
			if got := r.Last(); !strings.Contains(got.Text, "it is deployed") {
				t.Errorf("a hook that nobody trusted did something: %+v", got)
			}
			return Say("Deployed.")
		},
		func(*Request) []Step { return sh(deploy) },
		func(r *Request) []Step {
			if got := r.Last(); !strings.Contains(got.Text, "not on a Friday") || strings.Contains(got.Text, "it is deployed") {
				t.Errorf("the denial came to %+v", got)
			}
			return sh(deploy)
		},
		func(r *Request) []Step {
			if got := r.Last(); !strings.Contains(got.Text, "it is deployed") {
				t.Errorf("the permission came to %+v", got)
			}
			if !strings.Contains(string(r.Body), "and tell the others") {
				t.Errorf("the model does not read what was said with it: %q", r.Now)
			}
			return Say("Deployed.")
		},
	)
	w.install("codex")
	w.run("codex", "exec", "--json", "-s", "workspace-write", "Deploy it.")
	if len(w.requests()) != 0 {
		t.Errorf("a person is asked %+v", w.requests())
	}
	w.write("deployed.txt", "")
	for _, h := range w.trustHooks() {
		if h.TrustStatus != "untrusted" || !strings.Contains(h.Command, "hook codex ") {
			t.Errorf("Codex finds the hook %+v", h)
		}
	}
	client := w.start(w.cmd("codex", "exec", "--json", "-s", "workspace-write", "Deploy it."))
	w.eventually("a person is asked", func() bool { return len(w.requests()) == 1 })
	first := w.open()
	if first.Kind != "action" || !strings.Contains(string(first.Args), deploy) || first.CreatedBy != "agent:codex" {
		t.Errorf("the person is asked %+v", first)
	}
	w.person("answer", first.ID, "deny", "-m", "not on a Friday")
	w.eventually("a person is asked again", func() bool { return len(w.requests()) == 2 })
	if got := w.read("deployed.txt"); got != "" {
		t.Errorf("it was done before anybody allowed it: %q", got)
	}
	w.person("answer", w.open().ID, "accept", "-m", "and tell the others")
	client.wait()
	model.Done()
	if got := w.read("deployed.txt"); got != "deployed\n" || len(w.requests()) != 2 {
		t.Errorf("it was done as %q after %+v", got, w.requests())
	}
}

// A client that is killed while a call waits leaves the question; the same call in the session that continues is
// the same question, and is done by the answer that was given meanwhile.
func TestCodexKilledWhileARequestWaits(t *testing.T) {
	w := gatedWorld(t)
	model := w.codexModel(
		func(*Request) []Step { return sh(deploy) },
		func(r *Request) []Step { return sh(deploy) },
		func(r *Request) []Step {
			if got := r.Last(); !strings.Contains(got.Text, "it is deployed") {
				t.Errorf("the permission came to %+v", got)
			}
			return Say("Deployed.")
		},
	)
	w.install("codex")
	w.trustHooks()
	client := w.start(w.cmd("codex", "exec", "--json", "-s", "workspace-write", "Deploy it."))
	w.eventually("a person is asked", func() bool { return len(w.requests()) == 1 })
	asked := w.open()
	client.killAll()
	w.until(client.done, "a killed client ends")
	w.person("answer", asked.ID, "accept")
	w.run("codex", "exec", "-s", "workspace-write", "resume", "--json", threadOf(client.out.String()), "Go on.")
	model.Done()
	if q := w.requests(); len(q) != 1 || q[0].ID != asked.ID || w.read("deployed.txt") != "deployed\n" {
		t.Errorf("it was done as %q after %+v", w.read("deployed.txt"), q)
	}
}

// threadOf is the session that Codex says it began.
func threadOf(out string) string {
	_, rest, _ := strings.Cut(out, `"thread_id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}
