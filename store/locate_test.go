package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vespe/model"
	"vespe/store/layout"
)

// markStore makes the marker of a store in dir.
func markStore(t testing.TB, dir string) {
	t.Helper()
	write(t, filepath.Join(dir, layout.Name, layout.RootMarker), "")
}

func TestAWorktreeUsesTheStoreOfItsMainCheckout(t *testing.T) {
	main, env := gitRepo(t, "sha1")
	markStore(t, main)
	write(t, filepath.Join(main, "sub", "code.go"), "package sub\n")
	runGit(t, main, env, "add", "-A")
	runGit(t, main, env, "commit", "-q", "-m", "a store")
	work := filepath.Join(t.TempDir(), "work")
	runGit(t, main, env, "worktree", "add", "-q", work)
	inside := filepath.Join(main, ".claude", "worktrees", "x")
	runGit(t, main, env, "worktree", "add", "-q", inside)

	for dir, want := range map[string]Location{
		main:                        {Root: main},
		filepath.Join(main, "sub"):  {Root: main},
		work:                        {Root: main, Worktree: work, Twin: work, Copy: work},
		filepath.Join(work, "sub"):  {Root: main, Worktree: work, Twin: work, Copy: work},
		inside:                      {Root: main, Worktree: inside, Twin: inside, Copy: inside},
		filepath.Join(inside, "no"): {Root: main, Worktree: inside, Twin: inside, Copy: inside},
	} {
		if at, err := Locate(dir, false); err != nil || at != want {
			t.Errorf("Locate(%s) = %+v, %v; want %+v", dir, at, err, want)
		}
	}
	if at, err := Locate(filepath.Join(work, "sub"), true); err != nil || at != (Location{Root: work}) {
		t.Errorf("a worktree's own store is %+v, %v", at, err)
	}
	write(t, filepath.Join(work, layout.Name, layout.LogDir, "x"), "")
	if at, _ := Locate(work, false); !at.Written {
		t.Errorf("a copy with a log counts as never written to: %+v", at)
	}

	// A store that only the worktree's branch has.
	markStore(t, filepath.Join(work, "sub"))
	if root, err := Find(filepath.Join(work, "sub")); err != nil || root != filepath.Join(work, "sub") {
		t.Errorf("a store that only the worktree has is found as %s, %v", root, err)
	}
	// Ignored by git, and so in the main checkout only.
	must(t, os.RemoveAll(filepath.Join(inside, layout.Name)))
	if at, err := Locate(inside, false); err != nil || at != (Location{Root: main, Worktree: inside, Twin: inside}) {
		t.Errorf("without a copy: %+v, %v", at, err)
	}
}

// A directory that somebody made must not send its visitors to a store elsewhere, and a worktree that git no longer knows must
// not have rules of its own.
func TestAGitFileThatTheRepositoryDoesNotKnowIsNotBelieved(t *testing.T) {
	main, env := gitRepo(t, "sha1")
	markStore(t, main)
	runGit(t, main, env, "add", "-A")
	runGit(t, main, env, "commit", "-q", "-m", "a store")
	work := filepath.Join(t.TempDir(), "work")
	runGit(t, main, env, "worktree", "add", "-q", work)
	line, err := os.ReadFile(filepath.Join(work, ".git"))
	if err != nil {
		t.Fatal(err)
	}
	for name, says := range map[string]string{
		"copied from a worktree": string(line),
		"the main repository":    "gitdir: " + filepath.Join(main, ".git") + "\n",
		"nowhere":                "gitdir: /nowhere\n",
		"two lines":              string(line) + "x\n",
		"no path":                "gitdir: \n",
		"empty":                  "",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, ".git"), says)
		markStore(t, dir)
		at, err := Locate(dir, false)
		if name == "the main repository" { // as git init --separate-git-dir writes it
			if err != nil || at != (Location{Root: dir}) {
				t.Errorf("%s: Locate = %+v, %v", name, at, err)
			}
			continue
		}
		brokenGit(t, name, dir)
	}
	for name, mk := range map[string]func(at string) error{
		"a link to another's": func(at string) error { return os.Symlink(filepath.Join(work, ".git"), at) },
		"a dangling link":     func(at string) error { return os.Symlink("/nowhere", at) },
		"a pipe":              func(at string) error { return unix.Mkfifo(at, 0o644) },
	} {
		dir := t.TempDir()
		markStore(t, dir)
		must(t, mk(filepath.Join(dir, ".git")))
		brokenGit(t, name, dir)
	}
	linked := t.TempDir()
	markStore(t, linked)
	must(t, os.Symlink(filepath.Join(main, ".git"), filepath.Join(linked, ".git")))
	if root, err := Find(linked); err != nil || root != linked {
		t.Errorf("with a link to a repository: %s, %v", root, err)
	}
	moved := filepath.Join(t.TempDir(), "moved")
	must(t, os.Rename(work, moved))
	brokenGit(t, "moved", moved)
}

// brokenGit checks that the store of a directory is found only by anyone who wants that one.
func brokenGit(t *testing.T, name, dir string) {
	t.Helper()
	if at, err := Locate(dir, false); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, ".git")) || !strings.Contains(err.Error(), "worktree repair") {
		t.Errorf("%s: Locate = %+v, %v", name, at, err)
	}
	if at, err := Locate(dir, true); err != nil || at.Root != dir {
		t.Errorf("%s: its own store is %+v, %v", name, at, err)
	}
	if root, err := Find(filepath.Dir(dir)); err == nil {
		t.Errorf("%s: above it there is %s", name, root)
	}
	none := filepath.Join(t.TempDir(), ".git")
	must(t, os.WriteFile(none, nil, 0o644))
	var no *model.Refusal
	if _, err := Find(filepath.Dir(none)); !errors.As(err, &no) || no.Code != model.CodeNotFound {
		t.Errorf("where no store is: %v", err)
	}
}

// Git makes a worktree's directory in the worktrees of its repository. A .git file that names one elsewhere was made
// by somebody who wants other rules.
func TestAGitFileThatNamesAnotherRepositoryIsNotBelieved(t *testing.T) {
	for name, c := range map[string]struct{ meta, common string }{
		"beside":               {"project/meta", "../../evil/.git\n"},
		"below worktrees":      {"project/worktrees/meta", "../../../evil/.git\n"},
		"a link in the parent": {"evil/.git/worktrees/x", "../..\n"},
	} {
		top := t.TempDir()
		project, meta := filepath.Join(top, "project"), filepath.Join(top, c.meta)
		markStore(t, project)
		markStore(t, filepath.Join(top, "evil"))
		write(t, filepath.Join(top, "evil", ".git", "HEAD"), "ref: refs/heads/main\n")
		if name == "a link in the parent" {
			write(t, filepath.Join(project, "worktrees", "x", "HEAD"), "")
			must(t, os.Symlink(filepath.Join(project, "worktrees"), filepath.Dir(meta)))
		}
		write(t, filepath.Join(meta, "commondir"), c.common)
		write(t, filepath.Join(meta, "gitdir"), filepath.Join(project, ".git")+"\n")
		write(t, filepath.Join(project, ".git"), "gitdir: "+meta+"\n")
		brokenGit(t, name, project)
	}
}

// What is at the place of a store and cannot be one is damage, or hides one: it never counts as no store.
func TestADamagedMarkerIsAStoreThatDoesNotOpen(t *testing.T) {
	elsewhere := t.TempDir()
	markStore(t, elsewhere)
	link := func(to string) func(string) error { return func(at string) error { return os.Symlink(to, at) } }
	for name, mk := range map[string]func(at string) error{
		"directory":     func(at string) error { return os.Mkdir(at, 0o755) },
		"link":          link(filepath.Join(elsewhere, layout.Name, layout.RootMarker)),
		"dangling link": link("/nowhere"),
		"pipe":          func(at string) error { return unix.Mkfifo(at, 0o644) },
		"gone": func(at string) error { // beside what every store has
			return os.WriteFile(filepath.Join(filepath.Dir(at), filepath.Base(layout.StoreFile)), []byte("{}"), 0o644)
		},
	} {
		for _, whole := range []bool{false, true} {
			outer := t.TempDir()
			markStore(t, outer)
			dir := filepath.Join(outer, "inner")
			at := filepath.Join(dir, layout.Name, layout.RootMarker)
			if whole {
				if name == "directory" || name == "gone" {
					continue
				}
				at = filepath.Dir(at)
			}
			must(t, errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), mk(at)))
			if root, err := Find(dir); err != nil || root != dir {
				t.Errorf("%s at %s: Find = %s, %v", name, filepath.Base(at), root, err)
			}
			if s, err := Open(dir, Options{}); err == nil {
				t.Errorf("%s at %s opens", name, filepath.Base(at))
				s.Close()
			}
		}
	}
}

func TestASubmoduleHasItsOwnStore(t *testing.T) {
	outer, env := gitRepo(t, "sha1")
	inner, _ := gitRepo(t, "sha1")
	markStore(t, outer)
	markStore(t, inner)
	runGit(t, inner, env, "add", "-A")
	runGit(t, inner, env, "commit", "-q", "-m", "inner")
	runGit(t, outer, env, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "lib")
	lib := filepath.Join(outer, "lib")
	if root, err := Find(lib); err != nil || root != lib {
		t.Errorf("the store of a submodule is %s, %v", root, err)
	}
}
