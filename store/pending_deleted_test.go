package store

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/pending"
)

// behind is a store with a task to which an entry gave a second comment and a second revision of its plan
// before, and that has neither: it was away. older and newer are what its review file was before the entry and
// after it.
func behind(t *testing.T) (s *Store, uid model.UID, seq uint64, older, newer string) {
	t.Helper()
	s = initIn(t, fastDir(t), testOptions())
	uid = commented(t, s)
	review := vespe(s, reviewAt(s, uid, 1))
	older = read(t, review)
	a := mustGet(s.Do(t.Context(), model.Op{Name: model.AddComment, UID: uid, Actor: ann, Args: model.Remarks{Comments: []model.NewComment{{Text: "and the other"}}}}))(t)
	newer = read(t, review)
	if older == newer {
		t.Fatal("the entry wrote no review")
	}
	write(t, review, older)
	_ = s.loader.Pending.Note(a.Seq, []model.UID{uid}, true)
	return s, uid, a.Seq, older, newer
}

// What a task missed is written only where that is what nobody has touched since: not over what somebody
// wrote, and not where a later entry is about the task.
func TestWhatATaskMissedIsNotWrittenOverAnything(t *testing.T) {
	for name, tt := range map[string]struct {
		before func(t *testing.T, s *Store, uid model.UID, seq uint64)
		want   func(older, newer string) string
	}{
		"nobody touched it": {want: func(_, newer string) string { return newer }},
		"somebody wrote there": {
			before: func(t *testing.T, s *Store, uid model.UID, _ uint64) {
				write(t, vespe(s, reviewAt(s, uid, 1)), "theirs\n")
			},
			want: func(string, string) string { return "theirs\n" },
		},
		"a later entry is about it": {
			before: func(t *testing.T, s *Store, uid model.UID, seq uint64) {
				must(t, s.disk.FS.Remove(pending.Projection{Seq: seq, UID: uid, Deleted: true}.File()))
				do(t, s, model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "priority", Value: "high"}}}})
				_ = s.loader.Pending.Note(seq, []model.UID{uid}, true)
			},
			want: func(older, _ string) string { return older },
		},
		"it can't be written": {
			before: func(_ *testing.T, s *Store, uid model.UID, _ uint64) {
				q := &seal{uid: uid}
				q.closed.Store(true)
				s.setFS(q.on(s.disk.FS))
			},
			want: func(older, _ string) string { return older },
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, uid, seq, older, newer := behind(t)
			if tt.before != nil {
				tt.before(t, s, uid, seq)
			}
			last := lastEntry(t, s)
			if _, warnings, err := s.loader.Pending.Finish(last); err != nil || len(warnings) > 0 {
				t.Errorf("it says %q, %v", warnings, err)
			}
			wantEqual(t, "the file", read(t, vespe(s, reviewAt(s, uid, 1))), tt.want(older, newer))
			if as, err := s.loader.Pending.All(); err != nil || len(as) > len(pending.Blocking(slices.Clone(as))) {
				t.Errorf("%v is still pending for it, %v", as, err)
			}
		})
	}
}

// A task that goes again while what it missed is written has it still to come.
func TestATaskThatGoesAgainMissesNothing(t *testing.T) {
	for reached, n := true, 1; reached && !t.Failed(); n++ {
		s, uid, _, _, newer := behind(t)
		dir, away := vespe(s, layout.TaskDir(uid)), filepath.Join(s.Root(), "away")
		plain := s.disk.FS
		disk, came := atCall(plain, n, func() {
			if err := os.Rename(dir, away); err != nil {
				t.Error(err)
			}
		})
		s.setFS(disk)
		last := lastEntry(t, s)
		_, _, _ = s.loader.Pending.Finish(last)
		s.setFS(plain)
		if reached = came(); !reached {
			continue
		}
		must(t, os.Rename(away, dir))
		if _, _, err := s.loader.Pending.Finish(last); err != nil {
			t.Fatal(err)
		}
		if got := read(t, vespe(s, reviewAt(s, uid, 1))); got != newer {
			t.Errorf("at call %d: it has %q", n, got)
		}
	}
}
