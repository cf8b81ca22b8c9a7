package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/edits"
	"vespe/store/follow"
	"vespe/store/layout"
	"vespe/store/sections"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// newer makes a store one of the format after this one.
func newer(t testing.TB, s *Store) {
	t.Helper()
	path := vespe(s, layout.StoreFile)
	body := strings.Replace(read(t, path), fmt.Sprintf(`"format":%d`, Format), fmt.Sprintf(`"of_that_time":[1],"format":%d`, Format+1), 1)
	if !strings.Contains(body, "of_that_time") {
		t.Fatalf("store.json is %s", body)
	}
	write(t, path, body)
}

// A store of a newer format opens for reading, and nothing whatever is written to it: by no
// method, on no way of opening and closing it, whatever is unfinished or missing in it.
func TestNewerFormatsAreOnlyRead(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, s *Store){
		"as it is": func(*testing.T, *Store) {},
		"a clone, without machinery": func(t *testing.T, s *Store) {
			for _, d := range []string{layout.LogDir, layout.ObjectsDir, layout.TmpDir, layout.CacheDir, layout.LockFile} {
				must(t, os.RemoveAll(vespe(s, d)))
			}
		},
		"a transaction is unfinished": func(t *testing.T, s *Store) {
			n := open(t, s.Root(), testOptions())
			uid := create(t, n, "new", "objective\n")
			e := entryAt(t, n, do(t, n, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "plan\n"}}).Seq)
			setBack(t, n, e)
			must(t, os.Remove(vespe(n, layout.ProjectedTip)))
		},
		"a task was edited": func(t *testing.T, s *Store) {
			n := open(t, s.Root(), testOptions())
			create(t, n, "new", "")
			checkpointed(t, n)
			write(t, vespe(s, layout.TaskFile(load(t, n).UID(0), "plan.md")), "by hand\n")
		},
		"something is pending": func(t *testing.T, s *Store) {
			n := open(t, s.Root(), testOptions())
			uid := load(t, n).UID(0)
			a := do(t, n, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "renamed"}})
			must(t, n.loader.Pending.Note(a.Seq, []model.UID{uid}, false))
		},
	} {
		t.Run(name, func(t *testing.T) {
			from := open(t, fixture(t, Format), testOptions())
			damage(t, from)
			newer(t, from)
			before := tree(t, from.Root())
			s := open(t, from.Root(), testOptions())
			if why := s.ReadOnly(); !strings.Contains(why, fmt.Sprint("format ", Format+1)) {
				t.Errorf("it says %q", why)
			}
			ctx, cancel := context.WithCancel(t.Context())
			s.Follow(ctx, follow.Options{})
			says(t, s)
			refusesAll(t, s)
			cancel()
			must(t, s.Close())
			if after := tree(t, from.Root()); after != before {
				same(t, "reading and refusing", before, after)
			}
		})
	}
}

// refusesAll calls everything that writes.
func refusesAll(t *testing.T, s *Store) {
	t.Helper()
	ctx := t.Context()
	uid := load(t, s).UID(0)
	for name, err := range map[string]error{
		"Do":         second(s.Do(ctx, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "x"}})),
		"DoAll":      second(s.DoAll(ctx, []model.Op{{Name: model.ExternalEdit, UID: uid, Actor: edits.ActorExternal}})),
		"Repair":     second(s.Fsck().Repair(ctx, false)),
		"Init":       second(Init(s.Root(), testOptions())),
		"dry Repair": second(s.Fsck().Repair(ctx, true)),
		"Identify":   identified(s),
	} {
		var r *model.Refusal
		if !errors.As(err, &r) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if text := r.Why + r.Hint; name != "Init" && (!strings.Contains(text, "update vespe") || !strings.Contains(text, fmt.Sprint("format ", Format+1))) {
			t.Errorf("%s says %s (%s)", name, r.Why, r.Hint)
		}
	}
	if a, err := s.ImportEdits(ctx, nil); err == nil && a.Change != nil {
		t.Errorf("ImportEdits did %+v", a.Change)
	}
	if warnings := s.RecordGit(ctx); len(warnings) > 0 {
		t.Errorf("RecordGit: %v", warnings)
	}
}

func second[T any](_ T, err error) error { return err }

// identified is what Identify says of a store; one that has an identity is asked by another way.
func identified(s *Store) error {
	id := s.ID()
	s.setID("")
	err := s.Identify(nil) //nolint:staticcheck // it must refuse before it asks its context
	s.setID(id)
	return err
}

// What a newer vespe derived is made again; what it wrote down for good is not guessed at:
// the store is read as far as it goes, says what is the matter, and nothing is written.
func TestNewerParts(t *testing.T) {
	t.Run("checkpoint", func(t *testing.T) {
		s := newStore(t)
		uid := planned(t, s, "one")
		checkpointed(t, s)
		want := dump(load(t, s))
		name := globs(t, s, "log/snap-*.ck")[0]
		nextVersion(t, name)
		n := open(t, s.Root(), testOptions())
		if _, ok, err := n.Warm(t.Context()); ok || err != nil {
			t.Errorf("a checkpoint of a newer version was used: %v", err)
		}
		same(t, "read without it", want, dump(load(t, n)))
		do(t, n, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "x"}})
		must(t, n.Close())
		n = open(t, s.Root(), testOptions())
		if _, ok, err := n.Warm(t.Context()); !ok || err != nil {
			t.Errorf("there is no other one: %v", err)
		}
		healthy(t, n)
	})
	t.Run("entry", func(t *testing.T) {
		s := newStore(t)
		uid := planned(t, s, "one")
		want := task(t, load(t, s), uid)
		last := lastEntry(t, s)
		path := vespe(s, layout.EntryFile(last))
		write(t, path, strings.Replace(read(t, path), fmt.Sprintf(`"format": %d`, txlog.EntryFormat), fmt.Sprintf(`"format": %d`, txlog.EntryFormat+1), 1))
		untouched(t, s, fmt.Sprint("has format ", txlog.EntryFormat+1), func(snap *snapshot.Snapshot) {
			if got := task(t, snap, uid); !taskfiles.SameTask(got, want) {
				t.Errorf("the task is %+v", got)
			}
		})
	})
}

func removeSnapshots(t *testing.T, s *Store) {
	t.Helper()
	for _, name := range globs(t, s, "log/snap-*.ck") {
		must(t, os.Remove(name))
	}
}

// nextVersion makes a file of sections one of the version after this one.
func nextVersion(t *testing.T, path string) {
	t.Helper()
	b := []byte(read(t, path))
	binary.LittleEndian.PutUint32(b[8:], sections.Version+1)
	write(t, path, string(b))
}

// untouched: a new process reads what there is, the doctor says what is the matter and that a
// newer vespe helps, and nothing is written.
func untouched(t *testing.T, s *Store, reason string, check func(*snapshot.Snapshot)) {
	t.Helper()
	n := open(t, s.Root(), testOptions())
	snap := load(t, n)
	check(snap)
	before := tree(t, s.Root())
	_, err := n.Do(t.Context(), model.Op{Name: model.RenameTask, UID: snap.UID(0), Actor: ann, Args: model.NewName{Name: "x"}})
	var r *model.Refusal
	if !errors.As(err, &r) || !strings.Contains(err.Error(), reason) || !strings.Contains(r.Hint, "update vespe") {
		t.Errorf("a transaction: %v", err)
	}
	ps := doctor(t, n)
	found := false
	for _, p := range ps {
		found = found || strings.Contains(p.Reason, reason) && strings.Contains(p.Hint, "update vespe")
	}
	if !found {
		t.Errorf("the doctor says %+v", ps)
	}
	if _, err := n.Fsck().Repair(t.Context(), false); err == nil {
		t.Error("the doctor repaired it")
	}
	same(t, "refusing", before, tree(t, s.Root()))
}
