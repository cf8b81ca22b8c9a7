package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// in runs a git of the person's.
func in(t *testing.T, r *Repo, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.Top, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(args, err, string(out))
	}
	return strings.TrimSpace(string(out))
}

// HEAD is read from its file as git would tell it, and git is asked where the file doesn't say it all.
func TestTheBranchIsWhatGitSays(t *testing.T) {
	t.Parallel()
	r := repo(t)
	const name = "refs/heads/one"
	in(t, r, "checkout", "-q", "-b", "one")
	file := func(name, text string) func() {
		return func() {
			if err := os.WriteFile(filepath.Join(r.Dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name   string
		change func()
		inFile bool
	}{
		{"no commit yet", func() {}, true},
		{"a loose one", func() { in(t, r, "commit", "-q", "--allow-empty", "-m", "x") }, true},
		{"a packed one", func() { in(t, r, "pack-refs", "--all") }, true},
		{"detached", func() { in(t, r, "checkout", "-q", "--detach") }, true},
		{"another name", func() {
			in(t, r, "symbolic-ref", "refs/heads/alias", name)
			in(t, r, "symbolic-ref", "HEAD", "refs/heads/alias")
		}, false},
		{"spaces", file("HEAD", "ref:  "+name+"  \n"), false},
		{"no name: of reftables", file("HEAD", "ref: refs/heads/.invalid\n"), false},
		{"no name: a range", file("HEAD", "ref: refs/heads/a..b\n"), false},
		{"no name: a way up", file("HEAD", "ref: refs/heads/a/../b\n"), false},
		{"no name: a lock", file("HEAD", "ref: refs/heads/x.lock\n"), false},
		{"a link", func() {
			at := filepath.Join(r.Dir, "HEAD")
			if err := errors.Join(os.Remove(at), os.Symlink(name, at)); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		c.change()
		branch, commit := Head(r.Dir, r.Common)
		if (branch+commit != "") != c.inFile {
			t.Errorf("%s: %q %q", c.name, branch, commit)
		}
		out, _ := exec.Command("git", "-C", r.Top, "symbolic-ref", "-q", "HEAD").Output()
		got, err := r.Branch(t.Context())
		if want := strings.TrimSpace(string(out)); got != want || (err != nil) != strings.HasPrefix(c.name, "no name") {
			t.Errorf("%s: %q %v, git says %q", c.name, got, err, want)
		}
	}
}

// Look says what names stand for now, of whatever kind, and nothing of one that git doesn't know.
func TestLook(t *testing.T) {
	t.Parallel()
	r := repo(t)
	for _, format := range []string{"unborn", "loose", "packed"} {
		if format != "unborn" {
			in(t, r, "commit", "-q", "--allow-empty", "-m", format)
		}
		if format == "packed" {
			in(t, r, "pack-refs", "--all")
		}
		found, err := r.Look(t.Context(), "HEAD^{commit}", "HEAD^{tree}", "nothing")
		want := ""
		if format != "unborn" {
			want = in(t, r, "rev-parse", "HEAD")
		}
		if err != nil || string(found[0].OID) != want || want != "" && found[1].Type != "tree" || found[2].Type != "" {
			t.Errorf("%s: %v, %v", format, found, err)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := r.Look(ended, "HEAD"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := r.Look(t.Context(), "HEAD", "a\nb"); !errors.Is(err, errName) {
		t.Error(err)
	}
}
