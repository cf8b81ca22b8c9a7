package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/git"
)

// attempt makes a task and returns the warnings.
func attempt(t testing.TB, s *Store, name string) []string {
	t.Helper()
	a, err := s.Do(context.Background(), model.Op{Name: model.CreateTask, Actor: ann, New: &model.NewTask{Name: name, Objective: "o\n"}})
	if err != nil {
		t.Fatal(err)
	}
	return a.Warnings
}

func TestAHistoryOfAnotherLogIsLeftAlone(t *testing.T) {
	for name, c := range map[string]struct {
		want  string
		spoil func(t *testing.T, s *Store, env []string)
	}{
		"the person's commit": {"not made by vespe", func(t *testing.T, s *Store, env []string) {
			runGit(t, s.Root(), env, "update-ref", historyRef, "main")
		}},
		"another store": {"of another store", func(t *testing.T, s *Store, _ []string) {
			body := strings.Replace(read(t, vespe(s, storeFile)), s.ID(), strings.Repeat("0", len(s.ID())), 1)
			write(t, vespe(s, storeFile), body)
		}},
		"a longer log": {"ends at", func(t *testing.T, s *Store, env []string) {
			top := runGit(t, s.Root(), env, "log", "-1", "--format=%B", historyRef)
			tree := runGit(t, s.Root(), env, "rev-parse", historyRef+"^{tree}")
			message := strings.Replace(top, trailerSeq+": 3", trailerSeq+": 900", 1)
			runGit(t, s.Root(), env, "update-ref", historyRef, runGit(t, s.Root(), env, "commit-tree", tree, "-m", message))
		}},
		"another clone": {"of another clone", func(t *testing.T, s *Store, env []string) {
			top := runGit(t, s.Root(), env, "log", "-1", "--format=%B", historyRef)
			tree := runGit(t, s.Root(), env, "rev-parse", historyRef+"^{tree}")
			i := strings.Index(top, trailerEntry) + len(trailerEntry) + len(": sha256-")
			runGit(t, s.Root(), env, "update-ref", historyRef, runGit(t, s.Root(), env, "commit-tree", tree, "-m", top[:i]+strings.Repeat("0", 64)))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			made, env := gitStore(t, model.GitRef, "sha1")
			for i := range 3 {
				create(t, made, fmt.Sprint(i), "o\n")
			}
			c.spoil(t, made, env)
			was := runGit(t, made.Root(), env, "rev-parse", historyRef)
			opt := gitOptions(env)
			opt.Rand = entropy(5)
			s := open(t, made.Root(), opt)
			w := attempt(t, s, "more")
			if len(w) != 1 || !strings.Contains(w[0], c.want) || !strings.Contains(w[0], "is left alone") {
				t.Fatalf("warnings %q", w)
			}
			if now := runGit(t, s.Root(), env, "rev-parse", historyRef); now != was {
				t.Fatal("it was moved")
			}
			// What the warning says to do is enough.
			runGit(t, s.Root(), env, "update-ref", "refs/vespe/history-before", historyRef)
			runGit(t, s.Root(), env, "update-ref", "-d", historyRef)
			if w := attempt(t, s, "anew"); len(w) > 0 {
				t.Fatal(w)
			}
			treeIsLog(t, s, env, historyRef)
		})
	}
}

func TestAHistoryGoesOnWhereItsLastCommitIs(t *testing.T) {
	for _, mode := range []string{model.GitRef, model.GitBranch} {
		t.Run(mode, func(t *testing.T) {
			s, env := gitStore(t, mode, "sha1")
			ref := map[string]string{model.GitRef: historyRef, model.GitBranch: "main"}[mode]
			for i := range 4 {
				create(t, s, fmt.Sprint(i), "o\n")
			}
			hint := read(t, vespe(s, gitHintFile))
			for i := range 4 {
				create(t, s, fmt.Sprint("more ", i), "o\n")
			}
			all := seqs(t, s, env, ref)
			for what, spoil := range map[string]func(){
				"no note":     func() { os.Remove(vespe(s, gitHintFile)) },
				"an old note": func() { write(t, vespe(s, gitHintFile), hint) },
				"no sense":    func() { write(t, vespe(s, gitHintFile), `{"mode":"`+mode+`","seq":5,"head":"x","commit":"--all"}`) },
			} {
				spoil()
				create(t, s, what, "o\n")
				last, err := s.tail(0)
				if err != nil {
					t.Fatal(err)
				}
				all += " " + strconv.FormatUint(last, 10)
				if got := seqs(t, s, env, ref); got != all {
					t.Fatalf("%s: recorded %q, want %q", what, got, all)
				}
			}
			treeIsLog(t, s, env, ref)
		})
	}
}

func TestAHistoryThatBeginsLateHoldsTheStoreAsItIs(t *testing.T) {
	for _, mode := range []string{model.GitRef, model.GitBranch} {
		t.Run(mode, func(t *testing.T) {
			s, env := gitStore(t, model.GitOff, "sha1")
			ref := map[string]string{model.GitRef: historyRef, model.GitBranch: "main"}[mode]
			uid := planned(t, s, "early")
			write(t, vespe(s, taskFile(uid, "result/out.txt")), "made by an agent\n")
			write(t, vespe(s, taskFile(uid, "result/.git/config")), "[core]\n")
			if err := os.Symlink("/etc/passwd", vespe(s, taskFile(uid, "result/link"))); err != nil {
				t.Fatal(err)
			}
			setMode(t, s, mode)
			do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, NewName: "late"})
			if got := seqs(t, s, env, ref); got != "3" {
				t.Fatalf("recorded %q", got)
			}
			if got := runGit(t, s.Root(), env, "log", "-1", "--format=%s", ref); got != startOfHistory {
				t.Errorf("it is called %q", got)
			}
			files := runGit(t, s.Root(), env, "ls-tree", "-r", "--name-only", ref)
			if !strings.Contains(files, "result/out.txt") || strings.Contains(files, ".git/config") || strings.Contains(files, "result/link") {
				t.Errorf("it holds\n%s", files)
			}
			os.Remove(vespe(s, taskFile(uid, "result/link")))
			os.RemoveAll(vespe(s, taskFile(uid, "result/.git")))
			planned(t, s, "after")
			if got := seqs(t, s, env, ref); got != "3 4 5" {
				t.Fatalf("recorded %q", got)
			}
			treeIsLog(t, s, env, ref)
		})
	}
}

func TestALogThatWasCompactedLeavesOneGap(t *testing.T) {
	for _, mode := range []string{model.GitRef, model.GitBranch} {
		t.Run(mode, func(t *testing.T) {
			s, env := gitStore(t, mode, "sha1")
			ref := map[string]string{model.GitRef: historyRef, model.GitBranch: "main"}[mode]
			planned(t, s, "one")
			setMode(t, s, model.GitOff)
			planned(t, s, "two")
			planned(t, s, "three")
			for n := uint64(1); n <= 4; n++ {
				if err := os.Remove(vespe(s, entryFile(n))); err != nil {
					t.Fatal(err)
				}
			}
			setMode(t, s, mode)
			planned(t, s, "four")
			if got := seqs(t, s, env, ref); !strings.HasSuffix(got, "2 7 8") {
				t.Fatalf("recorded %q", got)
			}
			treeIsLog(t, s, env, ref)
		})
	}
}

func TestSingleObjectsBecomeOnePack(t *testing.T) {
	s, env := gitStore(t, model.GitRef, "sha1")
	s.git.pack = 50
	uid := planned(t, s, "one")
	for i := range 110 {
		do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, NewName: fmt.Sprint("name ", i)})
	}
	counts := map[string]int{}
	for line := range strings.SplitSeq(runGit(t, s.Root(), env, "count-objects", "-v"), "\n") {
		key, value, _ := strings.Cut(line, ": ")
		counts[key], _ = strconv.Atoi(value)
	}
	if counts["packs"] != 2 || counts["count"] > 200 || counts["garbage"] != 0 {
		t.Errorf("the repository has %v", counts)
	}
	if n := len(strings.Fields(seqs(t, s, env, historyRef))); n != 113 {
		t.Errorf("%d commits", n)
	}
	treeIsLog(t, s, env, historyRef)
}

func TestManyWritersMakeOneHistory(t *testing.T) {
	for _, mode := range []string{model.GitRef, model.GitBranch} {
		for _, locks := range []bool{true, false} {
			t.Run(fmt.Sprint(mode, " locks ", locks), func(t *testing.T) {
				first, env := gitStore(t, mode, "sha1")
				create(t, first, "zero", "o\n")
				const writers, each = 4, 6
				var wg sync.WaitGroup
				for w := range writers {
					opt := gitOptions(env)
					opt.Now, opt.Rand = nil, entropy(uint64(20+w))
					if !locks {
						opt.FS = func(root string) (FS, error) {
							f, err := OpenFS(root)
							return noLockFS{f}, err
						}
					}
					s := open(t, first.Root(), opt)
					wg.Go(func() {
						for i := range each {
							for _, text := range attempt(t, s, fmt.Sprintf("%d of %d", i, w)) {
								if !strings.Contains(text, "another git is running") && !strings.Contains(text, "moved by someone else") {
									t.Error(text)
								}
							}
						}
					})
				}
				wg.Wait()
				create(t, first, "last", "o\n")
				ref := map[string]string{model.GitRef: historyRef, model.GitBranch: "main"}[mode]
				var want []string
				for n := range writers*each + 3 {
					if n > 0 || mode == model.GitRef {
						want = append(want, strconv.Itoa(n))
					}
				}
				if got := seqs(t, first, env, ref); got != strings.Join(want, " ") {
					t.Fatalf("recorded %q", got)
				}
				treeIsLog(t, first, env, ref)
				if got := runGit(t, first.Root(), env, "status", "--porcelain", "code.txt"); got != "" {
					t.Errorf("the status is\n%s", got)
				}
			})
		}
	}
}

// A process may die at any moment between taking the lock of the index and giving it back.
func TestADeadProcessLeavesNoLock(t *testing.T) {
	for _, c := range []struct{ moved, unlocked, empty bool }{
		{}, {moved: true}, {unlocked: true}, {moved: true, unlocked: true}, {empty: true}, {moved: true, empty: true},
	} {
		moved := c.moved
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			s, env := gitStore(t, model.GitBranch, "sha1")
			planned(t, s, "one")
			setMode(t, s, model.GitOff)
			uid := create(t, s, "two", "o\n")
			setMode(t, s, model.GitBranch)
			head := git.OID(runGit(t, s.Root(), env, "rev-parse", "HEAD"))
			dieInCommit(t, s, env, moved, c.empty)
			if now := git.OID(runGit(t, s.Root(), env, "rev-parse", "HEAD")); (now != head) != moved {
				t.Fatal("it did not die where it was to")
			}
			if _, err := os.Stat(filepath.Join(s.Root(), ".git", "index.lock")); err != nil {
				t.Fatal("it left no lock", err)
			}
			if c.unlocked { // as git tells people to do
				if err := os.Remove(filepath.Join(s.Root(), ".git", "index.lock")); err != nil {
					t.Fatal(err)
				}
			}
			do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Text: "p\n"})
			if got := seqs(t, s, env, "main"); got != "1 2 3 4" {
				t.Fatalf("recorded %q", got)
			}
			treeIsLog(t, s, env, "main")
			if got := runGit(t, s.Root(), env, "status", "--porcelain"); got != "" {
				t.Errorf("the status is\n%s", got)
			}
			if left, err := filepath.Glob(filepath.Join(s.Root(), ".git", "vespe-*")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
}

// dieInCommit does what commitBranch does until it has, or has not, moved the branch.
// With empty it dies before it has prepared an index, though the branch is moved: by the
// git of one that died before.
func dieInCommit(t *testing.T, s *Store, env []string, moved, empty bool) {
	t.Helper()
	ctx := context.Background()
	repo, err := git.Find(ctx, env, s.Root())
	if err != nil {
		t.Fatal(err)
	}
	r := recorder{s: s, ctx: ctx, repo: repo, hint: s.readGitHint(model.GitBranch), base: Name}
	if r.cat, err = repo.Cat(ctx); err != nil {
		t.Fatal(err)
	}
	defer r.cat.Close()
	head, err := r.cat.Get("HEAD", maxJSON)
	if err != nil {
		t.Fatal(err)
	}
	w, err := repo.NewWriter(ctx, r.cat, head.OID)
	if err != nil {
		t.Fatal(err)
	}
	_, to, err := r.continueBranch(w, tip{r.hint.Seq, r.hint.Head}, head.OID)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Store(); err != nil {
		t.Fatal(err)
	}
	lock, err := repo.NewIndexLock(r.owner())
	if err == nil {
		err = lock.Take()
	}
	if err != nil {
		t.Fatal(err)
	}
	if !empty {
		err = lock.Prepare(ctx, head.OID, to, Name)
	}
	r.hint.Lock, r.hint.From, r.hint.Next = lock.Marks(), head.OID, to
	err = errors.Join(err, s.writeGitHint(r.hint))
	if !empty {
		err = errors.Join(err, lock.Place())
	}
	if err != nil {
		t.Fatal(err)
	}
	if moved {
		if err := repo.UpdateRef(ctx, "HEAD", to, head.OID, r.who(), "x"); err != nil {
			t.Fatal(err)
		}
	}
}

// The git that is to move the branch may do so late: after whoever started it is dead, and
// another process is at the same work. Nothing may look changed for it.
func TestABranchThatIsMovedLate(t *testing.T) {
	for _, more := range []bool{false, true} { // has the other process more to record?
		t.Run(fmt.Sprint(more), func(t *testing.T) {
			s, env := gitStore(t, model.GitBranch, "sha1")
			planned(t, s, "one")
			setMode(t, s, model.GitOff)
			uid := create(t, s, "two", "o\n")
			setMode(t, s, model.GitBranch)
			dieInCommit(t, s, env, false, false)
			late := s.readGitHint(model.GitBranch)
			if more {
				setMode(t, s, model.GitOff)
				create(t, s, "three", "o\n")
				setMode(t, s, model.GitBranch)
			}
			wrapped := 0
			s.git.move = func(move func() error) error {
				if wrapped++; wrapped == 1 {
					runGit(t, s.Root(), env, "update-ref", "HEAD", string(late.Next), string(late.From))
				}
				return move()
			}
			do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Text: "p\n"})
			if wrapped < 2 {
				t.Fatal("the branch was not moved twice")
			}
			treeIsLog(t, s, env, "main")
			if got := runGit(t, s.Root(), env, "status", "--porcelain"); got != "" {
				t.Errorf("the status is\n%s", got)
			}
		})
	}
}

func TestWhatIsStagedStaysStaged(t *testing.T) {
	s, env := gitStore(t, model.GitBranch, "sha1")
	uid := planned(t, s, "one")
	plan := Name + "/" + taskFile(uid, "plan.md")
	// A version of the plan of the person's own, in the index alone.
	oid := func(body string) string {
		path := filepath.Join(t.TempDir(), "body")
		write(t, path, body)
		return runGit(t, s.Root(), env, "hash-object", "-w", path)
	}
	mine := oid("staged by ann\n")
	runGit(t, s.Root(), env, "update-index", "--cacheinfo", "100644,"+mine+","+plan)
	do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Text: "a second plan\n"})
	if got := runGit(t, s.Root(), env, "rev-parse", ":"+plan); got != mine {
		t.Errorf("the index has %s, staged was %s", got, mine)
	}
	if got, want := runGit(t, s.Root(), env, "status", "--porcelain"), "MM "+plan; got != want {
		t.Errorf("the status is %q, want %q", got, want)
	}
	if got := runGit(t, s.Root(), env, "show", "main:"+plan); got != "a second plan" {
		t.Errorf("committed is %q", got)
	}
}

// A file that was changed in the same moment in which the index was written looks unchanged;
// only the time of the index tells that it has to be looked into.
func TestAChangeOfTheSameMomentIsStillSeen(t *testing.T) {
	s, env := gitStore(t, model.GitBranch, "sha1")
	runGit(t, s.Root(), env, "config", "core.checkStat", "minimal")
	runGit(t, s.Root(), env, "config", "core.trustctime", "false")
	code := filepath.Join(s.Root(), "code.txt")
	moment := time.Now().Add(-10 * time.Second).Truncate(time.Second)
	at := func(path string) {
		if err := os.Chtimes(path, moment, moment); err != nil {
			t.Fatal(err)
		}
	}
	write(t, code, "aaaa\n")
	at(code)
	runGit(t, s.Root(), env, "commit", "-q", "-m", "a", "code.txt")
	at(filepath.Join(s.Root(), ".git", "index"))
	write(t, code, "bbbb\n")
	at(code)
	create(t, s, "one", "o\n")
	if got := runGit(t, s.Root(), env, "status", "--porcelain"); got != " M code.txt" {
		t.Errorf("the status is %q", got)
	}
}

func TestWhereTheStoreLies(t *testing.T) {
	t.Run("in a directory with a strange name", func(t *testing.T) {
		top, env := gitRepo(t, "sha1")
		write(t, filepath.Join(top, "code.txt"), "code\n")
		runGit(t, top, env, "add", "code.txt")
		runGit(t, top, env, "commit", "-q", "-m", "code")
		s := initIn(t, filepath.Join(top, "a \"b *^", "ü"), gitOptions(env))
		for _, mode := range []string{model.GitRef, model.GitBranch} {
			setMode(t, s, mode)
			planned(t, s, mode)
		}
		if got := runGit(t, top, env, "status", "--porcelain"); got != "" {
			t.Errorf("the status is %q", got)
		}
		want := "a \"b *^/ü/.vespe/config.json"
		for _, ref := range []string{historyRef, "main"} {
			if got := runGit(t, top, env, "ls-tree", "-r", "-z", "--name-only", ref); !strings.Contains("\x00"+got, "\x00"+want+"\x00") {
				t.Errorf("%s has %q", ref, got)
			}
		}
		runGit(t, top, env, "fsck", "--strict")
	})
	t.Run("in a linked worktree", func(t *testing.T) {
		top, env := gitRepo(t, "sha1")
		runGit(t, top, env, "commit", "-q", "--allow-empty", "-m", "x")
		linked := filepath.Join(fastDir(t), "linked")
		runGit(t, top, env, "worktree", "add", "-q", "-b", "side", linked)
		s := initIn(t, linked, gitOptions(env))
		setMode(t, s, model.GitBranch)
		planned(t, s, "one")
		treeIsLog(t, s, env, "side")
		if got := runGit(t, linked, env, "status", "--porcelain"); got != "" {
			t.Errorf("the status is %q", got)
		}
		if got := runGit(t, top, env, "ls-tree", "-r", "--name-only", "main"); got != "" {
			t.Errorf("the other worktree's branch has %q", got)
		}
	})
	t.Run("in a submodule", func(t *testing.T) {
		sub, env := gitRepo(t, "sha1")
		runGit(t, sub, env, "commit", "-q", "--allow-empty", "-m", "x")
		top, _ := gitRepo(t, "sha1")
		runGit(t, top, env, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub, "sub")
		runGit(t, top, env, "commit", "-q", "-m", "sub")
		s := initIn(t, filepath.Join(top, "sub"), gitOptions(env))
		setMode(t, s, model.GitBranch)
		planned(t, s, "one")
		treeIsLog(t, s, env, "main")
		if got := runGit(t, top, env, "log", "--format=%s"); got != "sub" {
			t.Errorf("the outer repository has %q", got)
		}
	})
	for name, make := range map[string]func(t *testing.T) (string, []string){
		"in no repository": func(t *testing.T) (string, []string) { return fastDir(t), gitEnv(t) },
		"in a bare repository": func(t *testing.T) (string, []string) {
			top, env := gitRepo(t, "sha1")
			runGit(t, top, env, "config", "core.bare", "true")
			return top, env
		},
		"where there is a line break": func(t *testing.T) (string, []string) {
			top, env := gitRepo(t, "sha1")
			return filepath.Join(top, "a\nb"), env
		},
		"in a git directory": func(t *testing.T) (string, []string) {
			top, env := gitRepo(t, "sha1")
			return filepath.Join(top, ".git", "x"), env
		},
		"where the worktree is elsewhere": func(t *testing.T) (string, []string) {
			top, env := gitRepo(t, "sha1")
			runGit(t, top, env, "config", "core.worktree", t.TempDir())
			return top, env
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, env := make(t)
			s := initIn(t, dir, gitOptions(env))
			setMode(t, s, model.GitBranch)
			if w := attempt(t, s, "one"); len(w) != 1 || !strings.Contains(w[0], "git repository") {
				t.Errorf("warnings %q", w)
			}
		})
	}
}

func TestAStoreThatIsMovedWithinItsRepository(t *testing.T) {
	top, env := gitRepo(t, "sha1")
	s := initIn(t, filepath.Join(top, "before"), gitOptions(env))
	setMode(t, s, model.GitRef)
	planned(t, s, "one")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(top, "before"), filepath.Join(top, "after")); err != nil {
		t.Fatal(err)
	}
	opt := gitOptions(env)
	opt.Rand = entropy(6)
	s = open(t, filepath.Join(top, "after"), opt)
	planned(t, s, "two")
	if got := seqs(t, s, env, historyRef); got != "0 1 2 3 4" {
		t.Errorf("recorded %q", got)
	}
	files := runGit(t, top, env, "ls-tree", "-r", "--name-only", historyRef)
	if strings.Contains(files, "before/") || strings.Count(files, "after/.vespe/tasks/") < 6 {
		t.Errorf("it holds\n%s", files)
	}
	runGit(t, top, env, "fsck", "--strict")
}
