package store

import (
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/follow"
	"vespe/store/fsys"
	"vespe/store/layout"
)

const claude = model.Actor("agent:claude")

// asked files a request about a task and returns its id.
func asked(t testing.TB, s *Store, uid model.UID, title string) string {
	t.Helper()
	return do(t, s, model.Op{Name: model.Ask, UID: uid, Actor: claude, Args: model.NewRequest{
		Title: title, Kind: model.KindAction, Args: []byte(`{"command": "make"}`),
	}}).Change.Request
}

func decide(id string, d model.Decision, text string) model.Op {
	return model.Op{Name: model.AnswerRequest, Actor: ann, Args: model.Answering{Request: id, Decision: d, Text: text}}
}

// requestIn is a request of a snapshot.
func requestIn(t testing.TB, snap *snapshot.Snapshot, id string) model.Request {
	t.Helper()
	for _, r := range snap.Requests() {
		if r.ID == id {
			return r
		}
	}
	t.Fatalf("there is no request %s among %d", id, len(snap.Requests()))
	return model.Request{}
}

// claimed is the file of a request that says that a person accepted it.
func claimed(r model.Request) string {
	r.State = model.RequestAccepted
	r.Answer = &model.Answer{Decision: model.DecideAccept, By: ann, At: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), Text: "sure"}
	return string(model.EncodeRequest(r))
}

func failing(t testing.TB, s *Store, op model.Op) error {
	_, err := s.Do(t.Context(), op)
	return err
}

// overwriting does an operation that finds what somebody else wrote.
func overwriting(t testing.TB, s *Store, op model.Op) snapshot.Applied {
	t.Helper()
	a, err := s.Do(t.Context(), op)
	if err != nil || len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], ".theirs-") {
		t.Fatalf("%v, warnings %q", err, a.Warnings)
	}
	return a
}

func asRefusal(t testing.TB, err error) *model.Refusal {
	t.Helper()
	var r *model.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("the error is %v", err)
	}
	return r
}

// readings are all the ways in which a store is read.
func readings(t *testing.T, s *Store, want func(how string, snap *snapshot.Snapshot)) {
	t.Helper()
	want("load in the same process", load(t, s))
	must(t, s.loader.RefreshStoreFiles(t.Context()))
	snap, _ := s.loader.Current.Get()
	want("a look while it is followed", snap)
	closed(t, s)
	other := open(t, s.Root(), testOptions())
	snap, ok, err := other.Warm(t.Context())
	if err != nil || !ok {
		t.Fatalf("warm: %v, %v", ok, err)
	}
	want("warm", snap)
	want("load from a checkpoint", load(t, other))
	closed(t, other)
	for _, c := range globs(t, s, "log/snap-*.ck") {
		must(t, os.Remove(c))
	}
	another := open(t, s.Root(), testOptions())
	want("load without a checkpoint", load(t, another))
	closed(t, another)
}

// An answer that was written into a file is none, no matter who signed it and however it is read.
func TestForgedAnswers(t *testing.T) {
	says := func(snap *snapshot.Snapshot, id string) bool {
		return slices.ContainsFunc(snap.StoreProblems(), func(p model.Problem) bool {
			return p.Code == "not-believed" && strings.Contains(p.Path, id) && strings.Contains(p.Reason, "doesn't count")
		})
	}
	for name, forge := range map[string]func(t *testing.T, s *Store, uid model.UID) (id string){
		"of a request that was asked": func(t *testing.T, s *Store, uid model.UID) string {
			id := asked(t, s, uid, "clean")
			write(t, vespe(s, layout.RequestFile(id)), claimed(requestIn(t, load(t, s), id)))
			return id
		},
		"of a request that was written by hand": func(t *testing.T, s *Store, uid model.UID) string {
			write(t, vespe(s, layout.RequestFile("mine")), claimed(model.Request{ID: "mine", TaskUID: uid, Kind: model.KindAction, Title: "clean"}))
			return "mine"
		},
		"that was taken back": func(t *testing.T, s *Store, uid model.UID) string {
			id := asked(t, s, uid, "clean")
			do(t, s, decide(id, model.DecideAccept, ""))
			accepted := read(t, vespe(s, layout.RequestFile(id)))
			do(t, s, model.Op{Name: model.UndoVerdict, Actor: ann, UID: uid, Args: model.RequestRef{Request: id}})
			write(t, vespe(s, layout.RequestFile(id)), accepted)
			return id
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			uid := planned(t, s, "one")
			id := forge(t, s, uid)
			if i, ok := load(t, s).Index(uid); !ok || name != "of a request that was written by hand" && load(t, s).Status(i) != model.StatusWaiting {
				t.Error("the task does not wait")
			}
			body := read(t, vespe(s, layout.RequestFile(id)))
			readings(t, s, func(how string, snap *snapshot.Snapshot) {
				if r := requestIn(t, snap, id); r.State != model.RequestPending || r.Answer != nil {
					t.Errorf("%s: it is %s with the answer %+v", how, r.State, r.Answer)
				}
				if how != "warm" && !says(snap, id) {
					t.Errorf("%s: nobody says that it is forged: %v", how, snap.StoreProblems())
				}
			})
			s = open(t, s.Root(), testOptions())
			a := overwriting(t, s, decide(id, model.DecideDeny, "no"))
			if r := requestIn(t, a.Snapshot, id); r.State != model.RequestDenied || r.Answer.By != ann {
				t.Errorf("it is %+v", r)
			}
			if now := read(t, vespe(s, layout.RequestFile(id))); now == body {
				t.Error("the file still says what was forged")
			}
			if kept := globs(t, s, "hitl_queue/*.theirs-*"); len(kept) != 1 || read(t, kept[0]) != body {
				t.Errorf("what was forged is not kept: %q", kept)
			}
			readings(t, s, func(how string, snap *snapshot.Snapshot) {
				if r := requestIn(t, snap, id); r.State != model.RequestDenied || says(snap, id) {
					t.Errorf("%s: it is %s, problems %v", how, r.State, snap.StoreProblems())
				}
			})
		})
	}
}

// An answer that was taken back doesn't count while the entry that took it back can't be read.
func TestWithheldEntryOfARequest(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.EACCES} {
		s := newStore(t)
		uid := planned(t, s, "one")
		id := asked(t, s, uid, "clean")
		do(t, s, decide(id, model.DecideAccept, ""))
		accepted := read(t, vespe(s, layout.RequestFile(id)))
		r := open(t, s.Root(), testOptions())
		if got := requestIn(t, load(t, r), id); got.State != model.RequestAccepted {
			t.Fatalf("it is %s", got.State)
		}
		undone := do(t, s, model.Op{Name: model.UndoVerdict, Actor: ann, UID: uid, Args: model.RequestRef{Request: id}})
		write(t, vespe(s, layout.RequestFile(id)), accepted)
		plain := r.disk.FS
		r.setFS(withheld(plain, layout.EntryFile(undone.Seq), errno))
		known, _, err := r.loader.Requests.Logged(t.Context())
		var said *Failure
		if !errors.Is(err, errno) || !errors.As(err, &said) || said.Refusal.Hint == "" {
			t.Errorf("%v: the request is %s, and the error %v", errno, known[id].State, err)
		}
		r.setFS(plain)
		if got := requestIn(t, load(t, r), id); got.State != model.RequestPending {
			t.Errorf("%v: it is %s once the entry can be read", errno, got.State)
		}
	}
}

// What is asked is what was asked: a question that is written anew under a person's eyes is not
// what the person answers, and one that is taken away still waits.
func TestAskedPastVespe(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	id, gone := asked(t, s, uid, "clean"), asked(t, s, uid, "and this?")
	r := requestIn(t, load(t, s), id)
	r.Args = []byte(`{"command": "rm -r /"}`)
	write(t, vespe(s, layout.RequestFile(id)), string(model.EncodeRequest(r)))
	must(t, os.Remove(vespe(s, layout.RequestFile(gone))))
	readings(t, s, func(how string, snap *snapshot.Snapshot) {
		if r := requestIn(t, snap, id); string(r.Args) != `{"command": "make"}` {
			t.Errorf("%s: it asks %s", how, r.Args)
		}
		requestIn(t, snap, gone)
		if n := len(snap.StoreProblems()); how != "warm" && n != 2 {
			t.Errorf("%s: problems %v", how, snap.StoreProblems())
		}
	})
	s = open(t, s.Root(), testOptions())
	do(t, s, decide(gone, model.DecideAccept, ""))
	overwriting(t, s, decide(id, model.DecideAccept, ""))
	got, _ := model.DecodeRequest(id, []byte(read(t, vespe(s, layout.RequestFile(id)))))
	if string(got.Args) != `{"command": "make"}` || got.State != model.RequestAccepted {
		t.Errorf("the file says %+v", got)
	}
}

// A file that nobody gave to vespe asks as it stands now.
func TestAskedByHand(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	write(t, vespe(s, layout.RequestFile("mine")), `{"title":"which port?","task_uid":"`+string(uid)+`","created_by":"agent:claude"}`)
	snap := load(t, s)
	seen := requestIn(t, snap, "mine")
	if len(snap.StoreProblems()) > 0 || seen.State != model.RequestPending {
		t.Errorf("it is %+v, problems %v", seen, snap.StoreProblems())
	}
	write(t, vespe(s, layout.RequestFile("mine")), `{"title":"which host?","task_uid":"`+string(uid)+`"}`)
	// A checkpoint, which takes the memory of the snapshot over, leaves it out.
	must(t, s.checkpoints.Write(t.Context()))
	now, at := s.loader.Current.Get()
	o := mustGet(s.checkpoints.Open(at.Seq))(t)
	s.checkpoints.Repack(now, o.Snap)
	if snap, _ = s.loader.Current.Get(); len(o.Snap.Requests()) > 0 || requestIn(t, snap, "mine").Title != "which port?" {
		t.Errorf("the checkpoint has %d requests", len(o.Snap.Requests()))
	}
	op := decide("mine", model.DecideRespond, "80")
	by := model.ArgsOf[model.Answering](&op)
	by.Seen = seen.ContentHash()
	op.Args = by
	if r := asRefusal(t, failing(t, s, op)); r.Guard != model.GuardSeen || r.Code != model.CodeConflict {
		t.Errorf("it was refused by %s: %s", r.Guard, r.Why)
	}
	by.Seen = ""
	op.Args = by
	if r := requestIn(t, do(t, s, op).Snapshot, "mine"); r.Title != "which host?" || r.State != model.RequestResponded {
		t.Errorf("it is %+v", r)
	}
}

// The answers of a clone are believed where there is no log to compare with, and stay believed
// once there is one.
func TestRequestsOfAClone(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	id := asked(t, s, uid, "clean")
	do(t, s, decide(id, model.DecideAccept, ""))
	closed(t, s)
	for _, dir := range []string{layout.LogDir, layout.CacheDir, layout.ObjectsDir} {
		must(t, os.RemoveAll(vespe(s, dir)))
	}
	check := func(how string, snap *snapshot.Snapshot) {
		if r := requestIn(t, snap, id); r.State != model.RequestAccepted || len(snap.StoreProblems()) > 0 {
			t.Errorf("%s: it is %s, problems %v", how, r.State, snap.StoreProblems())
		}
	}
	c := open(t, s.Root(), testOptions())
	check("the first look", load(t, c))
	do(t, c, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "two"}})
	readings(t, c, check)
}

// An answer that was given twice at once is given once.
func TestTwoAnswersAtOnce(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	uid := planned(t, s, "one")
	for n := range 20 {
		id := asked(t, s, uid, "clean")
		other := open(t, s.Root(), Options{Now: newClock().now, Rand: entropy(uint64(n) + 2)})
		load(t, other)
		type outcome struct {
			who model.Actor
			err error
		}
		done := make(chan outcome, 2)
		for who, in := range map[model.Actor]*Store{ann: s, "human:bob": other} {
			go func() {
				op := decide(id, model.DecideDeny, "says "+string(who))
				op.Actor = who
				_, err := in.Do(t.Context(), op)
				done <- outcome{who, err}
			}()
		}
		a, b := <-done, <-done
		if a.err != nil {
			a, b = b, a
		}
		if a.err != nil || b.err == nil {
			t.Fatalf("%v and %v", a.err, b.err)
		}
		r := asRefusal(t, b.err)
		if r.Code != model.CodeConflict || !strings.Contains(r.Why, string(a.who)) || !strings.Contains(r.Why, "denied") {
			t.Errorf("the second is told %q (%s)", r.Why, r.Code)
		}
		if q := requestIn(t, load(t, other), id); q.Answer.By != a.who {
			t.Errorf("it was decided by %s", q.Answer.By)
		}
		closed(t, other)
	}
}

func TestAwait(t *testing.T) {
	t.Parallel()
	for name, watch := range map[string]func() (fsys.Watcher, error){
		"watched": fsys.NewWatcher, "blind": func() (fsys.Watcher, error) { return fsys.DeafWatcher{}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			uid := planned(t, s, "one")
			at := load(t, s).Seq()
			if head, err := follow.Await(t.Context(), s.root, s.Head, at, time.Millisecond, watch); err != nil || head != at {
				t.Errorf("nothing happened, and it says %d, %v", head, err)
			}
			got := make(chan uint64, 1)
			waiting := open(t, s.Root(), testOptions())
			go func() {
				head, _ := follow.Await(t.Context(), waiting.root, waiting.Head, at, time.Minute, watch)
				got <- head
			}()
			asked(t, s, uid, "clean")
			if head := <-got; head != at+1 {
				t.Errorf("it says %d after %d", head, at)
			}
			closed(t, waiting)
		})
	}
}
