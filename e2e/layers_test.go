package e2e

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layer says what a part of the tree may import of ours, and what it may not import at
// all.
type layer struct {
	dir    string
	ours   []string // path prefixes below the module; its own is always allowed
	forbid []string // anywhere in its import list, with what lies below it
}

// What a group of verbs may import of ours, and what no verb may.
var (
	cliGroup  = []string{"cli/core", "model", "store", "engine", "interop", "agents"}
	noProcess = []string{"os/exec", "charm.land/bubbletea/v2"}
)

var layers = []layer{
	// What happened is looked back at from above.
	{dir: "model", forbid: []string{"os", "path/filepath", "charm.land/bubbletea/v2", "vespe/model/history"}},
	{dir: "internal/tomltext", forbid: []string{"os", "charm.land/bubbletea/v2"}},
	{dir: "keymap", forbid: []string{"os", "charm.land/bubbletea/v2"}},
	{dir: "themes", forbid: []string{"os", "charm.land/bubbletea/v2"}},
	{dir: "store/git", forbid: []string{"charm.land/bubbletea/v2"}},
	{dir: "store", ours: []string{"model"}, forbid: []string{"os/exec", "charm.land/bubbletea/v2"}},
	{dir: "engine", ours: []string{"model", "store"}, forbid: []string{"charm.land/bubbletea/v2"}},
	{dir: "ui", ours: []string{"model", "keymap", "themes"}, forbid: []string{"os", "net", "syscall", "io/ioutil"}},
	// The doctor starts clients, to ask them what they are.
	{dir: "agents/doctor", ours: []string{"model", "store"}, forbid: []string{"charm.land/bubbletea/v2"}},
	{dir: "agents", ours: []string{"model", "store"}, forbid: []string{"os/exec", "charm.land/bubbletea/v2"}},
	// Each group of verbs stands on the core, and knows no other group.
	{dir: "cli/core", ours: []string{"model", "store", "engine", "interop", "agents"}, forbid: noProcess},
	{dir: "cli/look", ours: cliGroup, forbid: noProcess},
	{dir: "cli/write", ours: cliGroup, forbid: noProcess},
	{dir: "cli/lifecycle", ours: cliGroup, forbid: noProcess},
	{dir: "cli/run", ours: cliGroup, forbid: noProcess},
	{dir: "cli/agent", ours: cliGroup, forbid: noProcess},
	{dir: "cli/admin", ours: cliGroup, forbid: noProcess},
	{dir: "cli", ours: []string{"model"}, forbid: noProcess},
	// Signing runs ssh-keygen, which neither the command line nor the workbench may do by themselves.
	{dir: "internal/signing", ours: []string{"model"}, forbid: []string{"charm.land/bubbletea/v2"}},
	{dir: "interop", ours: []string{"model", "store"}, forbid: []string{"os/exec", "charm.land/bubbletea/v2"}},
	{dir: "internal/lazyregexp", forbid: []string{"os", "charm.land/bubbletea/v2"}},
	{dir: "internal/lookpath", forbid: []string{"os/exec", "charm.land/bubbletea/v2"}},
	{dir: "internal/tty"},
	{dir: "internal/config", ours: []string{"model", "keymap", "themes", "agents/hook", "engine/worker", "internal/signing"}, forbid: []string{"os/exec", "vespe/cli"}},
	// Helpers of tests. No other package imports them.
	{dir: "internal/modeltest", ours: []string{"model"}},
	{dir: "internal/recordstest", ours: []string{"model", "store", "interop"}},
	{dir: "internal/storetest", ours: []string{"model"}},
	{dir: "internal/uitest", ours: []string{"model", "keymap", "themes", "ui", "internal/modeltest"}},
	{dir: "internal/viewtest", ours: []string{"model", "themes", "ui/style", "internal/worsttest"}},
	{dir: "internal/worsttest"},
	{dir: "e2e"}, // tests alone
	// They wire everything: the command line alone, and the whole program.
	{dir: "internal/app", ours: []string{""}, forbid: []string{"charm.land/bubbletea/v2", "vespe/ui"}},
	{dir: "internal/vespe-cli", ours: []string{"internal/app"}},
	{dir: "internal/workbench", ours: []string{""}},
}

// leaves are packages without imports of ours that every layer may have.
var leaves = []string{"internal/lazyregexp", "internal/lookpath", "internal/tomltext"}

// testHelpers are packages that only tests import, and each other.
var testHelpers = []string{
	"internal/modeltest", "internal/recordstest", "internal/storetest", "internal/uitest", "internal/viewtest", "internal/worsttest",
}

const module = "vespe/"

func TestImportDirections(t *testing.T) {
	seen := map[string]int{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != ".." && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") && strings.Contains(path[len("../"):], "/") {
			return nil
		}
		file := path
		path = strings.TrimPrefix(filepath.ToSlash(path), "../")
		top, _, nested := strings.Cut(path, "/")
		if !nested {
			if path != "main.go" {
				t.Errorf("%s: main.go is the only Go file at the top", path)
			}
			return nil
		}
		// A part of a layer with rules of its own stands before it.
		i := slices.IndexFunc(layers, func(l layer) bool { return strings.HasPrefix(path, l.dir+"/") })
		if i < 0 {
			t.Errorf("%s: directory %q has no layer; add it to this test", path, top)
			return nil
		}
		seen[layers[i].dir]++
		checkImports(t, file, path, layers[i])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range layers {
		if seen[l.dir] == 0 {
			t.Errorf("layer %q holds no Go file: is the walk right?", l.dir)
		}
	}
}

func checkImports(t *testing.T, file, path string, l layer) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	for _, spec := range f.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Error(err)
			continue
		}
		under := func(f string) bool { return name == f || strings.HasPrefix(name, f+"/") }
		if slices.ContainsFunc(l.forbid, under) {
			t.Errorf("%s imports %s, which %s/ must not", path, name, l.dir)
		}
		rest, ok := strings.CutPrefix(name, module)
		if !ok {
			continue
		}
		own, _, _ := strings.Cut(strings.TrimPrefix(l.dir, "internal/"), "/")
		if strings.HasPrefix(l.dir, "internal/") {
			own = "internal/" + own
		}
		if strings.HasPrefix(l.dir, "cli/") {
			own = l.dir
		}
		within := func(dir string) bool { return dir == "" || rest == dir || strings.HasPrefix(rest, dir+"/") }
		if slices.ContainsFunc(testHelpers, within) && !slices.Contains(testHelpers, l.dir) {
			t.Errorf("%s imports %s, which only tests may", path, name)
		}
		if !within(own) && !slices.ContainsFunc(l.ours, within) && !slices.ContainsFunc(leaves, within) {
			t.Errorf("%s imports %s, which %s/ must not", path, name, l.dir)
		}
	}
}
