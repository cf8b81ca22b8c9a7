package lifecycle

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/lifecycle/internal/machine"
	"vespe/model/strictness"
)

// Believed is a task whose files were edited past vespe, as far as they are to be believed:
// everything but verdicts, which only a person gives, and only to vespe. An
// acceptance, or an accepted review of the work, that was not there before does not count, nor
// does a mark or a pause that is gone where only a person may take it away: what an accepted
// task is changed by stays until its bytes are the accepted ones again, and a question waits
// for its answer. refused says so. was may be nil: then nothing is known of the task, and its
// files are all there is.
func Believed(was, now *model.Task) (believed *model.Task, refused []string) {
	if was == nil || now == nil {
		return now, nil
	}
	believed = now
	change := func() *model.StatusFile {
		if believed == now {
			believed = now.Clone()
		}
		return &believed.Status
	}
	if u := now.Status.Undo; u != nil && !sameUndo(was.Status.Undo, u) {
		change().Undo = nil // what it would bring back was not given to vespe either
	}
	if a := now.Status.AcceptedPlan; a != nil && !model.SameAcceptance(was.Status.AcceptedPlan, a) {
		st := change()
		st.AcceptedPlan, st.ParentContentHashes, st.ChangedBecause = nil, nil, nil
		refused = append(refused, "an acceptance of the plan by "+string(model.OrSomebody(a.By)))
	}
	if a := now.Status.AcceptedPlan; a != nil && believed.Status.AcceptedPlan != nil {
		if marks, lost := keptMarks(&was.Status, &now.Status); lost {
			st := change()
			st.ParentContentHashes, st.ChangedBecause = was.Status.ParentContentHashes, marks
			refused = append(refused, "a revalidation")
		}
	}
	if was.Status.WaitsForPerson() && !now.Status.WaitsForPerson() && !now.IsFinal() {
		st := change()
		st.IsPaused, st.PauseReason = true, was.Status.PauseReason
		refused = append(refused, "an answer, if it is paused for a question")
	}
	if r := now.Status.Review; r != nil && r.Verdict == "accepted" && !model.SameReview(was.Status.Review, r) {
		change().Review = nil
		if len(refused) == 0 || r.Of != "plan" {
			refused = append(refused, "a verdict on the "+cmp.Or(r.Of, "task")+" by "+string(model.OrSomebody(r.By)))
		}
	}
	return believed, refused
}

// keptMarks are what an accepted task is changed by: all that was known, and what its file
// says beside that. lost reports that the file says less, or that it was accepted with other
// bytes of other tasks than it was: only revalidate may do so.
func keptMarks(was, now *model.StatusFile) (marks []model.ChangeReason, lost bool) {
	marks = now.ChangedBecause
	for _, r := range was.ChangedBecause {
		i := slices.IndexFunc(marks, func(m model.ChangeReason) bool { return m.File == r.File })
		switch {
		case i < 0:
			marks, lost = append(slices.Clone(marks), r), true
		case marks[i].Old != r.Old:
			marks = slices.Clone(marks)
			marks[i], lost = r, true
		}
	}
	for _, h := range was.ParentContentHashes {
		lost = lost || !slices.Contains(now.ParentContentHashes, h)
	}
	return marks, lost
}

func sameUndo(a, b *model.Undo) bool {
	return a != nil && bytes.Equal(model.EncodeStatus(model.StatusFile{Undo: a}), model.EncodeStatus(model.StatusFile{Undo: b}))
}

// doExternalEdit records what was written past vespe: documents become revisions, the
// state in the task's other files is believed, and verdicts in them are not.
func doExternalEdit(s *machine.Step) *model.Refusal {
	x := model.ArgsOf[model.External](&s.Op)
	if len(x.Files) == 0 {
		s.Quiet = true
		s.Say(machine.NothingEdited)
		return nil
	}
	for _, f := range x.Approvals {
		s.Tx.Files = append(s.Tx.Files, model.FileChange{Path: model.TaskFile(s.Op.UID, f.Name), Body: f.Body, Edited: true})
	}
	now := x.Now
	if now == nil {
		now = s.Task
	}
	believed, refused := Believed(x.Was, now)
	if x.Appeared && believed == now && isAsItLeft(&x, now) {
		if recorded, r := allRecorded(s); r != nil || recorded {
			appear(s)
			return r
		}
	}
	if x.Continues && believed == now && isAsItLeft(&x, now) {
		if done, r := continueWith(s, now); done || r != nil {
			return r
		}
	}
	t := s.Edit(s.Op.UID)
	believe(&x, &t.Status, &believed.Status)
	if x.Was != nil {
		t.Status.Lowered = strictness.Lowering(x.Was, t)
	}
	for _, d := range []model.Doc{model.Objective, model.Plan} {
		if r := recordEdited(s, t, d); r != nil {
			return r
		}
	}
	more, r := takeComments(s, t, x.Was, now.Status.Comments)
	if r != nil {
		return r
	}
	refused = append(refused, more...)
	keepEdited(s, t)
	if t.HasStandingAcceptance() {
		reasons, r := binding.Staleness(s, t)
		if r != nil {
			return r
		}
		t.Status.ChangedBecause = reasons
		if x.Was != nil {
			binding.MarkTerms(s, t, binding.TermsOf(x.Was, model.RulesHash(s.Policy)))
		}
	}
	names := make([]string, len(x.Files))
	for i, f := range x.Files {
		names[i] = f.Name
		s.Detail(model.TextField(f.Name, cmp.Or(f.Old, "nothing")+" -> "+cmp.Or(f.New, "nothing")))
	}
	s.Deed.Object = fmt.Sprintf("%s of %s: edited outside vespe", strings.Join(names, ", "), model.Quoted(t))
	if x.Appeared {
		s.Deed.Object = model.Quoted(t) + " appeared"
	}
	for _, words := range strictness.LoweredWords(t) {
		s.Say(machine.Lowered, words)
	}
	for _, what := range refused {
		warning := what + " is in status.json, but vespe didn't record it: it doesn't count"
		s.Say(machine.NotBelieved, warning)
		s.Warnings = append(s.Warnings, model.Quoted(t)+": "+warning)
		s.Detail(model.TextField("not_believed", what))
	}
	return nil
}

// believe takes over what is believed of an edited status.json.
func believe(x *model.External, st, believed *model.StatusFile) {
	st.AcceptedPlan, st.Review = believed.AcceptedPlan, believed.Review
	st.ParentContentHashes, st.ChangedBecause = believed.ParentContentHashes, believed.ChangedBecause
	st.Undo, st.Elsewhere = believed.Undo, believed.Elsewhere
	st.IsPaused, st.PauseReason = believed.IsPaused, believed.PauseReason
	if !st.IsPaused {
		st.PausedBy = ""
	}
	if x.Was != nil { // a file that was set back must not make later ones look older than it
		was := &x.Was.Status
		st.Revision = max(st.Revision, was.Revision+1)
		st.PlanRevision = max(st.PlanRevision, was.PlanRevision)
		st.ObjectiveRevision = max(st.ObjectiveRevision, was.ObjectiveRevision)
	}
}

// appear lets the log know a task that came as a whole, from another clone or an editor,
// and has its own history: nothing is written into it.
func appear(s *machine.Step) {
	for _, f := range model.ArgsOf[model.External](&s.Op).Files {
		s.Tx.Files = append(s.Tx.Files, model.FileChange{Path: model.TaskFile(s.Op.UID, f.Name), Body: f.Body, Edited: true})
	}
	knowComments(s)
	s.Quiet = true
	s.Deed.Object = model.Quoted(s.Task) + " appeared"
}

// knowComments lets the log know the comments that a status.json speaks of which is taken over as it is: git may write
// over their file, and what another clone says later is held against them.
func knowComments(s *machine.Step) {
	now := s.Task
	if x := model.ArgsOf[model.External](&s.Op); x.Now != nil {
		now = x.Now
	}
	book := now.Status.Comments
	if book == nil {
		return
	}
	if body, err := s.ReviewFile(s.Op.UID, book); err == nil && model.HashBytes(body) == book.Hash {
		s.Tx.Files = append(s.Tx.Files, model.FileChange{Path: model.TaskFile(s.Op.UID, "reviews/"+book.Name()), Body: body, Edited: true})
	}
}

// continueWith lets the log know what another clone did in a task, whose events tell of it: nothing is written, or
// clones that pull from each other would never come to an end. It is not done where something there is not believed.
func continueWith(s *machine.Step, now *model.Task) (done bool, r *model.Refusal) {
	if recorded, r := allRecorded(s); r != nil || !recorded {
		return false, r
	}
	if was := model.ArgsOf[model.External](&s.Op).Was.Status.Comments; !sameBook(was, now.Status.Comments) {
		theirs, ours := commentsOf(s, s.Op.UID, now.Status.Comments), commentsOf(s, s.Op.UID, was)
		switch {
		case ours == nil:
			ours = &model.ReviewFile{}
		case theirs == nil && len(ours.Comments) > 0:
			return false, nil
		}
		if d := (machine.Discussion{File: ours}); theirs == nil && now.Status.Comments != nil || theirs != nil && join(&d, theirs) {
			return false, nil
		}
	}
	appear(s)
	s.Deed.Object = model.Quoted(s.Task) + " was changed in another clone"
	return true, nil
}

// allRecorded says whether the documents are the revisions that status.json speaks of. It
// may speak of none.
func allRecorded(s *machine.Step) (bool, *model.Refusal) {
	for _, d := range []model.Doc{model.Objective, model.Plan} {
		c, known, r := s.Doc(s.Task, d)
		if r != nil {
			return false, r
		}
		if known && c.Revision == 0 && s.Task.Status.RevisionOf(d) > 0 && len(bytes.TrimSpace(c.Body)) > 0 && !unsettled(c) {
			return false, nil
		}
	}
	return true, nil
}

// isAsItLeft says whether a task that came as a whole is not behind what was known of it before it
// went, nor to be done by other criteria than it was accepted with.
func isAsItLeft(x *model.External, now *model.Task) bool {
	return x.Was == nil || now.Status.Revision >= x.Was.Status.Revision && (!now.HasStandingAcceptance() || bytes.Equal(model.EncodeSpec(x.Was.Spec.Terms()), model.EncodeSpec(now.Spec.Terms())))
}

// recordEdited makes a revision of a document unless it is the newest one already: bytes
// that nobody recorded, and those of an older revision that were set back.
func recordEdited(s *machine.Step, t *model.Task, d model.Doc) *model.Refusal {
	c, known, r := s.Doc(t, d)
	if r != nil || !known || c.Revision != 0 && c.Revision == t.Status.RevisionOf(d) || len(bytes.TrimSpace(c.Body)) == 0 || unsettled(c) {
		return r
	}
	if was := model.ArgsOf[model.External](&s.Op).Was; d == model.Plan && was != nil {
		t.Status.Comments = was.Status.Comments
		if r := carryComments(s.Tx, t, s.NextRevision(t, d), nil, c.Body); r != nil {
			return r
		}
	}
	s.NewRevision(t, d, c.Body)
	s.Detail(model.IntField(model.RevisionKey(d), t.Status.RevisionOf(d)))
	return binding.Spread(s.Tx, t, d, c.Hash)
}

// keepEdited puts the edited files into the transaction, so that the log knows them, and
// the bytes of a status.json, which is about to be written anew, beside it.
func keepEdited(s *machine.Step, t *model.Task) {
	for _, f := range model.ArgsOf[model.External](&s.Op).Files {
		switch {
		case f.Name == "status.json" && f.Body == nil:
		case f.Name == "status.json":
			hash := strings.TrimPrefix(f.New, "sha256-")
			s.Write(model.TaskFile(t.UID, fmt.Sprintf("persistent/edits/status-%.16s.json", hash)), f.Body, true)
		default:
			s.Tx.Files = append(s.Tx.Files, model.FileChange{Path: model.TaskFile(t.UID, f.Name), Body: f.Body, Edited: true, Was: f.Old})
		}
	}
}

// externalFiles are the files that external_edit may name.
var externalFiles = []string{"config.json", "status.json", "dependencies.json", "spec.json", "objective.md", "plan.md"}

var needEdit = machine.Need(model.GuardEdited, "files of the task that were edited", func(s *machine.Step) *model.Refusal {
	if s.Op.Args == nil && !s.Trial {
		return s.Refuse(model.CodeUsage, model.GuardEdited, "no edited files are named", "name the files")
	}
	for _, f := range model.ArgsOf[model.External](&s.Op).Files {
		if !slices.Contains(externalFiles, f.Name) {
			return s.Refuse(model.CodeInvalid, model.GuardEdited, fmt.Sprintf("%q is not one of the task's own files", f.Name), "only its own files can be recorded")
		}
	}
	return nil
})
