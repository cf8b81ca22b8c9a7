package app

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"vespe/internal/lookpath"
)

// Only the person's own settings of git name them, and no repository that vespe is started in.
func TestGitNameIsThePersonsOwn(t *testing.T) {
	home, repo := t.TempDir(), t.TempDir()
	write := func(path, body string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	environ := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_SYSTEM=/dev/null", "GIT_DIR=" + filepath.Join(repo, ".git"),
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=user.name", "GIT_CONFIG_VALUE_0=Mallory",
	}
	write(filepath.Join(repo, ".git", "config"), "[user]\n\tname = Mallory\n")
	write(filepath.Join(repo, ".git", "HEAD"), "ref: refs/heads/main\n")
	t.Chdir(repo)
	if got := gitName(environ, os.Getenv("PATH"), repo); got != "" {
		t.Errorf("without a name of their own they are %q", got)
	}
	write(filepath.Join(home, ".gitconfig"), "[user]\n\tname = Ann Lee\n")
	if got := gitName(environ, os.Getenv("PATH"), repo); got != "Ann Lee" {
		t.Errorf("they are %q", got)
	}
}

// A git that lies in a project is not run: what is in it may be anybody's.
func TestNoGitOfAProjectIsRun(t *testing.T) {
	for _, mark := range []string{".vespe", ".git"} {
		repo := t.TempDir()
		bin := filepath.Join(repo, "node_modules", ".bin")
		if err := errors.Join(os.Mkdir(filepath.Join(repo, mark), 0o755), os.MkdirAll(bin, 0o755)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\ntouch "+repo+"/ran\necho Mallory\n"), 0o755); err != nil { //nolint:gosec // it is to be run
			t.Fatal(err)
		}
		link := filepath.Join(t.TempDir(), "bin")
		if err := os.Symlink(bin, link); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{bin, link, "node_modules/.bin", ""} {
			t.Chdir(repo)
			if got := gitName(nil, path, repo); got != "" {
				t.Errorf("%s, PATH=%s: they are %q", mark, path, got)
			}
		}
		if _, err := os.Stat(filepath.Join(repo, "ran")); err == nil {
			t.Errorf("%s: its git was run", mark)
		}
		outside := t.TempDir()
		if got := lookpath.Find("git", bin+string(filepath.ListSeparator)+outside, outside); mark == ".git" && got == "" {
			t.Errorf("a repository that nobody works in counts as theirs")
		}
	}
}

// Without HOME the person's rules are still where their account has them: an environment that was cleared leaves none out.
func TestTheHomeIsThatOfTheAccount(t *testing.T) {
	for home, want := range map[string]string{"": "/home/ann", "relative": "/home/ann", "/elsewhere": "/elsewhere"} {
		t.Setenv("HOME", home)
		setHome(func() string { return "/home/ann" })
		if got := os.Getenv("HOME"); got != want {
			t.Errorf("HOME=%q becomes %q, want %q", home, got, want)
		}
	}
}

// An account that nobody has has no name, and no home.
func TestTheAccountOfNobody(t *testing.T) {
	if name, home := accountOf("4294967290"); name != "" || home != "" {
		t.Errorf("it is %q in %q", name, home)
	}
	if name, home := accountOf("0"); name == "" || home == "" {
		t.Errorf("root is %q in %q", name, home)
	}
}
