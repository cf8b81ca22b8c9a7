package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/edits"
	"vespe/store/failure"
	"vespe/store/layout"
)

// externalEvents is the external_edit events of a task.
func externalEvents(t *testing.T, s *Store, uid model.UID) []model.Event {
	t.Helper()
	events := eventsOf(t, s, uid)
	return slices.DeleteFunc(events, func(e model.Event) bool { return e.Name != model.ExternalEdit })
}

// forge writes an acceptance into a task's status.json.
func forge(t *testing.T, s *Store, uid model.UID) (body string) {
	t.Helper()
	path := vespe(s, layout.TaskFile(uid, layout.StatusFile))
	body = strings.Replace(read(t, path), `"current_state": "plan_defined"`,
		`"current_state": "working", "accepted_plan": {"plan_revision": 1, "plan_hash": "sha256-00", "by": "human:mallory"}`, 1)
	if !strings.Contains(body, "mallory") {
		t.Fatal("status.json has no state to change")
	}
	write(t, path, body)
	return body
}

// An acceptance that is written into a file by hand does not count for any reader, also
// not for a new process, and the transaction that takes the edit over says so.
func TestAForgedAcceptanceDoesNotCount(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	checkpointed(t, s)
	body := forge(t, s, uid)
	r := open(t, s.Root(), testOptions())
	snap := load(t, r)
	if got := task(t, snap, uid).Status; got.AcceptedPlan != nil || got.CurrentState != model.Working {
		t.Errorf("read as %+v", got)
	}
	wantProblem(t, snap.Problems(), "not-believed", "status.json")
	if !slices.Equal(r.Edited(), []model.UID{uid}) {
		t.Errorf("edited are %v", r.Edited())
	}
	a := takeOver(t, r)
	if len(a.Warnings) == 0 && len(a.Change.Warnings) == 0 {
		t.Error("nothing warns of the verdict")
	}
	if got := task(t, a.Snapshot, uid); got.Status.AcceptedPlan != nil || len(got.Problems) > 0 {
		t.Errorf("after it: %+v", got)
	}
	if found := externalEvents(t, r, uid); len(found) != 1 || found[0].Actor != edits.ActorExternal {
		t.Errorf("events %+v", found)
	}
	kept, err := filepath.Glob(vespe(s, layout.TaskFile(uid, "persistent/edits/status-*.json")))
	if err != nil || len(kept) != 1 || read(t, kept[0]) != body {
		t.Errorf("the edited bytes are not kept: %v", kept)
	}
	load(t, r)
	if len(r.Edited()) > 0 {
		t.Errorf("still edited: %v", r.Edited())
	}
	wantClean(t, r)
}

// wantClean: a whole new reading finds nothing edited, and the log is in order.
func wantClean(t *testing.T, s *Store) {
	t.Helper()
	n := open(t, s.Root(), testOptions())
	snap := load(t, n)
	if len(n.Edited()) > 0 {
		t.Errorf("a new process finds edits in %v", n.Edited())
	}
	for _, p := range snap.Problems() {
		t.Errorf("problem: %s %s %s", p.Path, p.Code, p.Reason)
	}
}

// An operation on a task that was edited takes the edit over first, in one transaction.
func TestATransitionTakesTheEditOver(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	checkpointed(t, s)
	write(t, vespe(s, layout.TaskFile(uid, "plan.md")), "by hand\n")
	path := vespe(s, layout.TaskFile(uid, layout.ConfigFile))
	write(t, path, strings.Replace(read(t, path), `"one"`, `"renamed by hand"`, 1))
	r := open(t, s.Root(), testOptions())
	load(t, r)
	a := do(t, r, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "by vespe\n"}})
	if !strings.HasPrefix(a.Change.Summary, "Defined the plan") || a.Change.Op.Name != model.DefinePlan {
		t.Errorf("summary %q of %s", a.Change.Summary, a.Change.Op.Name)
	}
	now := task(t, a.Snapshot, uid)
	if now.Config.Name != "renamed by hand" || now.Status.PlanRevision != 3 {
		t.Errorf("name %q, plan revision %d", now.Config.Name, now.Status.PlanRevision)
	}
	if c, err := r.Revision(t.Context(), uid, model.Plan, 2); err != nil || string(c.Body) != "by hand\n" {
		t.Errorf("the edit is not revision 2: %q %v", c.Body, err)
	}
	if len(externalEvents(t, r, uid)) == 0 {
		t.Error("no event tells of the edit")
	}
	wantClean(t, r)
}

// A plan that is edited after it was accepted makes the task changed, in the background too.
func TestAnEditedPlanIsNoticedAndImported(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	checkpointed(t, s)
	write(t, vespe(s, layout.TaskFile(uid, "plan.md")), "something else\n")
	r := open(t, s.Root(), testOptions())
	load(t, r)
	if !slices.Equal(r.Edited(), []model.UID{uid}) {
		t.Fatalf("edited are %v", r.Edited())
	}
	a := takeOver(t, r)
	if i, _ := a.Snapshot.Index(uid); a.Snapshot.Status(i) != model.StatusChanged {
		t.Errorf("the task is %s", a.Snapshot.Status(i))
	}
	wantClean(t, r)
}

// What is edited and set back is no edit.
func TestAnEditThatIsTakenBack(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	checkpointed(t, s)
	path := vespe(s, layout.TaskFile(uid, layout.StatusFile))
	was := read(t, path)
	forge(t, s, uid)
	load(t, s)
	if len(s.Edited()) != 1 {
		t.Fatal("the edit was not noticed")
	}
	write(t, path, was)
	if snap := load(t, s); len(s.Edited()) > 0 || len(snap.Problems()) > 0 {
		t.Errorf("still edited: %v %v", s.Edited(), snap.Problems())
	}
}

// A checkpoint that is written while an edit waits does not take it for what the log knows.
func TestACheckpointDoesNotSwallowAnEdit(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	checkpointed(t, s)
	forge(t, s, uid)
	r := open(t, s.Root(), testOptions())
	load(t, r)
	must(t, r.checkpoints.Write(t.Context()))
	n := open(t, s.Root(), testOptions())
	if got := task(t, load(t, n), uid).Status; got.AcceptedPlan != nil {
		t.Error("the acceptance counts after a checkpoint")
	}
	if !slices.Equal(n.Edited(), []model.UID{uid}) {
		t.Errorf("edited are %v", n.Edited())
	}
}

// gitIn runs git in a repository, with nobody's settings.
func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := tryGit(dir, args...)
	if err != nil && !slices.Contains(args, "merge") && !slices.Contains(args, "pop") {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

func tryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@t.invalid", "-c", "maintenance.auto=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_EDITOR=true")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Nothing but the files is needed to find out what was edited: marks only save looking.
func TestMarksSaveLooking(t *testing.T) {
	s := newStore(t)
	for i := range 20 {
		create(t, s, "task", strings.Repeat("x", i)+"\n")
	}
	past := s.now().AddDate(-1, 0, 0)
	err := filepath.WalkDir(vespe(s, layout.TasksDir), func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, past, past)
	})
	if err != nil {
		t.Fatal(err)
	}
	checkpointed(t, s)
	load(t, s)
	must(t, s.checkpoints.Write(t.Context()))
	r := open(t, s.Root(), testOptions())
	if _, ok, err := r.Warm(t.Context()); !ok || err != nil {
		t.Fatal(ok, err)
	}
	var all []model.UID
	snap, _ := r.loader.Current.Get()
	for i := range snap.Len() {
		all = append(all, snap.UID(i))
	}
	suspects, _, err := r.loader.Suspects(t.Context(), all, nil)
	if err != nil || len(suspects) > 0 {
		t.Errorf("%d tasks look other than they did: %v", len(suspects), err)
	}
	path := vespe(s, layout.TaskFile(all[3], layout.SpecFile))
	body := mustGet(json.Marshal(map[string]string{"description": "by hand"}))(t)
	write(t, path, string(body))
	if got := task(t, load(t, r), all[3]).Spec; got == nil || got.Description != "by hand" {
		t.Errorf("read as %+v", got)
	}
	if !bytes.Equal(r.edits.Marks.Encode(snap)[8*3:8*4], make([]byte, 8)) && !r.edits.IsEdited(all[3]) {
		t.Error("the edit was marked as known")
	}
}

// Who expects a revision of a task, and writes a file of it that was edited past vespe since,
// has not seen that: it is refused, the edit is taken over, and anyone who looks again can continue.
func TestAnEditIsNotOverwrittenUnseen(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	set := func(value string, rev int) error {
		_, err := s.Do(t.Context(), model.Op{
			Name: model.SetFields, UID: uid, Actor: robot, ExpectRevision: rev, Args: model.FieldEdit{Set: []model.Assignment{{Key: "description", Value: value}}},
		})
		return err
	}
	rev := task(t, load(t, s), uid).Status.Revision
	write(t, vespe(s, layout.TaskFile(uid, layout.SpecFile)), "{\n  \"description\": \"a person's, by hand\"\n}\n")
	var refused *model.Refusal
	if err := set("the agent's", rev); !errors.As(err, &refused) || refused.Code != model.CodeConflict {
		t.Fatalf("it was written over: %v", err)
	}
	now := task(t, load(t, s), uid)
	if now.Spec.Description != "a person's, by hand" || len(externalEvents(t, s, uid)) != 1 {
		t.Errorf("the description is %q, and the edit is %v", now.Spec.Description, externalEvents(t, s, uid))
	}
	if err := set("both", now.Status.Revision); err != nil {
		t.Error(err)
	}
	// What has nothing to do with the edit continues.
	write(t, vespe(s, layout.TaskFile(uid, layout.SpecFile)), "{\n  \"description\": \"by hand again\"\n}\n")
	if _, err := s.Do(t.Context(), model.Op{
		Name: model.RenameTask, UID: uid, Actor: robot, ExpectRevision: task(t, load(t, s), uid).Status.Revision, Args: model.NewName{Name: "two"},
	}); err != nil {
		t.Error(err)
	}
	wantClean(t, s)
}

// An id names one operation: another with the same id is not told that it was done.
func TestAnIDIsOfOneOperation(t *testing.T) {
	s := newStore(t)
	a, b := planned(t, s, "one"), planned(t, s, "two")
	first := model.Op{ID: "op", Name: model.RenameTask, UID: a, Actor: ann, Args: model.NewName{Name: "three"}}
	do(t, s, first)
	if again := do(t, s, first); !again.Replayed {
		t.Errorf("repeated it is %+v", again)
	}
	for _, other := range []model.Op{
		{ID: "op", Name: model.Abort, UID: a, Actor: ann, Reason: "no"}, {ID: "op", Name: model.RenameTask, UID: b, Actor: ann, Args: model.NewName{Name: "three"}},
	} {
		var refused *model.Refusal
		if _, err := s.Do(t.Context(), other); !errors.As(err, &refused) || refused.Guard != failure.GuardOpID {
			t.Errorf("%s of %s: %v", other.Name, other.UID, err)
		}
	}
}
