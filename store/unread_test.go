package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// Whatever lies in the place of config.json, nothing is permitted that it might have forbidden: neither where the store
// is read from its files, nor where a checkpoint knows what it said.
func TestAPolicyThatCannotBeReadIsTheStrictest(t *testing.T) {
	text := func(body string) func(string) {
		return func(path string) { must(t, os.WriteFile(path, []byte(body), 0o644)) }
	}
	kinds := map[string]func(path string){
		"empty": text(""), "a trailing comma": text(`{"gate": {},}`), "a list": text("[]"), "a misspelled rule": text(`{"gaet": {}}`),
		"a directory": func(path string) { must(t, os.Mkdir(path, 0o755)) },
		"a link":      func(path string) { must(t, os.Symlink("elsewhere.json", path)) },
		"a pipe":      func(path string) { must(t, syscall.Mkfifo(path, 0o644)) },
		"too large":   func(path string) { must(t, os.Truncate(path, layout.MaxJSON+1)) },
		"forbidden":   nil,
	}
	for name, put := range kinds {
		for _, file := range []string{layout.PolicyFile, layout.ProjectConfig} {
			root := t.TempDir()
			s := initIn(t, root, testOptions())
			create(t, s, "one", "")
			if snap := load(t, s); len(snap.Policy().Strict()) > 0 {
				t.Fatalf("a new store is strict: %q", snap.Policy().Strict())
			}
			must(t, s.Close())
			path := filepath.Join(root, layout.Name, file)
			if file == layout.ProjectConfig {
				path = filepath.Join(root, file)
			}
			opt := testOptions()
			if put == nil {
				opt.FS = (&hookFS{before: refusing(file, fs.ErrPermission, callRead, callBeside)}).system
			} else {
				if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
				if name == "too large" {
					must(t, os.WriteFile(path, []byte("{}"), 0o644))
				}
				put(path)
			}
			s = open(t, root, opt)
			direct, err := s.Policy()
			must(t, err)
			snap := load(t, s)
			for where, p := range map[string]model.Policy{"Policy": direct, "Load": snap.Policy()} {
				gate, worker := p.Gate(), p.Worker()
				if gate.Unread == "" || worker.Unread == "" || p.HITLStart() != model.RiskLow || p.Attempts() != 1 || len(p.Strict()) != 1 || !strings.Contains(p.Strict()[0], file) {
					t.Errorf("%s in place of %s: %s permits: %+v, start %s, %d attempts, says %q", name, file, where, gate, p.HITLStart(), p.Attempts(), p.Strict())
				}
			}
			if ps, err := s.Fsck().Doctor(t.Context()); err != nil || len(ps) == 0 {
				t.Errorf("%s in place of %s: doctor says nothing (%v)", name, file, err)
			}
		}
	}
}
