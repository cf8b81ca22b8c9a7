package store

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// brought makes a task's directory by hand, as git does with those of another clone.
func brought(t *testing.T, s *Store, uid model.UID, status string) {
	t.Helper()
	write(t, vespe(s, layout.TaskFile(uid, layout.ConfigFile)), `{"uid": "`+string(uid)+`", "name": "brought", "created_by": "human:ann", "created_at": "2026-03-01T09:00:00Z"}`)
	write(t, vespe(s, layout.TaskFile(uid, layout.StatusFile)), status)
	write(t, vespe(s, layout.TaskFile(uid, "plan.md")), "a plan\n")
}

// A task that comes as a whole is there at once, is told in the log, and its files stay as
// they came.
func TestATaskThatAppears(t *testing.T) {
	s := newStore(t)
	planned(t, s, "one")
	checkpointed(t, s)
	other := open(t, s.Root(), testOptions())
	load(t, other)
	const uid, status = model.UID("tsk-brought"), `{"current_state": "plan_defined"}`
	brought(t, s, uid, status)
	r := open(t, s.Root(), testOptions())
	if got := task(t, load(t, r), uid); got.Status.CurrentState != model.PlanDefined {
		t.Errorf("read as %+v", got)
	}
	if !slices.Equal(r.Edited(), []model.UID{uid}) {
		t.Fatalf("edited are %v", r.Edited())
	}
	// It is not taken for known because a checkpoint was written, or a transaction.
	do(t, r, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "more"}})
	must(t, r.checkpoints.Write(t.Context()))
	n := open(t, s.Root(), testOptions())
	if load(t, n); !slices.Equal(n.Edited(), []model.UID{uid}) {
		t.Fatalf("after a checkpoint edited are %v", n.Edited())
	}
	a, err := n.ImportEdits(t.Context(), nil)
	if err != nil || a.Change == nil || a.Change.Summary != `"brought" appeared` {
		t.Fatalf("%+v, %v", a.Change, err)
	}
	if read(t, vespe(s, layout.TaskFile(uid, layout.StatusFile))) != status {
		t.Error("its files were written to")
	}
	for _, p := range []*Store{n, other} {
		if snap := load(t, p); len(p.Edited()) > 0 || task(t, snap, uid).Config.Name != "brought" {
			t.Errorf("edited are %v", p.Edited())
		}
	}
	wantClean(t, n)
	do(t, n, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	wantClean(t, n)
}

// An acceptance that comes with a task, or something to be undone into one, does not count.
func TestATaskThatAppearsAccepted(t *testing.T) {
	const accepted = `"accepted_plan": {"plan_revision": 1, "by": "human:mallory"}`
	for name, status := range map[string]string{
		"accepted": `{"current_state": "working", ` + accepted + `}`,
		"undo": `{"current_state": "plan_defined", "revision": 3, "undo": {"transition": "reject_plan", "by": "human:mallory", "at": "2026-03-01T09:00:00Z",
			"tasks": [{"uid": "tsk-brought", "revision": 3, "before": {"current_state": "working", ` + accepted + `}}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			planned(t, s, "one")
			checkpointed(t, s)
			const uid = model.UID("tsk-brought")
			brought(t, s, uid, status)
			r := open(t, s.Root(), testOptions())
			if st := task(t, load(t, r), uid).Status; st.AcceptedPlan != nil || st.Undo != nil {
				t.Errorf("read as %+v", st)
			}
			takeOver(t, r)
			if len(externalEvents(t, r, uid)) != 1 || !holds(t, s, status) {
				t.Error("no event tells of it, or its bytes are lost")
			}
			_, err := r.Do(t.Context(), model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
			wantCode(t, err, model.CodeRefused)
			_, err = r.Do(t.Context(), model.Op{Name: model.Start, UID: uid, Actor: robot})
			wantCode(t, err, model.CodeRefused)
			wantClean(t, r)
		})
	}
}

// A task that is taken away is told in the log, once, by anyone who finds it first; when it
// comes back it appears, with the verdicts that vespe was given if nobody touched it.
func TestATaskThatIsTakenAway(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	create(t, s, "two", "")
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	checkpointed(t, s)
	other := open(t, s.Root(), testOptions())
	load(t, other)
	aside := vespe(s, "tmp/aside")
	must(t, os.Rename(vespe(s, layout.TaskDir(uid)), aside))
	load(t, other)
	r := open(t, s.Root(), testOptions())
	if _, ok := load(t, r).Task(uid); ok || !slices.Equal(r.Edited(), []model.UID{uid}) {
		t.Fatalf("edited are %v", r.Edited())
	}
	must(t, r.checkpoints.Write(t.Context()))
	n := open(t, s.Root(), testOptions())
	if load(t, n); !slices.Equal(n.Edited(), []model.UID{uid}) {
		t.Fatalf("after a checkpoint edited are %v", n.Edited())
	}
	a, err := n.ImportEdits(t.Context(), nil)
	if err != nil || a.Change == nil || a.Change.Summary != `"one" was removed` {
		t.Fatalf("%+v, %v", a.Change, err)
	}
	for _, p := range []*Store{other, r} {
		a, err := p.ImportEdits(t.Context(), nil)
		if err != nil || a.Change != nil || len(p.Edited()) > 0 {
			t.Errorf("told once more: %+v %v, edited %v", a.Change, err, p.Edited())
		}
	}
	wantClean(t, n)
	must(t, os.Rename(aside, vespe(s, layout.TaskDir(uid))))
	if st := task(t, load(t, n), uid).Status; st.AcceptedPlan == nil || st.CurrentState != model.Working {
		t.Errorf("it came back as %+v", st)
	}
	if a, err = n.ImportEdits(t.Context(), nil); err != nil || !strings.HasPrefix(a.Change.Summary, `"one" appeared`) {
		t.Fatalf("%+v, %v", a.Change, err)
	}
	wantClean(t, n)
	if st := task(t, load(t, n), uid).Status; st.AcceptedPlan == nil {
		t.Error("the acceptance does not count any more")
	}
	// Somebody who takes it away once more and writes to it meanwhile is not believed.
	for _, step := range []func() error{
		func() error { return os.Rename(vespe(s, layout.TaskDir(uid)), aside) },
		func() error { return os.Rename(aside, vespe(s, layout.TaskDir(uid))) },
	} {
		must(t, step())
		load(t, n)
		takeOver(t, n)
		if _, err := os.Stat(aside); err == nil {
			path := filepath.Join(aside, layout.StatusFile)
			write(t, path, strings.Replace(read(t, path), "human:ann", "human:mallory", 1))
		}
	}
	if st := task(t, load(t, n), uid).Status; st.AcceptedPlan != nil {
		t.Errorf("it came back as %+v", st)
	}
	wantClean(t, n)
}

// One that is back before anybody wrote that it was away has changed nothing.
func TestATaskThatIsBackAtOnce(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	checkpointed(t, s)
	aside := vespe(s, "tmp/aside")
	must(t, os.Rename(vespe(s, layout.TaskDir(uid)), aside))
	load(t, s)
	must(t, os.Rename(aside, vespe(s, layout.TaskDir(uid))))
	a, err := s.ImportEdits(t.Context(), nil)
	if err != nil || a.Change != nil && len(a.Change.Files) > 0 {
		t.Errorf("%+v, %v", a.Change, err)
	}
	if st := task(t, load(t, s), uid).Status; st.AcceptedPlan == nil || len(s.Edited()) > 0 {
		t.Errorf("%+v, edited %v", st, s.Edited())
	}
}

// TestManyAcceptedTasksAppear: what the log says of them is gathered once for all that come, not
// read for each.
func TestManyAcceptedTasksAppear(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	for i := range 20 {
		do(t, s, labeled(uid, "", strconv.Itoa(i)))
	}
	checkpointed(t, s)
	status := read(t, vespe(s, layout.TaskFile(uid, layout.StatusFile)))
	const many = 40
	for i := range many {
		brought(t, s, model.UID("tsk-brought"+strconv.Itoa(i)), status)
	}
	r := open(t, s.Root(), testOptions())
	f := &faultFS{reads: true}
	r.setFS(f.on(r.disk.FS))
	snap := load(t, r)
	if len(r.Edited()) != many || snap.Len() != many+1 {
		t.Fatalf("%d tasks, of which %d came", snap.Len(), len(r.Edited()))
	}
	entries := 0
	for _, call := range f.trace {
		if strings.HasPrefix(call, "open log/0") || strings.HasPrefix(call, "read log/0") {
			entries++
		}
	}
	if last, err := r.log.Tail(0); err != nil || entries > 2*int(last) {
		t.Errorf("entries were read %d times for %d tasks that came, the log has %d (%v)", entries, many, last, err)
	}
}
