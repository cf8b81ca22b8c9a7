package store

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"pgregory.net/rapid"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/layout"
)

// wanderers are tasks that are moved away and back, in a store that continues meanwhile.
type wanderers struct {
	t      *testing.T
	rt     *rapid.T
	s      *Store
	uids   []model.UID
	logged map[model.UID]string // its status.json, as the log last had it
	n      int
}

func (w *wanderers) aside(uid model.UID) string { return w.s.Root() + "/aside-" + string(uid) }

func (w *wanderers) noteMissing(uid model.UID) bool {
	_, err := os.Stat(w.aside(uid))
	return err == nil
}

func (w *wanderers) must(err error) {
	w.rt.Helper()
	if err != nil {
		w.rt.Fatal(err)
	}
}

func (w *wanderers) load() *snapshot.Snapshot {
	w.rt.Helper()
	snap, err := w.s.Load(w.t.Context(), nil)
	w.must(err)
	return snap
}

// importAll takes everything over, and remembers what the log has then.
func (w *wanderers) importAll() {
	w.rt.Helper()
	w.load()
	_, err := w.s.ImportEdits(w.t.Context(), nil)
	w.must(err)
	for _, uid := range w.uids {
		if !w.noteMissing(uid) {
			b, err := os.ReadFile(vespe(w.s, layout.TaskFile(uid, layout.StatusFile)))
			w.must(err)
			w.logged[uid] = string(b)
		}
	}
}

// work fires a transition of a task; it may be refused.
func (w *wanderers) work(uid model.UID) {
	w.n++
	op := model.Op{
		UID: uid, Actor: ann, Reason: rapid.SampledFrom([]string{"hitl: which?", "later"}).Draw(w.rt, "reason"),
		Name: rapid.SampledFrom([]model.Name{
			model.AcceptPlan, model.AcceptPlan, model.Pause, model.Pause, model.Resume, model.Start, model.WorkCompleted,
			model.ReviewAccepted, model.DefinePlan, model.RenameTask, model.UndoVerdict, model.Replan,
		}).Draw(w.rt, "transition"),
	}
	op.Args = drawnArgs(op.Name, w.n, "")
	_, err := w.s.Do(w.t.Context(), op)
	var r *model.Refusal
	if err != nil && !errors.As(err, &r) {
		w.rt.Fatal(err)
	}
	w.importAll()
}

// forge writes into the status.json of a task that is away.
func (w *wanderers) forge(uid model.UID) {
	w.n++
	st, _ := model.DecodeStatus(layout.StatusFile, []byte(w.logged[uid]))
	mallory := &model.AcceptedPlan{PlanRevision: st.PlanRevision, By: "human:mallory", At: st.LastUpdatedAt}
	switch rapid.IntRange(0, 6).Draw(w.rt, "forgery") {
	case 0:
		st.AcceptedPlan = mallory
	case 1:
		st.IsPaused, st.PauseReason = false, ""
	case 2:
		st.CurrentState, st.Review = model.Completed, &model.Review{Of: "work", Verdict: "accepted", By: "human:mallory"}
	case 3:
		st.IsPaused, st.PauseReason, st.AcceptedPlan, st.CurrentState = false, "", mallory, model.Working
	case 4:
		st.Progress = fmt.Sprint(w.n)
	case 5:
		if st.Undo == nil {
			return
		}
		st.Undo.By = "human:mallory"
	case 6: // as it left
		w.must(os.WriteFile(w.aside(uid)+"/"+layout.StatusFile, []byte(w.logged[uid]), 0o644))
		return
	}
	w.must(os.WriteFile(w.aside(uid)+"/"+layout.StatusFile, model.EncodeStatus(st), 0o644))
}

// back brings a task back, and compares what it is taken for with what the log last had.
func (w *wanderers) back(uid model.UID) {
	w.must(os.Rename(w.aside(uid), vespe(w.s, layout.TaskDir(uid))))
	now, err := os.ReadFile(vespe(w.s, layout.TaskFile(uid, layout.StatusFile)))
	w.must(err)
	was, _ := model.DecodeStatus(layout.StatusFile, []byte(w.logged[uid]))
	w.compare("as it came", uid, was, string(now) == w.logged[uid])
	w.importAll()
	w.compare("taken over", uid, was, string(now) == w.logged[uid])
}

func (w *wanderers) compare(when string, uid model.UID, was model.StatusFile, same bool) {
	w.rt.Helper()
	t, ok := w.load().Task(uid)
	if !ok {
		w.rt.Fatalf("%s: %s is not there", when, uid)
	}
	st := t.Status
	if same && string(model.EncodeStatus(st)) != w.logged[uid] {
		w.rt.Fatalf("%s: it came as it left, and is %s, not %s", when, model.EncodeStatus(st), w.logged[uid])
	}
	if a := st.AcceptedPlan; a != nil && (was.AcceptedPlan == nil || a.By != was.AcceptedPlan.By || a.PlanHash != was.AcceptedPlan.PlanHash) {
		w.rt.Fatalf("%s: an acceptance by %s counts that vespe was not given", when, a.By)
	}
	if r := st.Review; r != nil && r.Verdict == "accepted" && (was.Review == nil || r.By != was.Review.By) {
		w.rt.Fatalf("%s: a review by %s counts that vespe was not given", when, r.By)
	}
	if u := st.Undo; u != nil && u.By == "human:mallory" {
		w.rt.Fatalf("%s: a verdict of %s can be taken back", when, u.By)
	}
	final := st.CurrentState == model.Completed || st.CurrentState == model.Failed || st.CurrentState == model.Aborted
	if was.PauseKind() == "hitl" && st.PauseKind() != "hitl" && !final {
		w.rt.Fatalf("%s: a question is answered that nobody answered: %s", when, model.EncodeStatus(st))
	}
}

// restart is another process.
func (w *wanderers) restart(cold bool) {
	w.must(w.s.Close())
	if cold {
		removeSnapshots(w.t, w.s)
	}
	opt := testOptions()
	opt.Rand, opt.Now = entropy(uint64(100+w.n)), w.s.opt.Now
	s, err := Open(w.s.Root(), opt)
	w.must(err)
	w.s = s
	w.n++
}

// Whatever continues while tasks are away, what they are taken for when they come back is what the
// log last had of them: verdicts in them count if they left with them, and no question is lost.
func TestTasksComeBackAsTheLogHasThem(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		root := mustGet(os.MkdirTemp(fastDir(t), "store"))(rt)
		s, err := Init(root, testOptions())
		if err != nil {
			rt.Fatal(err)
		}
		w := &wanderers{t: t, rt: rt, s: s, logged: map[model.UID]string{}}
		defer func() { _ = w.s.Close() }()
		for i := range 3 {
			w.uids = append(w.uids, planned(t, s, fmt.Sprint("task ", i)))
		}
		w.importAll()
		for range rapid.IntRange(5, 30).Draw(rt, "steps") {
			uid := rapid.SampledFrom(w.uids).Draw(rt, "task")
			away := w.noteMissing(uid)
			switch kind := rapid.IntRange(0, 7).Draw(rt, "step"); {
			case kind <= 3 && !away:
				w.work(uid)
			case kind <= 5 && !away:
				w.must(os.Rename(vespe(w.s, layout.TaskDir(uid)), w.aside(uid)))
				if rapid.Bool().Draw(rt, "seen") {
					w.load()
				}
			case kind <= 3:
				w.forge(uid)
			case kind <= 5:
				w.back(uid)
			default:
				w.restart(kind == 7)
				w.load()
			}
		}
		for _, uid := range w.uids {
			if w.noteMissing(uid) {
				w.back(uid)
			}
		}
		w.importAll()
		ps, err := w.s.Fsck().Doctor(t.Context())
		w.must(err)
		if len(ps) > 0 {
			rt.Fatalf("doctor: %+v", ps)
		}
	})
}
