package verify

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"vespe/internal/lazyregexp"
	"vespe/model/complexity"
)

// runner is a test runner that was found in a directory of the commit.
type runner struct {
	kind   kind
	dir    string   // where it runs, slashes between; "." is the top
	argv   []string // for everything
	cannot string   // why it cannot be run
}

// markers are the files by which runners are found.
var markers = []string{
	"go.mod", "package.json", "pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini", "Cargo.toml", "Makefile", "makefile", "GNUmakefile",
}

// detect finds the runners at the top, and those nearest to files.
func (t *tree) detect(files []string) (out []runner) {
	at := map[string][]runner{}
	in := func(dir string) []runner {
		rs, seen := at[dir]
		if !seen {
			rs = t.runnersIn(dir)
			at[dir] = rs
			out = append(out, rs...)
		}
		return rs
	}
	in(".")
	for _, f := range files {
		f = complexity.CleanPath(f)
		if !filepath.IsLocal(f) {
			continue
		}
		for dir := path.Dir(f); dir != "."; dir = path.Dir(dir) {
			if t.dirs[dir] && len(in(dir)) > 0 {
				break
			}
		}
	}
	// What a runner at the top runs is not run once more below.
	all := slices.Clone(out)
	return slices.DeleteFunc(out, func(r runner) bool {
		return slices.ContainsFunc(all, func(o runner) bool {
			if o.dir == r.dir || o.dir != "." && !strings.HasPrefix(r.dir, o.dir+"/") {
				return false
			}
			return r.kind == pytest && o.kind == pytest || r.kind == makeTest
		})
	})
}

// runnersIn are the runners of one directory; make only where there is no other.
func (t *tree) runnersIn(dir string) (out []runner) {
	name := func(base string) string { return path.Join(dir, base) }
	if t.files[name("go.mod")] {
		out = append(out, runner{kind: goTest, dir: dir, argv: []string{"go", "test", "./..."}})
	}
	if r, ok := t.node(dir); ok {
		out = append(out, r)
	}
	if t.pytest(dir) {
		out = append(out, runner{kind: pytest, dir: dir, argv: []string{"python3", "-m", "pytest", "-q"}})
	}
	if t.files[name("Cargo.toml")] {
		out = append(out, runner{kind: cargoTest, dir: dir, argv: []string{"cargo", "test"}})
	}
	if len(out) > 0 {
		return out
	}
	for _, file := range []string{"GNUmakefile", "makefile", "Makefile"} { // the order in which make looks
		if t.files[name(file)] {
			if hasTarget(t.read(name(file)), "test") {
				out = append(out, runner{kind: makeTest, dir: dir, argv: []string{"make", "test"}})
			}
			break
		}
	}
	return out
}

// node is the package manager that runs the script test of a package.json.
func (t *tree) node(dir string) (runner, bool) {
	var p struct {
		Scripts struct {
			Test string `json:"test"`
		} `json:"scripts"`
		Dependencies    map[string]any `json:"dependencies"`
		DevDependencies map[string]any `json:"devDependencies"`
	}
	text := t.read(path.Join(dir, "package.json"))
	if text == "" || json.Unmarshal([]byte(text), &p) != nil || strings.TrimSpace(p.Scripts.Test) == "" ||
		strings.Contains(p.Scripts.Test, "no test specified") {
		return runner{}, false
	}
	r := runner{kind: nodeTest, dir: dir, argv: []string{"npm", "test"}}
	installed := false
	for at := dir; ; at = path.Dir(at) { // a package of a workspace has the lockfile of the whole
		locked := true
		switch {
		case t.files[path.Join(at, "pnpm-lock.yaml")]:
			r.argv[0] = "pnpm"
		case t.files[path.Join(at, "yarn.lock")]:
			r.argv[0] = "yarn"
		default:
			locked = t.files[path.Join(at, "package-lock.json")]
		}
		for _, place := range []string{"node_modules", ".pnp.cjs"} {
			if _, err := os.Stat(filepath.Join(t.dir, filepath.FromSlash(at), place)); err == nil {
				installed = true
			}
		}
		if locked || at == "." {
			break
		}
	}
	if !installed && len(p.Dependencies)+len(p.DevDependencies) > 0 {
		r.cannot = "its packages are not installed (no node_modules); a setup command can install them"
	}
	return r, true
}

var (
	pytestTable = lazyregexp.New(`(?m)^\s*\[tool\.pytest(\.[a-z_]+)?\]`)
	pytestCfg   = lazyregexp.New(`(?m)^\[tool:pytest\]`)
	pytestTox   = lazyregexp.New(`(?m)^\[pytest\]`)
	pytestFile  = lazyregexp.New(`^(conftest|test_[^/]*|[^/]*_test)\.py$`)
)

// pytest reports whether a directory is set up for pytest, or has files in tests that it would find.
func (t *tree) pytest(dir string) bool {
	name := func(base string) string { return path.Join(dir, base) }
	if t.files[name("pytest.ini")] || pytestTable.Get().MatchString(t.read(name("pyproject.toml"))) ||
		pytestCfg.Get().MatchString(t.read(name("setup.cfg"))) || pytestTox.Get().MatchString(t.read(name("tox.ini"))) {
		return true
	}
	for _, sub := range []string{"tests", "test"} {
		if !t.dirs[name(sub)] {
			continue
		}
		for f := range t.files {
			if strings.HasPrefix(f, name(sub)+"/") && pytestFile.Get().MatchString(path.Base(f)) {
				return true
			}
		}
	}
	return false
}

// hasTarget reports whether a makefile has a rule for a target.
func hasTarget(text, target string) bool {
	for line := range strings.Lines(text) {
		left, right, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "\t") || strings.HasPrefix(right, "=") || strings.HasPrefix(right, ":=") || strings.Contains(left, "=") || strings.HasPrefix(left, "#") {
			continue
		}
		if slices.Contains(strings.Fields(left), target) {
			return true
		}
	}
	return false
}

// narrow is a runner for those of a task's test files that it can tell from others, and all of it where
// there is none.
func (t *tree) narrow(r runner, files []string) (argv []string, narrowed bool) {
	var args []string
	for _, f := range files {
		f = complexity.CleanPath(f)
		if !t.files[f] || !filepath.IsLocal(f) || t.nearest(f, r.kind) != r.dir {
			continue
		}
		rel, err := filepath.Rel(r.dir, f)
		if err != nil {
			continue
		}
		arg := "./" + filepath.ToSlash(rel) // never an option
		switch {
		case r.kind == goTest && strings.HasSuffix(f, "_test.go"):
			arg = "./" + strings.TrimPrefix(path.Dir(arg[2:]), "./")
		case r.kind == pytest && strings.HasSuffix(f, ".py"):
		default:
			continue
		}
		if !slices.Contains(args, arg) {
			args = append(args, arg)
		}
	}
	if len(args) == 0 {
		return r.argv, false
	}
	slices.Sort(args)
	if r.kind == goTest {
		return append([]string{"go", "test"}, args...), true
	}
	return append(slices.Clone(r.argv), args...), true
}

// nearest is the directory whose runner of a kind a file belongs to.
func (t *tree) nearest(file string, k kind) string {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		has := k == goTest && t.files[path.Join(dir, "go.mod")] || k == pytest && t.pytest(dir)
		if has || dir == "." {
			return dir
		}
	}
}
