package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each example of CONTRIBUTING.md applies to the files that it changes. `make torture` also runs the commands that it
// begins with, which build most of the program anew.
func TestExamples(t *testing.T) { examples(t, false) }

// exampleFiles are the examples in the repository at root.
func exampleFiles(t *testing.T) (root string, list []string) {
	t.Helper()
	root, err := filepath.Abs("..")
	if err == nil {
		list, err = filepath.Glob(filepath.Join(root, "docs/examples/*.patch"))
	}
	if err != nil || len(list) < 6 {
		t.Fatalf("%d examples, %v", len(list), err)
	}
	return root, list
}

// examples applies each example to a copy of the files that it changes, and may run its commands on the tree with those in
// place.
func examples(t *testing.T, run bool) {
	t.Helper()
	root, examples := exampleFiles(t)
	contributing, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, example := range examples {
		t.Run(strings.TrimSuffix(filepath.Base(example), ".patch"), func(t *testing.T) {
			if !strings.Contains(string(contributing), "(docs/examples/"+filepath.Base(example)+")") {
				t.Error("CONTRIBUTING.md has no link to it")
			}
			patch, err := os.ReadFile(example)
			if err != nil {
				t.Fatal(err)
			}
			overlay, commands := applied(t, root, example), 0
			head, _, _ := strings.Cut(string(patch), "diff --git ")
			for line := range strings.Lines(head) {
				words := strings.Fields(line)
				if len(words) < 2 || words[0] != "go" {
					continue
				}
				if commands++; !run {
					continue
				}
				cmd := exec.CommandContext(t.Context(), "go", append([]string{words[1], "-overlay", overlay}, words[2:]...)...) //nolint:gosec // ours
				cmd.Dir = root
				if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "no tests to run") {
					t.Errorf("%s: %v\n%s", strings.TrimSpace(line), err, out)
				}
			}
			if commands == 0 {
				t.Error("it begins with no command")
			}
		})
	}
}

// applied writes the files that patches leave, and returns the file by which Go finds them in place of those of root.
func applied(t *testing.T, root string, examples ...string) string {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for _, example := range examples {
		patch, err := os.ReadFile(example)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(patch)) {
			name, ok := strings.CutPrefix(strings.TrimSpace(line), "+++ b/")
			to := filepath.Join(dir, name)
			if !ok || replace[filepath.Join(root, name)] != "" {
				continue
			}
			replace[filepath.Join(root, name)] = to
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(filepath.Join(root, name))
			if os.IsNotExist(err) {
				continue
			}
			if err == nil {
				err = os.WriteFile(to, b, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.CommandContext(t.Context(), "git", "apply", example)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s does not apply; make the change again and write it with git diff -U2: %v\n%s", filepath.Base(example), err, out)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// All examples together compile. Types are checked from the sources, which takes a few seconds where a build of
// everything above the model takes minutes; of the packages that no example changes, only declarations are.
func TestExamplesCompile(t *testing.T) {
	root, examples := exampleFiles(t)
	c := checker{fset: token.NewFileSet(), done: map[string]*types.Package{}, listed: map[string]*listed{}, changed: map[string]bool{}}
	overlay := applied(t, root, examples...)
	b, err := os.ReadFile(overlay)
	if err == nil {
		err = json.Unmarshal(b, &c.overlay)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name := range c.overlay.Replace {
		rel, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			t.Fatal(err)
		}
		c.changed["vespe/"+filepath.ToSlash(rel)] = true
	}
	paths := slices.Sorted(maps.Keys(c.changed))
	c.list(t, append([]string{"-overlay", overlay, "-deps"}, paths...))
	var others []string
	for path := range c.listed {
		if !strings.HasPrefix(path, "vespe/") && path != "unsafe" {
			others = append(others, path)
		}
	}
	c.list(t, append([]string{"-export"}, others...))
	c.compiled = importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(c.listed[path].Export) })
	for _, path := range paths {
		if _, err := c.Import(path); err != nil {
			t.Error(err)
		}
	}
}

// checker checks the types of packages of vespe, with some files replaced.
type checker struct {
	fset     *token.FileSet
	overlay  struct{ Replace map[string]string }
	listed   map[string]*listed
	changed  map[string]bool
	compiled types.Importer // of packages of others
	done     map[string]*types.Package
}

// listed is a package as `go list` prints it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

func (c *checker) list(t *testing.T, args []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-json=ImportPath,Dir,Export,GoFiles"}, args...)...) //nolint:gosec // ours
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		c.listed[p.ImportPath] = &p
	}
}

// Import implements types.Importer.
func (c *checker) Import(path string) (*types.Package, error) {
	if !strings.HasPrefix(path, "vespe/") {
		return c.compiled.Import(path)
	}
	if p := c.done[path]; p != nil {
		return p, nil
	}
	var files []*ast.File
	for _, name := range c.listed[path].GoFiles {
		name = filepath.Join(c.listed[path].Dir, name)
		f, err := parser.ParseFile(c.fset, cmp.Or(c.overlay.Replace[name], name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	conf := types.Config{Importer: c, IgnoreFuncBodies: !c.changed[path]}
	p, err := conf.Check(path, c.fset, files, nil)
	c.done[path] = p
	return p, err
}
