package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/lifecycle/binding"
	"vespe/model/review"
	"vespe/store/layout"
)

// taskFilesOf is a copy of a task's directory.
func taskFilesOf(t *testing.T, s *Store, uid model.UID) (dir string) {
	t.Helper()
	dir = fastDir(t)
	copyOver(t, vespe(s, layout.TaskDir(uid)), dir)
	return dir
}

func copyOver(t *testing.T, from, to string) {
	t.Helper()
	must(t, copyNamed(from, to, func(name string) string { return name }))
}

// seals are keys of a test: what is signed with them is the statement and a word that others do not know.
type seals struct{}

func (seals) of(statement []byte) string {
	return model.HashBytes(append([]byte("secret"), statement...))
}

func (k seals) Attest(a review.Approval) review.Attested {
	switch a.Signature {
	case "":
		return review.Attested{}
	case k.of(a.Statement()):
		return review.Attested{Level: review.LevelSigned}
	}
	return review.Attested{False: true, Why: "it is of something else"}
}

func (seals) Required(string) (review.Level, error) { return review.LevelSigned, nil }

// acceptSealed accepts a plan as a person with a key does.
func acceptSealed(t *testing.T, s *Store, uid model.UID, by model.Actor) {
	t.Helper()
	seen, _ := seenNow(t, s, uid, model.AcceptPlan)
	op := model.Op{ID: "by-" + by.Name(), Name: model.AcceptPlan, UID: uid, Actor: by, At: s.now(), Seen: seen}
	statement, _ := binding.SignedOp(s.StoreID(), &op)
	op.Signature = seals{}.of(statement)
	do(t, s, op)
}

// Anyone who can write the files of a store has a person's approvals at hand, genuine ones, and may put them
// where they were never given: nothing starts by them, for the process that wrote them and for one that
// comes and knows nothing but the files and the log. In a task that the log never named, as after a clone, it
// takes a signature.
func TestApprovalsPutWhereTheyWereNotGiven(t *testing.T) {
	again := func(t *testing.T, s *Store, uid model.UID) {
		t.Helper()
		do(t, s, model.Op{Name: model.Replan, UID: uid, Actor: ann, Reason: "another way"},
			model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "another plan\n"}})
	}
	for name, attack := range map[string]func(t *testing.T, s *Store, uid model.UID) (target model.UID){
		"all of an older revision, after another was rejected": func(t *testing.T, s *Store, uid model.UID) model.UID {
			was := taskFilesOf(t, s, uid)
			again(t, s, uid)
			do(t, s, model.Op{Name: model.RejectPlan, UID: uid, Actor: ann, Reason: "no"})
			copyOver(t, was, vespe(s, layout.TaskDir(uid)))
			return uid
		},
		"all of an older revision, while another waits": func(t *testing.T, s *Store, uid model.UID) model.UID {
			was := taskFilesOf(t, s, uid)
			again(t, s, uid)
			copyOver(t, was, vespe(s, layout.TaskDir(uid)))
			return uid
		},
		"one that was taken back": func(t *testing.T, s *Store, uid model.UID) model.UID {
			was := taskFilesOf(t, s, uid)
			do(t, s, model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
			copyOver(t, was, vespe(s, layout.TaskDir(uid)))
			return uid
		},
		"of another task, with its files": func(t *testing.T, s *Store, uid model.UID) model.UID {
			other := planned(t, s, "other")
			copyOver(t, vespe(s, layout.TaskDir(uid)), vespe(s, layout.TaskDir(other)))
			own := strings.ReplaceAll(read(t, vespe(s, layout.TaskFile(other, layout.ConfigFile))), string(uid), string(other))
			write(t, vespe(s, layout.TaskFile(other, layout.ConfigFile)), own)
			return other
		},
		"of another task, made out to this one": func(t *testing.T, s *Store, uid model.UID) model.UID {
			other := planned(t, s, "other")
			approval := globName(t, s, layout.TaskFile(uid, "approvals/accept-*.json"))
			mine := strings.ReplaceAll(read(t, vespe(s, approval)), string(uid), string(other))
			status := read(t, vespe(s, layout.TaskFile(uid, layout.StatusFile)))
			status = strings.ReplaceAll(status, model.HashBytes([]byte(read(t, vespe(s, approval)))), model.HashBytes([]byte(mine)))
			copyOver(t, vespe(s, layout.TaskDir(uid)), vespe(s, layout.TaskDir(other)))
			write(t, vespe(s, layout.TaskFile(other, layout.ApprovalsDir+"/"+filepath.Base(approval))), mine)
			write(t, vespe(s, layout.TaskFile(other, layout.StatusFile)), status)
			write(t, vespe(s, layout.TaskFile(other, layout.ConfigFile)), strings.ReplaceAll(read(t, vespe(s, layout.TaskFile(other, layout.ConfigFile))), string(uid), string(other)))
			return other
		},
		"a new task that is a copy": func(t *testing.T, s *Store, uid model.UID) model.UID {
			const other = model.UID("tsk-copied")
			copyOver(t, vespe(s, layout.TaskDir(uid)), vespe(s, layout.TaskDir(other)))
			approval := globName(t, s, layout.TaskFile(other, "approvals/accept-*.json"))
			given := read(t, vespe(s, approval))
			for _, path := range []string{vespe(s, layout.TaskFile(other, layout.ConfigFile)), vespe(s, layout.TaskFile(other, layout.StatusFile)), vespe(s, approval)} {
				body := strings.ReplaceAll(read(t, path), string(uid), string(other))
				write(t, path, strings.ReplaceAll(body, model.HashBytes([]byte(given)), model.HashBytes([]byte(strings.ReplaceAll(given, string(uid), string(other))))))
			}
			return other
		},
		"of another store": func(t *testing.T, s *Store, uid model.UID) model.UID {
			from := initIn(t, fastDir(t), Options{Now: newClock().now, Rand: entropy(99)})
			theirs := planned(t, from, "theirs")
			acceptSealed(t, from, theirs, ann)
			copyOver(t, vespe(from, layout.TaskDir(theirs)), vespe(s, layout.TaskDir(theirs)))
			return theirs
		},
		"the first of two": func(t *testing.T, s *Store, uid model.UID) model.UID {
			status := read(t, vespe(s, layout.TaskFile(uid, layout.StatusFile)))
			do(t, s, model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
			acceptSealed(t, s, uid, "human:bob")
			do(t, s, model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
			write(t, vespe(s, layout.TaskFile(uid, layout.StatusFile)), status)
			return uid
		},
		"a review file that says accepted": func(t *testing.T, s *Store, uid model.UID) model.UID {
			again(t, s, uid)
			write(t, vespe(s, reviewAt(s, uid, 2)), "{\"revision\": 2, \"plan_hash\": \""+model.HashBytes([]byte("another plan\n"))+"\", \"verdict\": \"accepted\", \"by\": \"human:ann\", \"comments\": []}\n")
			return uid
		},
	} {
		for _, signed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, signed %v", name, signed), func(t *testing.T) {
				opt := testOptions()
				s := initIn(t, fastDir(t), opt)
				uid := planned(t, s, "one")
				acceptSealed(t, s, uid, ann)
				target := attack(t, s, uid)
				closed(t, s)
				if signed {
					opt.Attestor = seals{}
				}
				copied := filepath.Join(fastDir(t), "copy") // its checkpoint is not used: it is bound to where it lies
				copyOver(t, s.Root(), copied)
				for _, root := range []string{s.Root(), copied} {
					comes := open(t, root, opt)
					if root == copied && !signed && strings.HasPrefix(string(target), "tsk-copied") {
						continue
					}
					_, err := comes.Do(t.Context(), model.Op{Name: model.Start, UID: target, Actor: robot})
					var r *model.Refusal
					if !errors.As(err, &r) {
						t.Errorf("started in %s: %v", root, err)
					}
				}
			})
		}
	}
}

// The genuine one starts, with everything as it was given.
func TestASealedApprovalStarts(t *testing.T) {
	opt := testOptions()
	opt.Attestor = seals{}
	s := initIn(t, fastDir(t), opt)
	uid := planned(t, s, "one")
	if _, err := s.Do(t.Context(), model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann}); err == nil {
		t.Error("an acceptance without a signature is enough")
	}
	acceptSealed(t, s, uid, ann)
	do(t, s, model.Op{Name: model.Start, UID: uid, Actor: robot})
}

// What a person left out stays left out in a clone, which believes status.json and the signature: one that
// says less is not what was signed.
func TestASealedApprovalInPart(t *testing.T) {
	c := newClock()
	s := initIn(t, fastDir(t), Options{Now: c.now, Rand: entropy(7), Attestor: seals{}})
	uid := planned(t, s, "one")
	do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "# Plan\n\n## Now\n\n## Later\n"}})
	give := func(op model.Op) {
		t.Helper()
		op.ID, op.UID, op.Actor, op.At = string(op.Name), uid, ann, s.now()
		op.Seen, _ = seenNow(t, s, uid, op.Name)
		lifecycle.SetArg(&op, "excluded", binding.Excluded(&op, task(t, load(t, s), uid)))
		statement, _ := binding.SignedOp(s.StoreID(), &op)
		op.Signature = seals{}.of(statement)
		do(t, s, op)
	}
	give(model.Op{Name: model.AcceptPlan, Args: model.Acceptance{Excluded: []string{"Later"}}})
	write(t, vespe(s, layout.TaskFile(uid, "plan.md")), "# Plan\n\n## Now\n\nat once\n\n## Later\n")
	do(t, s, model.Op{Name: model.Check, UID: uid, Actor: robot})
	give(model.Op{Name: model.Revalidate})
	n := cloned(t, s, c, 8)
	n.opt.Attestor = seals{}
	status := vespe(n, layout.TaskFile(uid, layout.StatusFile))
	whole := read(t, status)
	less := strings.Replace(whole, ",\n    \"excluded\": [\n      \"Later\"\n    ]", "", 1)
	if less == whole {
		t.Fatalf("nothing is left out in %s", whole)
	}
	write(t, status, less)
	_, err := n.Do(t.Context(), model.Op{Name: model.Start, UID: uid, Actor: robot})
	if r := wantCode(t, err, model.CodeRefused); r.Guard != model.GuardAccepted {
		t.Errorf("refused by %s: %v", r.Guard, err)
	}
	if _, lines := verified(t, n, ""); !slices.ContainsFunc(lines, func(l string) bool {
		return strings.HasPrefix(l, "error approval-differs") && strings.HasSuffix(l, "/revalidate.json")
	}) {
		t.Errorf("verify finds %q", lines)
	}
	write(t, status, whole)
	do(t, n, model.Op{Name: model.Start, UID: uid, Actor: robot})
}

// An agent that writes the answer to its own question, or a person's word on its work, has neither.
func TestAnAgentThatAnswersItself(t *testing.T) {
	s := newStore(t)
	uid, work := planned(t, s, "risky"), planned(t, s, "work")
	do(t, s, model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "requires_hitl", Value: "true"}}}},
		model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann}, model.Op{Name: model.AcceptPlan, UID: work, Actor: ann},
		model.Op{Name: model.Start, UID: work, Actor: robot}, model.Op{Name: model.WorkCompleted, UID: work, Actor: robot, Args: model.Completion{Summary: "done"}})
	id := do(t, s, model.Op{Name: model.Start, UID: uid, Actor: robot}).Change.Request
	closed(t, s)

	write(t, vespe(s, layout.RequestFile(id)), claimed(requestIn(t, load(t, open(t, s.Root(), testOptions())), id)))
	status := vespe(s, layout.TaskFile(uid, layout.StatusFile))
	must(t, replaceIn(status, "\"is_paused\": true", "\"is_paused\": false"))
	must(t, replaceIn(vespe(s, layout.TaskFile(work, layout.StatusFile)), "\n  \"revision\":", "\n  \"review\": {\"of\": \"work\", \"verdict\": \"accepted\", \"by\": \"human:ann\", \"at\": \"2026-03-01T09:00:01Z\", \"revision\": 1},\n  \"revision\":"))
	write(t, vespe(s, layout.TaskFile(work, "reviews/work-0001.json")), "{\"revision\": 1, \"verdict\": \"accepted\", \"by\": \"human:ann\", \"comments\": []}\n")
	for _, checkpoint := range []bool{true, false} {
		if !checkpoint {
			withoutCheckpoint(t, s)
		}
		comes := open(t, s.Root(), testOptions())
		snap := load(t, comes)
		if i, _ := snap.Index(work); snap.Status(i) != model.StatusReviewWork {
			t.Errorf("with a checkpoint %v: its work is %s", checkpoint, snap.Status(i))
		}
		if _, err := comes.Do(t.Context(), model.Op{Name: model.Start, UID: uid, Actor: robot}); err == nil {
			t.Errorf("with a checkpoint %v: it started", checkpoint)
		}
	}
}
