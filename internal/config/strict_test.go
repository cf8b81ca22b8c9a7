package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vespe/agents/hook"
	"vespe/internal/signing"
	"vespe/model"
)

// ownFile is a config.toml of which every decision that a person can set reads something.
const ownFile = `theme = "contrast"

[gate]
tools = ["WebFetch"]
commands = ["git push"]
paths = ["infra/**"]
reads = [".env"]
risk = "high"

[hitl]
start = "medium"

[approvals]
required = "signed"

[cli]
accept_without_terminal = false
accept_inside_agents = false

[worker]
max_turns = 9
integrate = "never"
untested = "ask"
`

// ownStrictness is what a config.toml decides, as numbers: the higher, the less is permitted.
func ownStrictness(getenv func(string) string) map[string]int {
	c := Load(getenv)
	own, workers, out := c.Rules(), c.Workers(), map[string]int{}
	gate := hook.Policy{Own: c.Gate()}
	for tool, input := range map[string]string{
		"WebFetch": `{}`, "Bash": `{"command": "git push"}`, "Write": `{"file_path": "/p/infra/x"}`, "Read": `{"file_path": "/p/.env"}`, "Grep": `{"path": "/p"}`,
	} {
		call := &hook.Call{Tool: tool, Input: []byte(input), Places: hook.Places{CWD: "/p", Root: "/p"}}
		out["call "+tool] = int(gate.Judge(call).Level)
	}
	out["start"] = 4 - slices.Index([]string{model.RiskLow, model.RiskMedium, model.RiskHigh, model.RiskNever, ""}, own.StartConsent)
	keys := signing.New(own.Signing, nil)
	for _, risk := range []string{"", "low", "medium", "high"} {
		level, err := keys.Required(risk)
		if out["approval of "+risk] = int(level); err != nil {
			out["approval of "+risk] = 99
		}
	}
	if !own.AcceptWithoutTerminal && !own.AcceptInsideAgents {
		out["cli"] = 1
	}
	w := workers.Policy
	out["turns"], out["integrate"], out["untested"] = -w.MaxTurns, 0, 0
	if w.MaxTurns == 0 {
		out["turns"] = -1 << 20
	}
	if w.Integrate == model.IntegrateNever {
		out["integrate"] = 1
	}
	if w.Untested != model.UntestedAccept {
		out["untested"] = 1
	}
	if len(workers.Wrong) > 0 { // no worker starts
		out["turns"], out["integrate"], out["untested"] = 1, 1, 1
	}
	return out
}

func ownLooser(t *testing.T, body string) []string {
	t.Helper()
	valid := ownStrictness(withConfig(t, map[string]string{"config.toml": ownFile}))
	var out []string
	for what, n := range ownStrictness(withConfig(t, map[string]string{"config.toml": body})) {
		if n < valid[what] {
			out = append(out, fmt.Sprintf("%s: %d, with the valid file %d", what, n, valid[what]))
		}
	}
	return out
}

// A config.toml with a mistake permits no more than it did without: cut short within an entry, with a table or a key
// that is misspelled, twice or of another type.
func TestADamagedConfigPermitsNoMore(t *testing.T) {
	damaged := map[string]string{
		"no UTF-8": "x = \"\xff\"\n" + ownFile, "no TOML": ownFile + "\n{", "too large": ownFile + "# " + strings.Repeat("x", maxSettings),
		"an unknown key": "color = 1\n" + ownFile, "an unknown table": ownFile + "\n[gates]\n", "a bad glob": strings.Replace(ownFile, "infra/**", "infra/[", 1),
	}
	table := ""
	for line := range strings.Lines(ownFile) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			table = strings.TrimSuffix(name, "]")
			for _, other := range []string{strings.ToUpper(table), table + "s", table[1:], table[:len(table)-1]} {
				damaged["table "+other] = strings.Replace(ownFile, line, "["+other+"]", 1)
			}
			damaged["table "+table+" twice"] = ownFile + "\n" + line + "\n"
			damaged["table "+table+" open"] = strings.Replace(ownFile, line, "["+table, 1)
			continue
		}
		key, value, ok := strings.Cut(line, " = ")
		if !ok || table == "" {
			continue
		}
		for _, other := range []string{strings.ToUpper(key), key + "s", key[1:], key[:len(key)-1], `"` + key + ` "`} {
			damaged[table+"."+key+" as "+other] = strings.Replace(ownFile, line, other+" = "+value, 1)
		}
		for _, other := range []string{`-1`, `0.5`, `"\u0007"`, `[1]`, `[[]]`, `{x = 1}`, `2026-01-01`, `[""]`, ``, `"`} {
			damaged[table+"."+key+" is "+other] = strings.Replace(ownFile, line, key+" = "+other, 1)
		}
		damaged[table+"."+key+" twice"] = strings.Replace(ownFile, line, line+"\n"+line, 1)
	}
	for what, body := range damaged {
		if more := ownLooser(t, body); len(more) > 0 {
			t.Errorf("%s: %s", what, strings.Join(more, "; "))
		}
		if c := Load(withConfig(t, map[string]string{"config.toml": body})); len(c.Strict()) == 0 {
			t.Errorf("%s: nobody is told", what)
		}
	}
	if len(damaged) < 200 {
		t.Errorf("only %d files", len(damaged))
	}
	for _, body := range []string{"", strings.Replace(ownFile, "signed", "claimed", 1), strings.Replace(ownFile, `"medium"`, `"high"`, 1), strings.Replace(ownFile, "git push", "git pull", 1)} {
		if len(ownLooser(t, body)) == 0 {
			t.Errorf("nothing is looser about %q", body)
		}
	}
}

// A link to a directory that is not there hides the person's rules, wherever on the way to config.toml it lies.
func TestAConfigBehindALinkToNothingPermitsNothing(t *testing.T) {
	for _, link := range []string{".config", ".config/vespe"} {
		home := t.TempDir()
		getenv := func(k string) string { return map[string]string{"HOME": home}[k] }
		if said := Load(getenv).Strict(); len(said) != 0 {
			t.Errorf("without a directory it says %q", said)
		}
		at := filepath.Join(home, link)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.Symlink("/nowhere", at)); err != nil {
			t.Fatal(err)
		}
		if said := Load(getenv).Strict(); len(said) != 1 || !strings.Contains(said[0], "link") {
			t.Errorf("%s: it says %q", link, said)
		}
	}
}

// What lies in the place of config.toml and is no file that can be read permits nothing either.
func TestAConfigThatIsNoFilePermitsNothing(t *testing.T) {
	for what, put := range map[string]func(path string) error{
		"a directory":           func(path string) error { return os.Mkdir(path, 0o755) },
		"a pipe":                func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"a link that leads off": func(path string) error { return os.Symlink("gone", path) },
		"a link to itself":      func(path string) error { return os.Symlink("config.toml", path) },
	} {
		getenv := withConfig(t, map[string]string{"keys.toml": ""})
		if err := put(filepath.Join(getenv("XDG_CONFIG_HOME"), "vespe", "config.toml")); err != nil {
			t.Fatal(err)
		}
		valid := ownStrictness(withConfig(t, map[string]string{"config.toml": ownFile}))
		for decision, n := range ownStrictness(getenv) {
			if n < valid[decision] {
				t.Errorf("%s: %s is %d, with the valid file %d", what, decision, n, valid[decision])
			}
		}
		if said := Load(getenv).Strict(); len(said) != 1 || !strings.Contains(said[0], "config.toml: ") || !strings.Contains(said[0], "correct") {
			t.Errorf("%s: it says %q", what, said)
		}
	}
}

// Nor does one in which a byte is changed or missing, except in a text, which a person may have meant.
func TestADamagedByteOfAConfigPermitsNoMore(t *testing.T) {
	for i := range ownFile {
		line := ownFile[strings.LastIndexByte(ownFile[:i], '\n')+1 : i]
		if strings.Count(line, `"`)%2 == 1 {
			continue
		}
		for _, c := range []string{"", "x", `"`, "\n"} {
			if more := ownLooser(t, ownFile[:i]+c+ownFile[i+1:]); len(more) > 0 {
				t.Errorf("%q in the place of %q, after %q: %s", c, ownFile[i], line, strings.Join(more, "; "))
			}
		}
	}
}
