package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/store"
)

// notes are the files in which the fixture's hooks remember.
func (f *fixture) notes() []string {
	f.Helper()
	files, err := filepath.Glob(filepath.Join(f.env["HOME"], ".local/state/vespe/hooks/*.json"))
	if err != nil || len(files) == 0 {
		f.Fatalf("%q (%v)", files, err)
	}
	return files
}

// waits checks that a call is asked about: its client ends the hook, which waits, once a request is there.
func (f *fixture) waits(client, id, line string) {
	f.Helper()
	ctx, cancel := context.WithCancelCause(f.Context())
	wait := f.later(func() { cancel(ErrGone) })
	in := f.event(PreToolUse, map[string]any{"permission_mode": "bypassPermissions", "tool_name": "Bash", "tool_use_id": id, "tool_input": map[string]string{"command": line}})
	f.is(f.rawCtx(ctx, client, PreToolUse, in), "deny")
	wait()
}

// An acceptance is for one call, also when what the hook remembers is gone, damaged or too much.
func TestAnAcceptanceIsUsedOnceWhateverBecomesOfTheNotes(t *testing.T) {
	for name, spoil := range map[string]func(f *fixture, file string){
		"gone":    func(f *fixture, file string) { _ = os.Remove(file) },
		"damaged": func(f *fixture, file string) { _ = os.WriteFile(file, []byte("{"), 0o600) },
		"empty":   func(f *fixture, file string) { _ = os.WriteFile(file, nil, 0o600) },
		"too many": func(f *fixture, file string) {
			var n map[string]any
			b, err := os.ReadFile(file)
			if err == nil {
				err = json.Unmarshal(b, &n)
			}
			if err != nil {
				f.Fatal(err)
			}
			for i := range mostNotes + 1 {
				n["used"].(map[string]any)[fmt.Sprint(i)] = used{Times: 1}
			}
			if b, err = json.Marshal(n); err == nil {
				err = os.WriteFile(file, b, 0o600)
			}
			if err != nil {
				f.Fatal(err)
			}
		},
	} {
		for _, client := range []string{ClaudeCode, Codex} {
			t.Run(name+" "+client, func(t *testing.T) {
				f := attended(t)
				f.rules.Commands = []string{"git push", "git tag"}
				allow := func(id, line string) {
					t.Helper()
					wait := f.later(func() { f.decide(f.one().ID, model.Answering{Decision: model.DecideAccept}) })
					in := f.event(PreToolUse, map[string]any{"permission_mode": "bypassPermissions", "tool_name": "Bash", "tool_use_id": id, "tool_input": map[string]string{"command": line}})
					got := f.raw(client, PreToolUse, in)
					wait()
					if d := got.short(); d != "allow" && (client != Codex || d != "nothing") {
						t.Errorf("%s is %s", line, d)
					}
				}
				allow("a", "git push")
				allow("b", "git tag")
				for _, file := range f.notes() {
					spoil(f, file)
				}
				f.waits(client, "c", "git push")
				f.decide(f.one().ID, model.Answering{Decision: model.DecideDeny, Text: "no"})
				f.waits(client, "d", "git tag")
			})
		}
	}
}

// Rules that the store's file had in a session hold to its end: git, or whoever gets at the file, does not take them away.
func TestASessionKeepsTheRulesItBeganWith(t *testing.T) {
	f := newFixture(t)
	f.config(`{"gate": {"commands": ["git push"], "risk": "high"}}`)
	f.is(f.raw(ClaudeCode, SessionStart, f.event(SessionStart, nil)), "nothing")
	f.config(`{"gate": {"tools": ["WebFetch"]}}`)
	f.is(f.bash("a", "git push"), "defer")
	f.decide(f.one().ID, model.Answering{Decision: model.DecideDeny, Text: "no"})
	f.is(f.bash("b", "sudo rm -rf /x"), "defer")
	f.decide(f.one().ID, model.Answering{Decision: model.DecideDeny, Text: "no"})
	if err := os.Remove(filepath.Join(f.root, ".vespe/config.json")); err != nil {
		t.Fatal(err)
	}
	f.is(f.call(PreToolUse, "WebFetch", "c", map[string]string{"url": "x"}), "defer")
	f.decide(f.one().ID, model.Answering{Decision: model.DecideDeny, Text: "no"})
	f.is(f.bash("d", "git push"), "defer")
	if q := f.one(); !strings.Contains(q.Detail, "earlier in this session") {
		t.Errorf("the person reads %q", q.Detail)
	}
	other := map[string]any{"session_id": "2", "tool_name": "WebFetch", "tool_use_id": "e", "tool_input": map[string]string{"url": "x"}}
	f.is(f.raw(ClaudeCode, PreToolUse, f.event(PreToolUse, other)), "nothing") // a session that begins now
}

// The time of an answer is kept in whole milliseconds: one that comes within a millisecond of the first question counts.
func TestAnAnswerInTheMillisecondOfTheFirstQuestion(t *testing.T) {
	f := attended(t)
	at := time.Now().Truncate(time.Millisecond)
	_ = f.s.Close()
	s, err := store.Open(f.root, store.Options{Scratch: true, Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	f.s = s
	f.deps = func(d *Deps) { d.Now = func() time.Time { return at.Add(time.Millisecond - 1) } }
	f.rules.Commands = []string{"git push"}
	edited := model.Answering{Decision: model.DecideEdit, Args: []byte(`{"command":"git push -n"}`)}
	wait := f.later(func() { f.decide(f.one().ID, edited) })
	f.is(f.codex(PreToolUse, "c1", "Bash", map[string]string{"command": "git push"}), "deny")
	wait()
	f.is(f.codex(PreToolUse, "c2", "Bash", map[string]string{"command": "git push -n"}), "nothing")
}
