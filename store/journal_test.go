package store

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vespe/internal/storetest"
	"vespe/model"
	"vespe/model/history"
	storehistory "vespe/store/history"
	"vespe/store/layout"
	"vespe/store/sections"
)

// A journal that is brought up to date is the one that is read anew, whatever happened: transitions,
// edits by hand, tasks that came and went.
func TestJournalKeepsUp(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	var j *history.Journal
	same := func(what string) {
		t.Helper()
		var err error
		if j, err = s.Journal(ctx, j, nil); err != nil {
			t.Fatal(what, err)
		}
		whole, err := s.Journal(ctx, nil, nil)
		if err != nil {
			t.Fatal(what, err)
		}
		if whole.Len() != j.Len() || whole.Head() != j.Head() || len(whole.Tasks()) != len(j.Tasks()) {
			t.Fatalf("%s: %d events of %d tasks at %d, read anew %d of %d at %d", what,
				j.Len(), len(j.Tasks()), j.Head(), whole.Len(), len(whole.Tasks()), whole.Head())
		}
		for i := range whole.Len() {
			ca, a := whole.At(i)
			cb, b := j.At(i)
			if ca.UID != cb.UID || *a != *b {
				t.Fatalf("%s: event %d is %s %v, read anew %s %v", what, i, cb.UID, b, ca.UID, a)
			}
		}
	}
	same("empty")
	one, two := create(t, s, "one", ""), create(t, s, "two", "")
	same("two tasks")
	do := func(op model.Op) {
		t.Helper()
		op.Actor = "human:ann"
		mustGet(s.Do(ctx, op))(t)
	}
	do(model.Op{Name: model.DefineObjective, UID: one, Args: model.NewObjective{Text: "do it\n"}})
	do(model.Op{Name: model.DefinePlan, UID: one, Args: model.NewPlan{Text: "like this\n"}})
	do(model.Op{Name: model.AcceptPlan, UID: one})
	same("accepted")
	wantEqual(t, "moments", len(j.Of(one).Moments), 4)
	if st := j.Of(one).Stages; len(st) != 4 || st[3].Status != model.StatusReady {
		t.Errorf("its stages are %v", st)
	}
	must(t, os.WriteFile(filepath.Join(s.Root(), layout.Name, "tasks", string(two), "objective.md"), []byte("by hand\n"), 0o644))
	mustGet(s.Load(ctx, nil))(t)
	do(model.Op{Name: model.RenameTask, UID: two, Args: model.NewName{Name: "another"}})
	same("edited")
	if len(j.Activity(history.Sieve{Kinds: []history.EventKind{history.KindEdit}})) != 1 {
		t.Error("the edit is not among the events")
	}
	must(t, os.RemoveAll(filepath.Join(s.Root(), layout.Name, "tasks", string(two))))
	create(t, s, "three", "")
	same("gone")
	name := "Beta"
	do(model.Op{Name: model.CreateMilestone, Args: model.MilestoneEdit{ID: "M1", Name: &name}})
	same("a milestone")
	do(model.Op{Name: model.RemoveMilestone, Args: model.MilestoneEdit{ID: "M1"}})
	same("it is gone again")
	if c := j.Of(""); c == nil || len(c.Moments) != 2 || c.Moments[1].Name() != model.RemoveMilestone || len(c.Stages) != 0 {
		t.Errorf("of milestones: %+v", c)
	}
}

// What was written down says what reading everything says, and is used only where it can be.
func TestJournalIsKept(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	dir := filepath.Join(s.Root(), layout.Name)
	must(t, storetest.Write(dir, storetest.Project(storehistory.Least+10), 0))
	load(t, s)
	rename := func(i int) {
		t.Helper()
		do(t, s, model.Op{Name: model.RenameTask, UID: storetest.UID(i), Args: model.NewName{Name: "another"}, Actor: "human:ann"})
	}
	rename(1)
	file := filepath.Join(dir, storehistory.File)
	check := func(what string, used bool) {
		t.Helper()
		if got := storehistory.Kept(s.journals) != nil; got != used {
			t.Errorf("%s: it is used: %v", what, got)
		}
		j, err := s.Journal(ctx, nil, nil)
		if err != nil {
			t.Fatal(what, err)
		}
		want, err := open(t, s.Root(), Options{ReadOnly: true}).JournalFresh(ctx, nil)
		if err != nil {
			t.Fatal(what, err)
		}
		if string(want.Pack()) != string(j.Pack()) {
			t.Errorf("%s: %d events, read anew %d", what, j.Len(), want.Len())
		}
	}
	check("at first", false)
	check("once it was written", true)
	rename(2)
	check("with more", true)
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	now, err := s.Journal(ctx, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for form, used := range map[string]bool{string(body[:8]): true, "VESPEJR4": false} {
		must(t, sections.WriteCache(s.disk.FS, s.disk.TempName("journal"), storehistory.File, form, []byte(s.log.HashOfEntry(now.Head())), now.Pack()))
		check("in the form "+form, used)
	}
	torn := append([]byte(nil), body...)
	torn[len(torn)/2] ^= 1
	must(t, os.WriteFile(file, torn, 0o644))
	check("damaged", false)
	body = mustGet(os.ReadFile(file))(t)
	must(t, os.WriteFile(file+".copy", body, 0o644))
	must(t, os.Rename(file+".copy", file))
	check("copied", false)
	rename(3)
	j := mustGet(s.JournalFresh(ctx, nil))(t)
	must(t, os.Remove(filepath.Join(dir, filepath.FromSlash(layout.EntryFile(j.Head())))))
	if storehistory.Kept(s.journals) != nil {
		t.Error("that of an entry that is not there is used")
	}
}

// BenchmarkJournal is reading what happened to 10,000 tasks, and bringing it up to date.
func BenchmarkJournal(b *testing.B) {
	const n = 10_000
	dir, err := os.MkdirTemp("/dev/shm", "vespe-journal-")
	if err != nil {
		dir, err = os.MkdirTemp("", "vespe-journal-")
	}
	if err != nil {
		b.Fatal(err)
	}
	defer storetest.Remove(dir)
	s := initIn(b, dir, Options{})
	must(b, storetest.Write(filepath.Join(dir, layout.Name), storetest.Project(n), 0))
	must(b, storetest.WriteLives(filepath.Join(dir, layout.Name), n))
	ctx := context.Background()
	mustGet(s.Load(ctx, nil))(b)
	var j *history.Journal
	var whole, more time.Duration
	rounds := 0
	for b.Loop() {
		start := time.Now()
		if j, err = s.JournalFresh(ctx, nil); err != nil {
			b.Fatal(err)
		}
		whole += time.Since(start)
		mustGet(s.Do(ctx, model.Op{Name: model.RenameTask, UID: storetest.UID(rounds), Args: model.NewName{Name: "another"}, Actor: "human:ann"}))(b)
		start = time.Now()
		next, err := s.Journal(ctx, j, nil)
		if err != nil || next.Len() != j.Len()+1 {
			b.Fatal(next.Len(), j.Len(), err)
		}
		more += time.Since(start)
		rounds++
	}
	if _, err := s.JournalFresh(ctx, nil); err != nil { // which is kept
		b.Fatal(err)
	}
	start := time.Now()
	for range rounds {
		if again, err := s.Journal(ctx, nil, nil); err != nil || again.Len() <= n {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(time.Since(start).Milliseconds())/float64(rounds), "ms-kept≤200")
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(j.Len()), "events")
	b.ReportMetric(float64(whole.Milliseconds())/float64(rounds), "ms-whole")
	b.ReportMetric(float64(more.Microseconds())/float64(rounds)/1000, "ms-update")
	b.ReportMetric(float64(more)/float64(whole), "update/whole≤0.1")
}

// What was asked without a task, and the answer, is in the journal: read at once, and when it is brought up to date.
func TestJournalOfRequestsWithoutATask(t *testing.T) {
	s := newStore(t)
	planned(t, s, "one")
	was, err := s.Journal(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	id := asked(t, s, "", "clean")
	op := decide(id, model.DecideDeny, "not today")
	op.Channel = model.ChannelCLI
	do(t, s, op)
	for how, from := range map[string]*history.Journal{"at once": nil, "brought up to date": was} {
		j := mustGet(s.Journal(t.Context(), from, nil))(t)
		var got []string
		for _, i := range j.Activity(history.Sieve{Kinds: []history.EventKind{history.KindRequest}}) {
			_, m := j.At(int(i))
			got = append(got, strings.Join([]string{string(m.Name()), string(m.Actor()), m.Channel(), m.Summary}, "|"))
		}
		if len(got) != 2 || !strings.HasPrefix(got[0], "answer|human:ann|cli|") || !strings.Contains(got[0], "clean") || !strings.HasPrefix(got[1], "ask|agent:claude|") {
			t.Errorf("%s: %q", how, got)
		}
	}
}
