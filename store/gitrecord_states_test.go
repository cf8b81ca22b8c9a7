package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/gitlog"
	"vespe/store/layout"
)

// attempt makes a task and returns the warnings.
func attempt(t testing.TB, s *Store, name string) []string {
	t.Helper()
	a := mustGet(s.Do(context.Background(), model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: name, Objective: "o\n"}}))(t)
	return a.Warnings
}

func TestAHistoryOfAnotherLogIsLeftAlone(t *testing.T) {
	for name, c := range map[string]struct {
		want  string
		spoil func(t *testing.T, s *Store, env []string)
	}{
		"the person's commit": {"vespe didn't make", func(t *testing.T, s *Store, env []string) {
			runGit(t, s.Root(), env, "update-ref", gitlog.Ref, "main")
		}},
		"another store": {"to another store", func(t *testing.T, s *Store, _ []string) {
			body := strings.Replace(read(t, vespe(s, layout.StoreFile)), s.ID(), strings.Repeat("0", len(s.ID())), 1)
			write(t, vespe(s, layout.StoreFile), body)
		}},
		"a longer log": {"ends at", func(t *testing.T, s *Store, env []string) {
			top := runGit(t, s.Root(), env, "log", "-1", "--format=%B", gitlog.Ref)
			tree := runGit(t, s.Root(), env, "rev-parse", gitlog.Ref+"^{tree}")
			message := strings.Replace(top, "Vespe-Seq: 3", "Vespe-Seq: 900", 1)
			runGit(t, s.Root(), env, "update-ref", gitlog.Ref, runGit(t, s.Root(), env, "commit-tree", tree, "-m", message))
		}},
		"another clone": {"from another clone", func(t *testing.T, s *Store, env []string) {
			top := runGit(t, s.Root(), env, "log", "-1", "--format=%B", gitlog.Ref)
			tree := runGit(t, s.Root(), env, "rev-parse", gitlog.Ref+"^{tree}")
			i := strings.Index(top, "Vespe-Entry: sha256-") + len("Vespe-Entry: sha256-")
			runGit(t, s.Root(), env, "update-ref", gitlog.Ref, runGit(t, s.Root(), env, "commit-tree", tree, "-m", top[:i]+strings.Repeat("0", 64)))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			made, env := gitStore(t, model.GitRef, "sha1")
			for i := range 3 {
				create(t, made, fmt.Sprint(i), "o\n")
			}
			c.spoil(t, made, env)
			was := runGit(t, made.Root(), env, "rev-parse", gitlog.Ref)
			opt := gitOptions(env)
			opt.Rand = entropy(5)
			s := open(t, made.Root(), opt)
			w := attempt(t, s, "more")
			if len(w) != 1 || !strings.Contains(w[0], c.want) || !strings.Contains(w[0], "stays as it is") {
				t.Fatalf("warnings %q", w)
			}
			if now := runGit(t, s.Root(), env, "rev-parse", gitlog.Ref); now != was {
				t.Fatal("it was moved")
			}
			// What the warning says to do is enough.
			runGit(t, s.Root(), env, "update-ref", "refs/vespe/history-before", gitlog.Ref)
			runGit(t, s.Root(), env, "update-ref", "-d", gitlog.Ref)
			if w := attempt(t, s, "anew"); len(w) > 0 {
				t.Fatal(w)
			}
			treeIsLog(t, s, env, gitlog.Ref)
		})
	}
}

func TestAHistoryGoesOnWhereItsLastCommitIs(t *testing.T) {
	for _, mode := range []string{model.GitRef, model.GitBranch} {
		t.Run(mode, func(t *testing.T) {
			s, env := gitStore(t, mode, "sha1")
			ref := map[string]string{model.GitRef: gitlog.Ref, model.GitBranch: "main"}[mode]
			for i := range 4 {
				create(t, s, fmt.Sprint(i), "o\n")
			}
			hint := read(t, vespe(s, gitlog.HintFile))
			for i := range 4 {
				create(t, s, fmt.Sprint("more ", i), "o\n")
			}
			all := seqs(t, s, env, ref)
			for what, spoil := range map[string]func(){
				"no note":     func() { os.Remove(vespe(s, gitlog.HintFile)) },
				"an old note": func() { write(t, vespe(s, gitlog.HintFile), hint) },
				"no sense":    func() { write(t, vespe(s, gitlog.HintFile), `{"mode":"`+mode+`","seq":5,"head":"x","commit":"--all"}`) },
			} {
				spoil()
				create(t, s, what, "o\n")
				last := lastEntry(t, s)
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
			ref := map[string]string{model.GitRef: gitlog.Ref, model.GitBranch: "main"}[mode]
			uid := planned(t, s, "early")
			write(t, vespe(s, layout.TaskFile(uid, "result/out.txt")), "made by an agent\n")
			write(t, vespe(s, layout.TaskFile(uid, "result/.git/config")), "[core]\n")
			must(t, os.Symlink("/etc/passwd", vespe(s, layout.TaskFile(uid, "result/link"))))
			setMode(t, s, mode)
			do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "late"}})
			if got := seqs(t, s, env, ref); got != "3" {
				t.Fatalf("recorded %q", got)
			}
			wantEqual(t, "it is called", runGit(t, s.Root(), env, "log", "-1", "--format=%s", ref), "start of history")
			files := runGit(t, s.Root(), env, "ls-tree", "-r", "--name-only", ref)
			if !strings.Contains(files, "result/out.txt") || strings.Contains(files, ".git/config") || strings.Contains(files, "result/link") {
				t.Errorf("it holds\n%s", files)
			}
			os.Remove(vespe(s, layout.TaskFile(uid, "result/link")))
			os.RemoveAll(vespe(s, layout.TaskFile(uid, "result/.git")))
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
			ref := map[string]string{model.GitRef: gitlog.Ref, model.GitBranch: "main"}[mode]
			planned(t, s, "one")
			setMode(t, s, model.GitOff)
			planned(t, s, "two")
			planned(t, s, "three")
			for n := uint64(1); n <= 4; n++ {
				must(t, os.Remove(vespe(s, layout.EntryFile(n))))
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

func TestManyWritersMakeOneHistory(t *testing.T) {
	manyWriters(t, model.GitRef, false)
	manyWriters(t, model.GitBranch, true)
}

// manyWriters record in git at once, with the store's lock or without.
func manyWriters(t *testing.T, mode string, locks bool) {
	t.Helper()
	t.Run(fmt.Sprint(mode, " locks ", locks), func(t *testing.T) {
		first, env := gitStore(t, mode, "sha1")
		create(t, first, "zero", "o\n")
		const writers, each = 4, 3
		var wg sync.WaitGroup
		for w := range writers {
			opt := gitOptions(env)
			opt.Now, opt.Rand = nil, entropy(uint64(20+w))
			if !locks {
				opt.FS = unlocked
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
		ref := map[string]string{model.GitRef: gitlog.Ref, model.GitBranch: "main"}[mode]
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
		wantEqual(t, "the status", runGit(t, first.Root(), env, "status", "--porcelain", "code.txt"), "")
	})
}

func TestWhatIsStagedStaysStaged(t *testing.T) {
	s, env := gitStore(t, model.GitBranch, "sha1")
	uid := planned(t, s, "one")
	plan := layout.Name + "/" + layout.TaskFile(uid, "plan.md")
	// A version of the plan of the person's own, in the index alone.
	oid := func(body string) string {
		path := filepath.Join(t.TempDir(), "body")
		write(t, path, body)
		return runGit(t, s.Root(), env, "hash-object", "-w", path)
	}
	mine := oid("staged by ann\n")
	runGit(t, s.Root(), env, "update-index", "--cacheinfo", "100644,"+mine+","+plan)
	do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "a second plan\n"}})
	if got := runGit(t, s.Root(), env, "rev-parse", ":"+plan); got != mine {
		t.Errorf("the index has %s, staged was %s", got, mine)
	}
	if got, want := runGit(t, s.Root(), env, "status", "--porcelain"), "MM "+plan; got != want {
		t.Errorf("the status is %q, want %q", got, want)
	}
	wantEqual(t, "committed", runGit(t, s.Root(), env, "show", "main:"+plan), "a second plan")
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
		must(t, os.Chtimes(path, moment, moment))
	}
	write(t, code, "aaaa\n")
	at(code)
	runGit(t, s.Root(), env, "commit", "-q", "-m", "a", "code.txt")
	at(filepath.Join(s.Root(), ".git", "index"))
	write(t, code, "bbbb\n")
	at(code)
	create(t, s, "one", "o\n")
	wantEqual(t, "the status", runGit(t, s.Root(), env, "status", "--porcelain"), " M code.txt")
}
