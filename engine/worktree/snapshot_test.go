package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// What a worker may have done to its worktree, and what becomes of it.
func TestWhatAWorkerLeaves(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		work    func(f *fix, dir string)
		files   string // of the result
		refused string // in what is refused
		notes   string // in what is noted
		kept    string // words of why the worktree stays; "" when it goes
	}{
		"nothing": {},
		"files of a store and secrets, committed, and an ignored file, added": {
			work: func(f *fix, dir string) {
				f.write(dir, ".vespe/config.json", "{\"x\":1}\n")
				for _, name := range []string{
					".vespe/approvals/a.json", "sub/.Vespe/config.json", ".env", "conf/.env.production", "Key.PEM", "ssh/id_rsa", ".env.example", "one.txt",
				} {
					f.write(dir, name, "{}")
				}
				f.gitIn(dir, "add", "-A")
				f.gitIn(dir, "commit", "-q", "-m", "approved, and secrets")
				f.write(dir, "added.log", "x")
				f.gitIn(dir, "add", "-f", "added.log")
				f.write(dir, "x.log", "x")
			},
			files: "A .env.example, A added.log, A one.txt",
			refused: ".env: looks like a secret\n" +
				".vespe/approvals/a.json: only vespe may change files of a store\n" +
				".vespe/config.json: only vespe may change files of a store; restored\n" +
				"Key.PEM: looks like a secret\n" +
				"conf/.env.production: looks like a secret\n" +
				"ssh/id_rsa: looks like a secret\n" +
				"sub/.Vespe/config.json: only vespe may change files of a store",
			kept: ".env Key.PEM conf/.env.production ssh/id_rsa",
		},
		"repositories, and large files": {
			work: func(f *fix, dir string) {
				if err := os.Remove(filepath.Join(dir, "b.txt")); err != nil {
					f.t.Fatal(err)
				}
				f.gitIn(dir, "init", "-q", "b.txt")
				f.gitIn(dir, "init", "-q", "clone")
				f.write(dir, "clone/x.txt", "x")
				f.write(dir, "a.txt", strings.Repeat("x", 2000))
				f.write(dir, "core", strings.Repeat("x", 2000))
				f.write(dir, "one.txt", "1")
			},
			files:   "A one.txt",
			refused: "a.txt: 2000 bytes: more than 1000\nb.txt: a repository of its own\nclone/: a repository of its own\ncore: 2000 bytes: more than 1000",
			kept:    "a.txt b.txt clone/ core",
		},
		"changes that git is told not to see, a link for a directory": {
			work: func(f *fix, dir string) {
				f.gitIn(dir, "update-index", "--assume-unchanged", "a.txt")
				f.gitIn(dir, "update-index", "--skip-worktree", "b.txt")
				f.write(dir, "a.txt", "hidden")
				f.write(dir, "b.txt", "hidden")
				if err := errors.Join(os.RemoveAll(filepath.Join(dir, "dir")), os.Symlink("/etc", filepath.Join(dir, "dir"))); err != nil {
					f.t.Fatal(err)
				}
			},
			files: "M a.txt, M b.txt, A dir, D dir/c.txt",
		},
		"a file renamed, a mode, a link, a directory for a file": {
			work: func(f *fix, dir string) {
				if err := errors.Join(os.Rename(filepath.Join(dir, "a.txt"), filepath.Join(dir, "moved.txt")), os.Chmod(filepath.Join(dir, "dir/c.txt"), 0o755),
					os.Symlink("/etc/passwd", filepath.Join(dir, "link")), os.Remove(filepath.Join(dir, "b.txt"))); err != nil {
					f.t.Fatal(err)
				}
				f.write(dir, "b.txt/inner.txt", "x")
			},
			files: "D b.txt, A b.txt/inner.txt, M dir/c.txt, A link, R moved.txt from a.txt",
		},
		"the same size at the same time, and awkward names": {
			work: func(f *fix, dir string) {
				in, err := os.Stat(filepath.Join(dir, "b.txt"))
				f.write(dir, "b.txt", "B\n")
				if err = errors.Join(err, os.Chtimes(filepath.Join(dir, "b.txt"), in.ModTime(), in.ModTime())); err != nil {
					f.t.Fatal(err)
				}
				for _, name := range []string{"-rf", ":(top)x", "a\nb", "tab\there", "ü", "*.txt", "#c", "\x1b[2J"} {
					f.write(dir, name, "x")
				}
				if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
					f.t.Fatal(err)
				}
			},
			files: "A \x1b[2J, A #c, A *.txt, A -rf, A :(top)x, A a\nb, M b.txt, A tab\there, A ü",
		},
		"commits of its own": {
			work: func(f *fix, dir string) {
				f.write(dir, "one.txt", "1")
				f.write(dir, "y.log", "ignored")
				f.gitIn(dir, "add", "-f", "-A", "one.txt", "y.log")
				f.gitIn(dir, "commit", "-q", "-m", "mine\n\nVespe-Run: run-9")
				f.write(dir, "two.txt", "2")
			},
			files: "A one.txt, A two.txt, A y.log",
		},
		"a branch of its own": {
			work: func(f *fix, dir string) {
				f.gitIn(dir, "checkout", "-q", "-b", "feature")
				f.write(dir, "one.txt", "1")
				f.gitIn(dir, "add", "-A")
				f.gitIn(dir, "commit", "-q", "-m", "mine")
			},
			files: "A one.txt", notes: "to another branch: feature",
		},
		"another history": {
			work: func(f *fix, dir string) {
				f.gitIn(dir, "checkout", "-q", "--orphan", "else")
				f.gitIn(dir, "commit", "-q", "-m", "else")
				f.write(dir, "one.txt", "1")
			},
			files: "A one.txt", notes: "is not based on the start commit",
		},
		"a repository that it added": {
			work: func(f *fix, dir string) {
				f.gitIn(dir, "init", "-q", "clone")
				f.gitIn(filepath.Join(dir, "clone"), "-c", "user.name=x", "-c", "user.email=x", "commit", "-q", "--allow-empty", "-m", "x")
				f.gitIn(dir, "add", "clone")
				f.gitIn(dir, "commit", "-q", "-m", "gitlink")
			},
			refused: "clone/: a repository of its own", kept: "clone/",
		},
		"a lock of a git that was killed": {
			work: func(f *fix, dir string) {
				f.write(f.gitDir(dir), "index.lock", "")
				f.write(f.gitDir(dir), "HEAD.lock", "")
				f.write(dir, "one.txt", "1")
			},
			files: "A one.txt",
		},
		"an index that is broken": {
			work: func(f *fix, dir string) {
				f.write(f.gitDir(dir), "index", "no index")
				f.write(dir, "one.txt", "1")
			},
			files: "A one.txt", notes: "an unreadable index",
		},
		"no HEAD": {
			work: func(f *fix, dir string) {
				f.write(f.gitDir(dir), "HEAD", "ref: refs/heads/nowhere\n")
				f.write(dir, "one.txt", "1")
			},
			files: "A one.txt", notes: "the worker removed HEAD",
		},
		"no git file": {
			work: func(f *fix, dir string) {
				if err := os.Remove(filepath.Join(dir, ".git")); err != nil {
					f.t.Fatal(err)
				}
				f.write(dir, "one.txt", "1")
			},
			files: "A one.txt", notes: "removed .git",
		},
		"a merge that it did not end": {
			work: func(f *fix, dir string) {
				f.gitIn(dir, "checkout", "-q", "-b", "side")
				f.write(dir, "side.txt", "1")
				f.gitIn(dir, "add", "-A")
				f.gitIn(dir, "commit", "-q", "-m", "side")
				f.gitIn(dir, "checkout", "-q", "--detach", "main")
				f.gitIn(dir, "merge", "-q", "--no-ff", "--no-commit", "side")
			},
			files: "A side.txt", notes: "the worker left a merge unfinished",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFix(t)
			f.MaxFile = 1000
			tree := f.add("run-1")
			if c.work != nil {
				c.work(f, tree.Path)
			}
			res := f.snapshot(tree)
			if got := f.paths(res); got != c.files || res.Empty != (c.files == "") {
				t.Errorf("files: %q, empty %v", got, res.Empty)
			}
			if got := strings.Join(res.Refused, "\n"); (c.refused == "") != (got == "") || !strings.Contains(got, c.refused) {
				t.Errorf("refused: %s", got)
			}
			if got := strings.Join(res.Notes, "\n"); (c.notes == "") != (got == "") && name != "another history" || !strings.Contains(got, c.notes) {
				t.Errorf("notes: %s", got)
			}
			if again := f.snapshot(tree); again.Tree != res.Tree || !slices.Equal(again.Refused, res.Refused) {
				t.Errorf("once more: %+v", again)
			}
			kept, err := f.Remove(t.Context(), tree)
			if err != nil || (c.kept == "") != (kept == "") {
				t.Errorf("kept: %q %v", kept, err)
			}
			for _, word := range strings.Fields(c.kept) {
				if !strings.Contains(kept, word) {
					t.Errorf("kept: %q, not for %s", kept, word)
				}
			}
			if _, err := os.Lstat(tree.Path); (err == nil) != (kept != "") {
				t.Errorf("the worktree: %v", err)
			}
			if f.status() != "" {
				t.Errorf("the person's checkout has\n%s", f.status())
			}
		})
	}
}

// gitDir is the git directory of a worktree.
func (f *fix) gitDir(dir string) string { return f.gitIn(dir, "rev-parse", "--absolute-git-dir") }

// Nothing that a worker puts where git looks makes us run a program.
func TestNothingOfAWorkersIsRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		work func(f *fix, dir, program string)
		says string
	}{
		"a repository in its place": {func(f *fix, dir, program string) {
			if err := os.Remove(filepath.Join(dir, ".git")); err != nil {
				f.t.Fatal(err)
			}
			f.gitIn(dir, "init", "-q")
			f.gitIn(dir, "config", "filter.x.clean", program)
			f.write(dir, ".gitattributes", "* filter=x\n")
		}, "another repository"},
		"another git file": {func(f *fix, dir, program string) {
			f.gitIn(filepath.Dir(dir), "init", "-q", "evil")
			f.gitIn(filepath.Join(filepath.Dir(dir), "evil"), "config", "filter.x.clean", program)
			f.write(dir, ".git", "gitdir: "+filepath.Join(filepath.Dir(dir), "evil", ".git")+"\n")
			f.write(dir, ".gitattributes", "* filter=x\n")
		}, "another repository"},
		"a filter in the settings": {func(f *fix, dir, program string) {
			f.gitIn(dir, "config", "filter.x.clean", program)
			f.write(dir, ".gitattributes", "* filter=x\n")
		}, "the programs that git runs"},
		"hooks and monitors": {func(f *fix, dir, program string) {
			f.gitIn(dir, "config", "core.fsmonitor", program)
			f.gitIn(dir, "config", "core.hooksPath", filepath.Dir(program))
			f.gitIn(dir, "config", "commit.gpgSign", "true")
			f.gitIn(dir, "config", "gpg.program", program)
			f.gitIn(dir, "config", "diff.external", program)
			f.gitIn(dir, "config", "diff.x.textconv", program)
			f.write(dir, ".gitattributes", "* diff=x\n")
			f.write(dir, "one.txt", "1")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFix(t)
			tools := t.TempDir()
			ran := filepath.Join(tools, "ran")
			for _, hook := range []string{"pre-commit", "post-commit", "post-checkout", "reference-transaction", "post-merge", "post-index-change"} {
				f.write(tools, hook, "#!/bin/sh\ntouch '"+ran+"'\ncat\n")
				if err := os.Chmod(filepath.Join(tools, hook), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			tree := f.add("run-1")
			c.work(f, tree.Path, filepath.Join(tools, "pre-commit"))
			_ = os.Remove(ran)
			_, err := f.Snapshot(t.Context(), tree, Message{Subject: "s"})
			var tampered *Tampered
			if c.says != "" && (!errors.As(err, &tampered) || !strings.Contains(err.Error(), c.says)) || c.says == "" && err != nil {
				t.Errorf("%v", err)
			}
			if c.says == "" {
				done := f.integrate("run-1")
				if _, err := f.Patch(t.Context(), tree.Base, done.Commit, 1<<20); err != nil {
					t.Error(err)
				}
				if err := f.FastForward(t.Context(), done.Commit); err != nil {
					t.Error(err)
				}
			}
			kept, err := f.Remove(t.Context(), tree)
			if err != nil || (kept == "") != (c.says == "") || !strings.Contains(kept, c.says) {
				t.Errorf("%q %v", kept, err)
			}
			if _, err := os.Lstat(ran); err == nil {
				t.Error("a program was run")
			}
		})
	}
}

// A merge with conflicts is kept, and is no success.
func TestConflictsThatAWorkerLeaves(t *testing.T) {
	t.Parallel()
	f := newFix(t)
	tree := f.add("run-1")
	f.commitFile("b.txt", "person\n")
	f.write(tree.Path, "b.txt", "worker\n")
	f.gitIn(tree.Path, "commit", "-q", "-a", "-m", "mine")
	if out, err := f.tryGit(tree.Path, "merge", "-q", "main"); err == nil {
		t.Fatal(out)
	}
	res, err := f.Snapshot(t.Context(), tree, Message{Subject: "s"})
	var unfinished *Unfinished
	if !errors.As(err, &unfinished) || !slices.Equal(unfinished.Files, []string{"b.txt"}) || !strings.Contains(f.show(res.Commit, "b.txt"), "<<<<<<<") {
		t.Errorf("%v %+v", err, res)
	}
	if kept, err := f.Remove(t.Context(), tree); err != nil || !strings.Contains(kept, "b.txt") {
		t.Errorf("%q %v", kept, err)
	}
}

// What a title or a text says cannot be taken for a line of ours.
func TestMessagesCannotPretend(t *testing.T) {
	t.Parallel()
	f := newFix(t)
	for i, m := range []Message{
		{Subject: "Vespe-Run: run-9"},
		{Subject: "a\n\nVespe-Run: run-9"},
		{Subject: "a", Body: "b\n\nVespe-Run: run-9"},
		{Subject: "a", Body: "b\n\n  vespe-run: run-9\r"},
		{Subject: "a", Body: "\x1b[2J\x00", Task: "t\nVespe-Run: run-9"},
		{Subject: ""},
		{Subject: strings.Repeat("ü", 500), Body: strings.Repeat("ü", maxBody)},
	} {
		text := m.text(trailerTask, m.Task, trailerRun, "run-1")
		if got := trailer(text, trailerRun); got != "run-1" {
			t.Errorf("%d: %q in\n%s", i, got, text)
		}
		commit, err := f.commitTree(t.Context(), f.git("rev-parse", "main^{tree}"), text, f.at("main"))
		if err != nil {
			t.Fatal(err)
		}
		if got := f.git("log", "-1", "--format=%(trailers:key=Vespe-Run,valueonly)", commit); got != "run-1\n" {
			t.Errorf("%d: git says %q", i, got)
		}
		if strings.ContainsAny(text, "\x1b\x00") {
			t.Errorf("%d: %q", i, text)
		}
		f.git("update-ref", "refs/heads/"+DefaultBranch, commit)
		if _, ok, err := f.find(t.Context(), "run-9"); ok || err != nil {
			t.Errorf("%d: %v %v", i, ok, err)
		}
	}
}

func TestAPersonWithoutAName(t *testing.T) {
	t.Parallel()
	f := newFix(t)
	f.git("config", "--unset", "user.email")
	tree := f.add("run-1")
	f.write(tree.Path, "one.txt", "1")
	if got := f.git("log", "-1", "--format=%an %ce", f.snapshot(tree).Commit); got != "vespe vespe@vespe.invalid" {
		t.Errorf("%s", got)
	}
	f.env = append(f.env, "GIT_AUTHOR_NAME=Bo", "GIT_AUTHOR_EMAIL=bo@example.org")
	f.reopen()
	if got := f.git("log", "-1", "--format=%an %ce", f.snapshot(tree).Commit); got != "Bo bo@example.org" {
		t.Errorf("%s", got)
	}
}

// No .gitattributes, neither the person's nor one of the work, keeps text out of a patch.
func TestAPatchShowsAllText(t *testing.T) {
	t.Parallel()
	f := newFix(t)
	f.write(f.top, ".gitattributes", "*.go -diff\n*.txt binary\n")
	f.git("add", "-A")
	f.git("commit", "-qm", "attributes")
	tree := f.add("run-1")
	f.write(tree.Path, ".gitattributes", "* -diff\n")
	f.write(tree.Path, "dir/.gitattributes", "* binary\n")
	for _, name := range []string{"new.go", "b.txt", "dir/c.txt"} {
		f.write(tree.Path, name, "seen in "+name+"\n")
	}
	res := f.snapshot(tree)
	patch, err := f.Patch(t.Context(), tree.Base, res.Commit, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"new.go", "b.txt", "dir/c.txt"} {
		if !strings.Contains(string(patch), "+seen in "+name) {
			t.Errorf("%s is passed over:\n%s", name, patch)
		}
	}
	for _, c := range res.Files {
		if c.Added == 0 {
			t.Errorf("its lines are not counted: %+v", c)
		}
	}
}

func TestPatch(t *testing.T) {
	t.Parallel()
	f := newFix(t)
	f.git("config", "diff.noprefix", "true")
	f.git("config", "diff.context", "0")
	tree := f.add("run-1")
	f.write(tree.Path, "ü.txt", strings.Repeat("line\n", 1000))
	f.write(tree.Path, "bin", "\x00\x01")
	res := f.snapshot(tree)
	whole, err := f.Patch(t.Context(), tree.Base, res.Commit, 1<<20)
	if err != nil || strings.Count(string(whole), "\n+line") != 1000 || !strings.Contains(string(whole), "diff --git a/ü.txt b/ü.txt") || !strings.Contains(string(whole), "Binary files") {
		t.Errorf("%v\n%.300s", err, whole)
	}
	if c := res.Files[0]; c.Added != 0 || c.Path != "bin" {
		t.Errorf("%+v", c)
	}
	part, err := f.Patch(t.Context(), tree.Base, res.Commit, 600)
	if !errors.Is(err, ErrTruncated) || len(part) > 600 || len(part) < 500 || !strings.HasPrefix(string(whole), string(part)) || part[len(part)-1] != '\n' {
		t.Errorf("%v, %d bytes", err, len(part))
	}
}
