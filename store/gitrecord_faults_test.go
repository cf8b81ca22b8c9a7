package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/gitlog"
)

func TestAFailureOfGitIsAWarning(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string) (repair func())
		want  string
	}{
		"a reference that is locked": {func(t *testing.T, dir string) func() {
			lock := filepath.Join(dir, "refs", "vespe", "history.lock")
			write(t, lock, "")
			return func() { os.Remove(lock) }
		}, "another git is running"},
		"a reference that can't be read": {func(t *testing.T, dir string) func() {
			ref := filepath.Join(dir, "refs", "vespe", "history")
			was := read(t, ref)
			write(t, ref, "nonsense\n")
			return func() { write(t, ref, was) }
		}, "update-ref"},
		"objects that cannot be written": {func(t *testing.T, dir string) func() {
			var made []string
			for i := range 256 {
				name := filepath.Join(dir, "objects", fmt.Sprintf("%02x", i))
				if _, err := os.Stat(name); err != nil {
					write(t, name, "in the way")
					made = append(made, name)
				}
			}
			return func() {
				for _, name := range made {
					os.Remove(name)
				}
			}
		}, "unpack-objects"},
		"a configuration that can't be read": {func(t *testing.T, dir string) func() {
			was := read(t, filepath.Join(dir, "config"))
			write(t, filepath.Join(dir, "config"), "[nonsense")
			return func() { write(t, filepath.Join(dir, "config"), was) }
		}, "bad config"},
	} {
		t.Run(name, func(t *testing.T) {
			s, env := gitStore(t, model.GitRef, "sha1")
			create(t, s, "one", "o\n")
			repair := c.spoil(t, filepath.Join(s.Root(), ".git"))
			for i := range 2 {
				if w := attempt(t, s, fmt.Sprint("broken ", i)); len(w) != 1-i || i == 0 && !strings.Contains(w[0], c.want) {
					t.Errorf("warnings %q", w)
				}
			}
			repair()
			create(t, s, "repaired", "o\n")
			wantEqual(t, "recorded", seqs(t, s, env, gitlog.Ref), "0 1 2 3 4")
			treeIsLog(t, s, env, gitlog.Ref)
		})
	}
}

func TestALongPauseIsCaughtUpAtOnce(t *testing.T) {
	for _, mode := range []string{model.GitRef, model.GitBranch} {
		t.Run(mode, func(t *testing.T) {
			s, env := gitStore(t, mode, "sha1")
			ref := map[string]string{model.GitRef: gitlog.Ref, model.GitBranch: "main"}[mode]
			s.git.Batch = 3
			create(t, s, "one", "o\n")
			setMode(t, s, model.GitOff)
			for i := range 10 {
				create(t, s, fmt.Sprint("off ", i), "o\n")
			}
			setMode(t, s, mode)
			create(t, s, "on", "o\n")
			if got := seqs(t, s, env, ref); !strings.HasSuffix(got, "1 2 3 4 5 6 7 8 9 10 11 12") {
				t.Errorf("recorded %q", got)
			}
			treeIsLog(t, s, env, ref)
		})
	}
}
