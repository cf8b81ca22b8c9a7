//go:build clients

package clients

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// install is where the clients are, and the program as users have it.
var install struct {
	dir string // of node_modules
	bin string // with vespe, claude, codex and node, for PATH
	// homes is where tests make homes. It and bin lie where Codex's sandbox leaves them alone.
	homes string
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := installed()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	homes, err := room(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(homes)
	install.dir, install.homes, install.bin = dir, homes, filepath.Join(homes, "bin")
	if err := programs(dir, install.bin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// installed is the directory that `make e2e` installs the clients in. VESPE_CLIENTS names another.
func installed() (string, error) {
	dir := os.Getenv("VESPE_CLIENTS")
	if dir == "" {
		dir = filepath.Join("..", "..", "bin", "clients")
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, "node_modules"))
	}
	if err != nil {
		return "", fmt.Errorf("the clients are not installed: `make e2e` does that, which needs Node.js 20 or newer with npm: %w", err)
	}
	return dir, nil
}

// room makes a directory for everything that the tests write. Below the directories for temporary files
// Codex would do without its sandbox's helper, and below /dev the sandbox shows a directory of its own.
func room(dir string) (string, error) {
	for _, no := range []string{"/tmp", "/dev", "/var/tmp", os.TempDir()} {
		if strings.HasPrefix(dir, filepath.Clean(no)+"/") {
			cache, err := os.UserCacheDir()
			if err == nil {
				err = os.MkdirAll(cache, 0o755)
			}
			if err != nil {
				return "", err
			}
			dir = cache
			break
		}
	}
	return os.MkdirTemp(dir, "vespe-e2e")
}

// programs makes bin: vespe built from here, and the clients by the names that they are called by.
func programs(dir, bin string) error {
	modules := filepath.Join(dir, "node_modules")
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	// The package's own launcher is put in place by a script of it; its program needs none.
	links := map[string]string{
		"claude": filepath.Join(modules, "@anthropic-ai", "claude-code-"+runtime.GOOS+"-"+arch, "claude"),
		"codex":  filepath.Join(modules, ".bin", "codex"),
		"node":   filepath.Join(modules, "node-"+runtime.GOOS+"-"+arch, "bin", "node"),
	}
	if err := os.Mkdir(bin, 0o755); err != nil {
		return err
	}
	for name, at := range links {
		if _, err := os.Stat(at); name == "node" && errors.Is(err, os.ErrNotExist) {
			continue // none is published for this system: the one of PATH will do if it is 22.19 or newer
		} else if err != nil {
			return fmt.Errorf("%s is not installed for this system: %w", name, err)
		}
		if err := os.Symlink(at, filepath.Join(bin, name)); err != nil {
			return err
		}
	}
	if at := os.Getenv("VESPE_PROGRAM"); at != "" { // one that is to be shipped, say
		b, err := os.ReadFile(at)
		if err != nil {
			return err
		}
		// No link: vespe tells its workers the path that it has itself.
		return os.WriteFile(filepath.Join(bin, "vespe"), b, 0o755)
	}
	out, err := exec.Command("go", "build", "-ldflags", "-X main.version=v0.0.0-test", "-o", filepath.Join(bin, "vespe"), "vespe").CombinedOutput() //nolint:gosec // ours
	if err != nil {
		return errors.New(strings.TrimSpace(string(out)) + ": " + err.Error())
	}
	return nil
}
