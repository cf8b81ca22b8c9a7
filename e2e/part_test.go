package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// part is the executable that holds the workbench, beside vespe.
const part = "vespe-workbench"

// slow are packages that initialize for longer than a verb runs, and what leads to them.
var slow = []string{"vespe/ui", "charm.land/bubbletea/v2", "charm.land/glamour/v2", "github.com/alecthomas/chroma/v2", "github.com/microcosm-cc/bluemonday"}

func TestTheCommandLineLinksNoWorkbench(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "vespe/internal/vespe-cli").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSpace(name)
		for _, s := range slow {
			if name == s || strings.HasPrefix(name, s+"/") {
				t.Errorf("internal/vespe-cli links %s", name)
			}
		}
	}
}

// Every call pays for what packages make at the start. Times vary; how often memory is taken does not.
func TestPackagesMakeLittleAtTheStart(t *testing.T) {
	const most = 60 // model takes 46, and a map of as many words takes more
	cmd := exec.Command(binary(t), "--version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?m)^init (vespe/\S+) .* (\d+) allocs$`).FindAllSubmatch(out, -1)
	if len(list) == 0 {
		t.Fatalf("no package of ours is traced:\n%s", out)
	}
	for _, m := range list {
		if n, _ := strconv.Atoi(string(m[2])); n > most {
			t.Errorf("%s takes memory %d times at the start, more than %d", m[1], n, most)
		}
	}
}

// place copies executables into a directory of their own.
func place(t *testing.T, names map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for to, from := range names {
		b, err := os.ReadFile(filepath.Join(filepath.Dir(binary(t)), from))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, to), b, 0o755) //nolint:gosec // it is to be run
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestPtyTheWholeProgramNeedsNoPart(t *testing.T) {
	x := openTerminal(t, filepath.Join(place(t, map[string]string{"vespe": part}), "vespe"), 80, 24)
	x.see("Ledger core")
	x.press("q")
	if code, _ := x.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestPtyOnlyItsOwnPartOpens(t *testing.T) {
	for why, names := range map[string]map[string]string{
		"has a different version":   {"vespe": "vespe", part: "vespe"},
		"no such file or directory": {"vespe": "vespe"},
	} {
		x := openTerminal(t, filepath.Join(place(t, names), "vespe"), 200, 24)
		x.see(why)
		if code, _ := x.end(); code != 1 {
			t.Errorf("%s: exit code %d", why, code)
		}
	}
}

// The gate knows vespe by its name, so nothing else runs its verbs.
func TestThePartOnlyOpensTheWorkbench(t *testing.T) {
	bin := filepath.Join(filepath.Dir(binary(t)), part)
	var exit *exec.ExitError
	if out, err := exec.Command(bin, "-C", t.TempDir(), "ls").CombinedOutput(); !errors.As(err, &exit) || exit.ExitCode() != 64 || !strings.Contains(string(out), "run vespe") {
		t.Errorf("%v: %s", err, out)
	}
}
