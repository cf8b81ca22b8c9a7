package cli

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/store"
)

// onNewer says how verbs are called on a store of a newer format: those that write must be
// refused, the others answer. The lifecycle's verbs come from its table; any other that is not
// here fails the test.
var onNewer = map[string]struct {
	args    string
	writes  bool
	refused string // why it does not work on this store, whatever its format
}{
	"activity":     {},
	"answer":       {args: "OTHER accept", writes: true},
	"ask":          {args: "UID --title words", writes: true},
	"at":           {args: "2030-01-01 ls"},
	"stats":        {},
	"demo":         {args: "DIR", refused: "not a demo"},
	"dep add":      {args: "UID OTHER", writes: true},
	"dep ls":       {args: "UID"},
	"dep rm":       {args: "UID OTHER", writes: true},
	"diff":         {args: "UID"},
	"doctor":       {},
	"doctor --fix": {writes: true},
	"merge":        {args: "--continue", writes: true},
	"gate":         {args: "Bash ls"},
	"help":         {args: "ls"},
	"hook":         {args: "claude-code Stop"},
	"history":      {args: "UID"},
	"review":       {args: "UID"},
	"export":       {args: "--format tasks-spec"},
	"import beads": {args: "FILE", writes: true},
	"inbox":        {},
	"init":         {args: "DIR", writes: true},
	"ls":           {args: "--fresh"},
	"search":       {args: "words"},
	"mcp":          {}, // its tools say what they may not do
	"new":          {args: "name", writes: true},
	"next":         {},
	"confirm":      {}, // there is nothing to confirm

	"doctor agents": {}, // starts programs: see agents/doctor
	"install":       {args: "claude-code --dry-run"},
	"prime":         {},

	"prioritize":         {writes: true},
	"progress":           {args: "UID words", writes: true},
	"prompt":             {args: "UID"},
	"milestone assign":   {args: "m1 UID", writes: true},
	"milestone create":   {args: "name", writes: true},
	"milestone edit":     {args: "m1 --name later", writes: true},
	"milestone ls":       {},
	"milestone rm":       {args: "m1", writes: true},
	"milestone show":     {args: "m1"},
	"milestone unassign": {args: "UID", writes: true},
	"requests":           {},
	"wait":               {args: "OTHER --timeout 1ms"},
	"rename":             {args: "UID name", writes: true},
	"step":               {args: "UID 1", writes: true},
	"set":                {args: "UID priority=high", writes: true},
	"show":               {args: "UID"},
	"graph":              {args: "UID"},
	"tree":               {},
	"trust":              {}, // is remembered elsewhere
	"verbs":              {},
	"verify":             {},
	"version":            {},
	"waves":              {},
	"why":                {args: "UID"},

	"dep suggest":          {},
	"dep suggest --accept": {writes: true},
	"reflect":              {},
	"run":                  {args: "UID", writes: true},
	"runs":                 {},
	"logs":                 {args: "UID"},
	"cancel":               {args: "UID", writes: true},
	"integrate":            {writes: true},
	"decompose":            {args: "UID"},
	"decompose --yes":      {args: "UID", writes: true},
}

// leaf is a verb that can be called, and its older name.
type leaf struct{ path, old string }

func leaves(c *cobra.Command, old string) []leaf {
	var out []leaf
	for _, sub := range c.Commands() {
		name := cmp.Or(sub.Annotations[core.OldName], strings.TrimSpace(old+" "+sub.Name()))
		if name == "completion" || sub.Hidden {
			continue
		}
		if sub.HasSubCommands() {
			out = append(out, leaves(sub, name)...)
			continue
		}
		out = append(out, leaf{strings.TrimPrefix(sub.CommandPath(), "vespe "), name})
	}
	return out
}

// Every verb that writes refuses a store of a newer format, says so with its exit code, and
// changes nothing in it; the others continue.
func TestEveryVerbOnANewerStore(t *testing.T) {
	c := fresh(t)
	c.env["XDG_STATE_HOME"] = t.TempDir()
	c.stdin = "an objective\n"
	c.must("new", "one", "--objective", "-")
	c.must("new", "other", "--objective", "-")
	c.must("milestone", "create", "m1")
	c.must("set", "one", "files_to_create=a/1,a/2,a/3,b/1,b/2")
	c.must("set", "other", "files_to_modify=a/1")
	c.must("define-plan", "one", "a plan\n- [ ] T1: all of it")
	c.must("accept-plan", "one")
	c.must("start", "one", "--worker", "agent:x")
	c.must("ask", "other", "--title", "which?")
	c.must("answer", "other", "respond", "-m", "this")
	path := filepath.Join(c.dir, store.Name, "store.json")
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	newer := strings.Replace(string(body), fmt.Sprintf(`"format":%d`, store.Format), fmt.Sprintf(`"format":%d`, store.Format+1), 1)
	if newer == string(body) {
		t.Fatalf("store.json is %s", body)
	}
	beads := filepath.Join(t.TempDir(), "beads.jsonl")
	for name, text := range map[string]string{path: newer, beads: `{"id":"bd-1","title":"from elsewhere","status":"open","priority":2,"issue_type":"task"}` + "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	transitions := map[string]string{}
	for _, row := range lifecycle.Table() {
		args := "UID"
		if _, ok := argOf(row, model.ArgUID); ok {
			args += " OTHER"
		}
		if _, ok := argOf(row, model.ArgComment); ok {
			args += " c000000"
		}
		if _, ok := argOf(row, model.ArgText); ok {
			args += " words"
		} else if _, ok := argOf(row, model.ArgReason); ok {
			args += " -m words"
		}
		transitions[row.Name.Verb()] = args
	}
	var verbs []string
	for _, verb := range append(leaves(newRoot(core.NewApp(core.Deps{})), ""), leaf{"store doctor --fix", "doctor --fix"}, leaf{"run", "run"}) {
		name := verb.old
		how, known := onNewer[name]
		if args, ok := transitions[name]; ok && !known {
			how.args, how.writes, known = args, true, true
		}
		if !known {
			t.Errorf("nothing says what `vespe %s` does on a store of a newer format", name)
			continue
		}
		verbs = append(verbs, name)
		before := everyByte(t, c.dir)
		line := strings.NewReplacer("UID", "one", "OTHER", "other", "DIR", c.dir, "FILE", beads).Replace(verb.path + " " + how.args)
		code, out, errs := c.run(strings.Fields(line)...)
		switch {
		case how.refused != "":
			if code != core.ExitFailed || !strings.Contains(errs, how.refused) {
				t.Errorf("vespe %s: exit code %d\n%s%s", line, code, out, errs)
			}
		case how.writes && code != core.ExitFailed:
			t.Errorf("vespe %s: exit code %d\n%s%s", line, code, out, errs)
		case how.writes && name != "init" && strings.Count(errs, fmt.Sprint("format ", store.Format+1)) < 2: // the notice, and the refusal
			t.Errorf("vespe %s: says %s", line, errs)
		case !how.writes && code != core.ExitOK:
			t.Errorf("vespe %s: exit code %d\n%s", line, code, errs)
		}
		if everyByte(t, c.dir) != before {
			t.Errorf("vespe %s changed the store", line)
		}
	}
	if len(verbs) < 35 {
		t.Errorf("only %d verbs were called: %v", len(verbs), verbs)
	}
}

func everyByte(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	if err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			fmt.Fprintln(&b, path)
			return err
		}
		body, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %x\n", path, sha256.Sum256(body))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
