package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/decompose"
	"vespe/model/snapshot"
	"vespe/store/layout"
)

// Guidelines and rules are written as they were seen, or not at all; what stood there is kept in the log, and people continue editing them.
func TestEditGuidance(t *testing.T) {
	s := newStore(t)
	path := vespe(s, model.GuidelinesFile)
	edit := func(was, is string, decided ...model.Proposed) model.Op {
		f := model.GuidanceFile{Name: model.GuidelinesFile, Body: []byte(is)}
		if was != "" {
			f.Was = model.HashBytes([]byte(was))
		}
		return model.Op{Name: model.EditGuidance, Actor: ann, Args: model.Guidance{Files: []model.GuidanceFile{f}, Decided: decided}}
	}
	do(t, s, edit("", "one\n", model.Proposed{Key: "a", Accepted: true}))
	wantEqual(t, "guidelines", read(t, path), "one\n")
	must(t, os.WriteFile(path, []byte("one\nby hand\n"), 0o644))
	_, err := s.Do(t.Context(), edit("one\n", "two\n"))
	if !refused(err, model.CodeConflict) {
		t.Errorf("written over an edit: %v", err)
	}
	a := do(t, s, edit("one\nby hand\n", "one\nby hand\ntwo\n", model.Proposed{Key: "b"}, model.Proposed{Key: "a"}))
	kept := read(t, vespe(s, layout.EntryFile(a.Seq)))
	if !strings.Contains(kept, `one\nby hand\n`) || !strings.Contains(kept, a.Change.Summary) {
		t.Errorf("the entry does not keep what was edited by hand:\n%s", kept)
	}
	decided, err := open(t, s.Root(), testOptions()).Decided(t.Context())
	if err != nil || len(decided) != 2 || decided[0].Key != "b" || decided[1].Key != "a" || decided[1].Accepted || decided[0].By != ann {
		t.Errorf("decided %+v, %v", decided, err)
	}
	do(t, s, model.Op{Name: model.EditGuidance, Actor: ann, Args: model.Guidance{Files: []model.GuidanceFile{{Name: model.PriorityFile, Body: []byte("default: low\n")}}}})
	for _, bad := range []model.Args{
		nil,
		model.Guidance{},
		model.Guidance{Files: []model.GuidanceFile{{Name: "config.json"}}},
		model.Guidance{Files: []model.GuidanceFile{{Name: "../x"}}},
		model.Guidance{Decided: []model.Proposed{{}}},
		model.Guidance{Files: []model.GuidanceFile{{Name: model.GuidelinesFile, Body: []byte("\xff")}}},
	} {
		if _, err := s.Do(t.Context(), model.Op{Name: model.EditGuidance, Actor: ann, Args: bad}); err == nil {
			t.Errorf("%+v was done", bad)
		}
	}
	if _, err := s.Do(t.Context(), model.Op{Name: model.EditGuidance, Actor: robot, Args: model.Guidance{Decided: []model.Proposed{{Key: "x"}}}}); !refused(err, model.CodeDenied) {
		t.Errorf("an agent decided: %v", err)
	}
	// Edited, and taken away: neither is wrong.
	must(t, os.Remove(path))
	must(t, os.WriteFile(vespe(s, model.PriorityFile), []byte("default: high\n"), 0o644))
	report, err := s.Fsck().Verify(t.Context(), "")
	if err != nil || len(report.Problems) > 0 {
		t.Errorf("verify: %+v, %v", report.Problems, err)
	}
}

// The tasks of a plan are one entry of the log, and anyone who opens the store finds that they are there.
func TestDecomposingAPlanIsOneTransaction(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "ledger")
	plan := "## Task 1: Read\n- Modify: `a.go`\n## Task 2: Write\n- Modify: `b.go`\n- Modify: `link/c.go`\nDepends on: T1\n"
	do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: plan}})
	last := do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	must(t, os.WriteFile(filepath.Join(s.Root(), "a.go"), nil, 0o644))
	outside := t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, "c.go"), nil, 0o644))
	must(t, os.Symlink(outside, filepath.Join(s.Root(), "link")))
	propose := func(s *Store, snap *snapshot.Snapshot) *decompose.Proposal {
		t.Helper()
		task, _ := snap.Task(uid)
		p := mustGet(s.Proposal(t.Context(), snap, task))(t)
		return p
	}
	p := propose(s, last.Snapshot)
	if len(p.Items[0].Notes) != 1 || len(p.Items[1].Notes) != 2 || p.Items[1].Notes[0] != "files to modify that don't exist: b.go, link/c.go" {
		t.Errorf("notes %q, %q", p.Items[0].Notes, p.Items[1].Notes)
	}
	op := model.Op{ID: "plan", Name: model.Decompose, UID: uid, Actor: ann, Args: p.Decomposition()}
	a := do(t, s, op)
	if a.Seq != last.Seq+1 {
		t.Errorf("the log went from %d to %d", last.Seq, a.Seq)
	}
	other := open(t, s.Root(), testOptions())
	snap := load(t, other)
	p = propose(other, snap)
	for i := range p.Items {
		if p.Fates[i].There == "" {
			t.Errorf("%s is not there", p.Items[i].Key)
		}
	}
	write := p.Fates[1].There
	if text := read(t, vespe(s, "tasks/"+string(write)+"/plan.md")); !strings.HasSuffix(text, "## Task 2: Write\n- Modify: `b.go`\n- Modify: `link/c.go`\nDepends on: T1\n") {
		t.Errorf("plan of a task: %s", text)
	}
	if again := do(t, s, op); !again.Replayed {
		t.Error("it was done again")
	}
	op.ID = "twice"
	if _, err := s.Do(t.Context(), op); err == nil {
		t.Error("it was made twice")
	}
	// Another plan, accepted later, proposes what has another name, and knows what was made of the one before.
	do(t, s, model.Op{Name: model.Replan, UID: uid, Actor: ann, Reason: "more"}, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: plan + "## Task 3: Ship\n"}})
	p = propose(s, do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann}).Snapshot)
	if in := p.In(); len(in) != 1 || p.Items[in[0]].Key != "T3" {
		t.Errorf("in %v", in)
	}
	var none decompose.None
	if _, err := s.Propose(snap, p.Task, "no list"); !errors.As(err, &none) {
		t.Error(err)
	}
}
