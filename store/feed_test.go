package store

import (
	"os"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// TestEvents: what the log says happened, from an entry on or the last of it; an entry or a
// body that cannot be read hides no other.
func TestEvents(t *testing.T) {
	s, uids := longStore(t, 6)
	names := func(after uint64, limit int) (string, Feed) {
		f := mustGet(s.Events(t.Context(), after, limit))(t)
		var out []string
		for _, e := range f.Events {
			out = append(out, string(e.Name)+" "+string(e.UID[len(e.UID)-4:]))
		}
		return strings.Join(out, ", "), f
	}
	all, f := names(0, 0)
	if len(f.Events) < 6 || f.Head != 6 || len(f.Problems) > 0 {
		t.Fatalf("%s; head %d, problems %v", all, f.Head, f.Problems)
	}
	last, _ := names(0, 2)
	if !strings.HasSuffix(all, last) || strings.Count(last, ",") != 1 {
		t.Errorf("the last two of %s are %s", all, last)
	}
	later, f := names(4, 0)
	if !strings.HasSuffix(all, later) || f.Events[0].Seq != 5 {
		t.Errorf("after entry 4 of %s: %s", all, later)
	}
	for _, e := range f.Of(uids[0]) {
		if e.UID != uids[0] {
			t.Errorf("of %s there is %+v", uids[0], e)
		}
	}
	if n := len(f.Of(uids[0])) + len(f.Of(uids[1])); n != len(f.Events) || len(f.Of(uids[0])) == 0 {
		t.Errorf("%d events are of the two, and there are %d", n, len(f.Events))
	}
	if none, f := names(6, 0); none != "" || f.Head != 6 {
		t.Errorf("after the last: %s, head %d", none, f.Head)
	}

	must(t, os.WriteFile(vespe(s, layout.EntryFile(3)), []byte("{"), 0o600))
	reader := open(t, s.Root(), testOptions())
	broken := mustGet(reader.Events(t.Context(), 0, 0))(t)
	var seqs []uint64
	for _, e := range broken.Events {
		if e.Seq == 3 {
			t.Errorf("the broken entry says %+v", e)
		}
		seqs = append(seqs, e.Seq)
	}
	if len(seqs) == 0 || seqs[0] != 1 || seqs[len(seqs)-1] != 6 {
		t.Errorf("around the broken entry there are %v", seqs)
	}
	if len(broken.Problems) != 1 || broken.Problems[0].Severity != model.Error || !strings.Contains(broken.Problems[0].Path, "log/") {
		t.Errorf("the problems are %+v", broken.Problems)
	}
}

// A gap in the log is no end of it.
func TestEventsAcrossAGap(t *testing.T) {
	s, _ := longStore(t, 6)
	must(t, os.Remove(vespe(s, layout.EntryFile(3))))
	f, err := open(t, s.Root(), testOptions()).Events(t.Context(), 0, 0)
	if err != nil || len(f.Events) == 0 || f.Events[0].Seq != 1 || f.Events[len(f.Events)-1].Seq != 6 {
		t.Errorf("events %+v, %v", f.Events, err)
	}
	wantProblem(t, f.Problems, "log-broken", "000000000003.json")
}

// Where entries are missing or cannot be read, what they do not concern can still be told.
func TestLookingBackAcrossAGap(t *testing.T) {
	c := newClock()
	s := initIn(t, fastDir(t), Options{Now: c.now, Rand: entropy(1)})
	_, at, then, _ := life(t, s, c)
	must(t, os.Remove(vespe(s, layout.EntryFile(5))))
	must(t, os.WriteFile(vespe(s, layout.EntryFile(7)), []byte("{"), 0o600))
	s = open(t, s.Root(), testOptions())
	p := lookBack(t, s, at[4])
	same(t, "before it", dump(then[4]), dump(p.Snapshot))
	wantProblem(t, p.Problems, "log-broken", "000000000005.json")
	if len(p.Problems) != 2 {
		t.Errorf("problems %+v", p.Problems)
	}
	for _, seq := range []uint64{5, 6} {
		if _, err := s.Past().AtSeq(t.Context(), seq); !refused(err, model.CodeInvalid) || !strings.Contains(err.Error(), "entry 5 of the log is missing") {
			t.Errorf("at entry %d: %v", seq, err)
		}
	}
}

// A log of which an entry in the middle is gone is not taken for a shorter one, by anyone who
// comes: its number would be used twice.
func TestAGapIsNotTheEnd(t *testing.T) {
	for i, gone := range []uint64{1, 2, 3, 5, 1, 2, 3, 5} {
		s, uids := longStore(t, 6)
		for _, name := range append(globs(t, s, "log/*.ck"), vespe(s, layout.EntryFile(gone))) {
			must(t, os.Remove(name))
		}
		if i < 4 { // else there is what the last writer noted
			must(t, os.RemoveAll(vespe(s, layout.CacheDir)))
		}
		r := open(t, s.Root(), testOptions())
		if seq, err := r.Head(t.Context()); err != nil || seq != 6 {
			t.Errorf("without entry %d the last is %d, %v", gone, seq, err)
		}
		if _, err := r.Do(t.Context(), model.Op{Name: model.RenameTask, UID: uids[0], Actor: ann, Args: model.NewName{Name: "x"}}); err == nil {
			if _, err := os.Stat(vespe(s, layout.EntryFile(gone))); err == nil {
				t.Errorf("number %d was given again", gone)
			}
		}
	}
}
