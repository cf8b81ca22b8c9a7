package store

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vespe/model"
	"vespe/store/layout"
)

// away is a store with a task that was taken away, of which the log is told.
type away struct {
	s     *Store
	uid   model.UID
	other model.UID
	aside string
}

func withDeletedTask(t *testing.T, ops ...model.Op) *away {
	t.Helper()
	s := initIn(t, fastDir(t), testOptions())
	w := &away{s: s, uid: planned(t, s, "one"), other: planned(t, s, "other"), aside: s.Root() + "/aside"}
	for _, op := range ops {
		op.UID, op.Actor = w.uid, ann
		do(t, s, op)
	}
	w.goes(t)
	do(t, s, model.Op{Name: model.RenameTask, UID: w.other, Actor: ann, Args: model.NewName{Name: "renamed"}})
	if tells := externalOps(t, s, w.uid); tells != 1 {
		t.Fatalf("the log was told %d times that it went", tells)
	}
	return w
}

// externalOps is how many external edits of a task the log holds.
func externalOps(t *testing.T, s *Store, uid model.UID) (n int) {
	t.Helper()
	seqs := mustGet(s.log.ListLog())(t)
	for _, seq := range seqs {
		e := entryAt(t, s, seq)
		for _, op := range e.Ops {
			if op.Name == model.ExternalEdit && op.UID == uid {
				n++
			}
		}
	}
	return n
}

func (w *away) goes(t *testing.T) {
	t.Helper()
	must(t, os.Rename(vespe(w.s, layout.TaskDir(w.uid)), w.aside))
	load(t, w.s)
}

func (w *away) comesBack(t *testing.T) {
	t.Helper()
	checkpointed(t, w.s)
	must(t, os.Rename(w.aside, vespe(w.s, layout.TaskDir(w.uid))))
}

// work lets the log grow by n entries.
func (w *away) work(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		do(t, w.s, model.Op{Name: model.RenameTask, UID: w.other, Actor: ann, Args: model.NewName{Name: fmt.Sprint("renamed ", i)}})
	}
}

// meanwhile are things that happen to a store while a task is away.
func meanwhile() map[string]func(t *testing.T, w *away) {
	return map[string]func(t *testing.T, w *away){
		"nothing":      func(*testing.T, *away) {},
		"many entries": func(t *testing.T, w *away) { t.Helper(); w.work(t, 530) },
		"no checkpoint": func(t *testing.T, w *away) {
			t.Helper()
			closed(t, w.s)
			removeSnapshots(t, w.s)
			w.s = open(t, w.s.Root(), testOptions())
			w.s.opt.Rand = entropy(3)
			w.s.uids.rand = w.s.opt.Rand
			load(t, w.s)
		},
	}
}

// seenBy are the processes that look at a store: who was there, and who comes.
func (w *away) seenBy(t *testing.T, look func(t *testing.T, who string, s *Store)) {
	t.Helper()
	n := open(t, w.s.Root(), testOptions())
	look(t, "who was there", w.s)
	look(t, "who comes", n)
}

// An acceptance counts again when its task comes back as the log last wrote it, however long it
// was away. A question that a task waits for is not answered by an edit meanwhile.
func TestATaskComesBack(t *testing.T) {
	t.Parallel()
	for name, happens := range meanwhile() {
		for _, question := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", question ", question), func(t *testing.T) {
				t.Parallel()
				comesBackAs(t, happens, question)
			})
		}
	}
}

func comesBackAs(t *testing.T, happens func(t *testing.T, w *away), question bool) {
	t.Helper()
	op := model.Op{Name: model.AcceptPlan}
	if question {
		op = model.Op{Name: model.Pause, Reason: "hitl: which one?"}
	}
	w := withDeletedTask(t, op)
	happens(t, w)
	if question {
		path := w.aside + "/" + layout.StatusFile
		st, _ := model.DecodeStatus(layout.StatusFile, []byte(read(t, path)))
		st.IsPaused, st.PauseReason = false, ""
		write(t, path, string(model.EncodeStatus(st)))
	}
	w.comesBack(t)
	look := func(imported bool) {
		t.Helper()
		w.seenBy(t, func(t *testing.T, who string, s *Store) {
			t.Helper()
			snap := load(t, s)
			st := task(t, snap, w.uid).Status
			if question && (st.PauseKind() != "hitl" || !strings.Contains(st.PauseReason, "which one?")) || !question && st.AcceptedPlan == nil {
				t.Errorf("%s, imported %v: it is read as %+v", who, imported, st)
			}
			if p, found := findProblem(snap.Problems(), "not-believed", layout.StatusFile); found && !question {
				t.Errorf("%s, imported %v: %+v", who, imported, p)
			}
			if question && !imported {
				wantProblem(t, snap.Problems(), "not-believed", layout.StatusFile)
			}
			if imported && len(s.Edited()) > 0 {
				t.Errorf("%s: edited are %v once the log knows it again", who, s.Edited())
			}
		})
	}
	look(false)
	takeOver(t, w.s)
	look(true)
	wantClean(t, w.s)
}

// A verdict that somebody wrote into a task while it was away does not count, and what was
// accepted is changed by what was written then.
func TestATaskThatIsForgedWhileItIsAway(t *testing.T) {
	for name, c := range map[string]struct {
		forge func(st *model.StatusFile)
		want  func(st *model.StatusFile) bool
	}{
		"another acceptance": {
			func(st *model.StatusFile) { st.AcceptedPlan.By = "human:mallory" },
			func(st *model.StatusFile) bool { return st.AcceptedPlan == nil },
		},
		"a review": {
			func(st *model.StatusFile) {
				st.CurrentState = model.Completed
				st.Review = &model.Review{Of: "work", Verdict: "accepted", By: "human:mallory"}
			},
			func(st *model.StatusFile) bool { return st.Review == nil },
		},
		"an undo": {
			func(st *model.StatusFile) { st.Undo.By = "human:mallory" },
			func(st *model.StatusFile) bool { return st.Undo == nil && st.AcceptedPlan != nil },
		},
		"progress": {
			func(st *model.StatusFile) { st.Progress = "half" },
			func(st *model.StatusFile) bool { return st.AcceptedPlan != nil && st.Progress == "half" },
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := withDeletedTask(t, model.Op{Name: model.AcceptPlan})
			path := w.aside + "/" + layout.StatusFile
			st, _ := model.DecodeStatus(layout.StatusFile, []byte(read(t, path)))
			c.forge(&st)
			write(t, path, string(model.EncodeStatus(st)))
			w.comesBack(t)
			check := func(t *testing.T, who string, s *Store) {
				t.Helper()
				if got := task(t, load(t, s), w.uid).Status; !c.want(&got) {
					t.Errorf("%s: read as %+v", who, got)
				}
			}
			w.seenBy(t, check)
			takeOver(t, w.s)
			w.seenBy(t, check)
			wantClean(t, w.s)
		})
	}
}

// What was accepted is compared with what came back: a plan or criteria that were written while
// it was away make it changed, and an older copy of it does not count its revisions back.
func TestATaskIsWrittenWhileItIsAway(t *testing.T) {
	for name, edit := range map[string]func(t *testing.T, dir string){
		"plan": func(t *testing.T, dir string) { t.Helper(); write(t, dir+"/plan.md", "another\n") },
		"criteria": func(t *testing.T, dir string) {
			t.Helper()
			write(t, dir+"/spec.json", `{"acceptance_criteria": ["more"]}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := withDeletedTask(t, model.Op{Name: model.AcceptPlan})
			edit(t, w.aside)
			w.comesBack(t)
			load(t, w.s)
			takeOver(t, w.s)
			got := task(t, load(t, w.s), w.uid).Status
			if got.AcceptedPlan == nil || len(got.ChangedBecause) == 0 {
				t.Errorf("accepted %v, changed because %v", got.AcceptedPlan, got.ChangedBecause)
			}
			wantClean(t, w.s)
		})
	}
	t.Run("an older copy", func(t *testing.T) {
		w := withDeletedTask(t, model.Op{Name: model.AcceptPlan}, model.Op{Name: model.RenameTask, Args: model.NewName{Name: "x"}})
		path := w.aside + "/" + layout.StatusFile
		st, _ := model.DecodeStatus(layout.StatusFile, []byte(read(t, path)))
		was := st.Revision
		st.Revision, st.AcceptedPlan, st.Undo, st.CurrentState = 2, nil, nil, model.PlanDefined
		write(t, path, string(model.EncodeStatus(st)))
		w.comesBack(t)
		load(t, w.s)
		takeOver(t, w.s)
		if got := task(t, load(t, w.s), w.uid).Status; got.Revision <= was || got.AcceptedPlan != nil {
			t.Errorf("it was at revision %d and is at %d, accepted %v", was, got.Revision, got.AcceptedPlan)
		}
		wantClean(t, w.s)
	})
}

// A task that went while nobody knew what the store was, for want of a checkpoint, is told of as
// well, and believed against what the log wrote for it.
func TestATaskThatWentUnseen(t *testing.T) {
	s := initIn(t, fastDir(t), testOptions())
	w := &away{s: s, uid: planned(t, s, "one"), other: planned(t, s, "other"), aside: s.Root() + "/aside"}
	do(t, s, model.Op{Name: model.AcceptPlan, UID: w.uid, Actor: ann}, model.Op{Name: model.Pause, UID: w.uid, Actor: ann, Reason: "hitl: why?"})
	closed(t, s)
	removeSnapshots(t, s)
	must(t, os.Rename(vespe(s, layout.TaskDir(w.uid)), w.aside))
	w.s = open(t, s.Root(), testOptions())
	load(t, w.s)
	path := w.aside + "/" + layout.StatusFile
	write(t, path, strings.Replace(read(t, path), "hitl: why?", "", 1))
	w.comesBack(t)
	w.seenBy(t, func(t *testing.T, who string, s *Store) {
		t.Helper()
		if got := task(t, load(t, s), w.uid).Status; got.AcceptedPlan == nil || got.PauseKind() != "hitl" {
			t.Errorf("%s: read as %+v", who, got)
		}
	})
}

// That it cannot be told whether a task is still away holds up nobody who works on another: it is
// told to the log when it can be.
func TestATaskThatWentHoldsNobodyUp(t *testing.T) {
	for _, stat := range []bool{true, false} {
		s := newStore(t)
		uid, other := planned(t, s, "one"), planned(t, s, "other")
		checkpointed(t, s)
		n := open(t, s.Root(), testOptions())
		must(t, os.RemoveAll(vespe(s, layout.TaskDir(uid))))
		load(t, n)
		asked := callStat
		if !stat {
			asked = callAccess
		}
		plain := n.disk.FS
		n.setFS(&hookFS{FS: plain, before: refusing(layout.TaskDir(uid), unix.EIO, asked)})
		do(t, n, model.Op{Name: model.RenameTask, UID: other, Actor: ann, Args: model.NewName{Name: "renamed"}})
		if tells := externalOps(t, s, uid); n.edits.IsEdited(uid) != stat || tells > 0 == stat {
			t.Errorf("told %d times that the task went, which cannot be seen: %v", tells, stat)
		}
		n.setFS(plain)
		do(t, n, model.Op{Name: model.RenameTask, UID: other, Actor: ann, Args: model.NewName{Name: "renamed again"}})
		if n.edits.IsEdited(uid) || externalOps(t, s, uid) != 1 {
			t.Error("it is not told that the task went")
		}
	}
}

// What was found of tasks goes with the log that it was found beside.
func TestALogThatWentTakesItsEditsAlong(t *testing.T) {
	s := newStore(t)
	uid, doc, late := planned(t, s, "one"), planned(t, s, "two"), planned(t, s, "three")
	checkpointed(t, s)
	write(t, vespe(s, layout.TaskFile(uid, layout.SpecFile)), `{"description": "by hand"}`)
	write(t, vespe(s, layout.TaskFile(doc, "plan.md")), "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n")
	load(t, s)
	s.edits.AddStale(late, []string{layout.TaskFile(late, layout.SpecFile)})
	if len(s.Edited()) != 1 || len(s.edits.Conflicts()) != 1 {
		t.Fatalf("edited are %v, conflicts %v", s.Edited(), s.edits.Conflicts())
	}
	clean(t, s)
	mustGet(s.loader.AgreeAlone())(t)
	if len(s.Edited())+len(s.edits.Conflicts())+len(s.edits.ToImport()) > 0 {
		t.Errorf("edited are %v, conflicts %v, stale %v, of a log that is gone", s.Edited(), s.edits.Conflicts(), s.edits.ToImport())
	}
}
