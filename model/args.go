package model

import (
	"slices"
)

// Args is what one operation needs in addition to the fields of Op that all have. The row of an operation names the type
// (Transition.Takes); nil stands for the zero value.
type Args interface{ isArgs() }

// ArgsOf is what an operation needs as a T; the zero value where it brings none, or others.
func ArgsOf[T Args](op *Op) T {
	args, _ := op.Args.(T)
	return args
}

// FillUIDs gives the tasks that an operation makes the uids that they lack.
func (op *Op) FillUIDs(newUID func() UID) {
	fill := func(uid *UID) {
		if *uid == "" {
			*uid = newUID()
		}
	}
	switch args := op.Args.(type) {
	case NewTask:
		fill(&args.UID)
		for i := range args.PhaseUIDs {
			if args.Phases {
				fill(&args.PhaseUIDs[i])
			}
		}
		op.Args, op.UID = args, args.UID
	case Decomposition:
		args.Subtasks = slices.Clone(args.Subtasks)
		for i := range args.Subtasks {
			fill(&args.Subtasks[i].UID)
		}
		op.Args = args
	}
}

// RequestRef names a request: fetch_answer, and undo of an answer.
type RequestRef struct {
	Request string `arg:"request"`
}

// Settlement names the request that settle closes, by its id or by its key.
type Settlement struct {
	Request string `arg:"request"`
	Key     string
}

// NewName is what rename needs.
type NewName struct{ Name string }

// DependencyEdit is what add_dependency and remove_dependency need.
type DependencyEdit struct{ DependsOn []UID }

// FieldEdit is what set needs.
type FieldEdit struct {
	Set  []Assignment
	Spec *Spec // what spec.json is to hold, instead of Set
}

// SubtaskRef names the subtask that spawn_subtask waits for.
type SubtaskRef struct {
	Subtask UID `arg:"subtask"`
}

// SubtaskEnd is what handle_subtask_completion needs.
type SubtaskEnd struct {
	Subtask UID  `arg:"subtask"`
	Success bool `arg:"success"`
}

// CommentRef names a comment: resolve_comment, reopen_comment.
type CommentRef struct {
	Comment string `arg:"comment"` // its id
}

// NewRun is what start needs.
type NewRun struct {
	ID     string // made from the operation's when empty
	Worker Actor  `arg:"worker"` // the actor when empty
}

// Completion is what work_completed needs.
type Completion struct {
	Summary string `arg:"summary"`
	Report  *RunReport
}

// ErrorReport is what error needs.
type ErrorReport struct {
	Details string `arg:"details"`
	Failure bool   `arg:"failure"` // it fails for good
	Report  *RunReport
}

// RunEnd is what those operations need that only end a live run: stop, abort, replan.
type RunEnd struct{ Report *RunReport }

// Reopening is what reopen needs.
type Reopening struct {
	ByHand bool `arg:"by-hand"` // a person does the work
}

// NewObjective is what define_objective needs.
type NewObjective struct {
	Text string `arg:"text"`
}

// NewPlan is what define_plan needs.
type NewPlan struct {
	Text    string          `arg:"text"`
	Answers []CommentAnswer `arg:"answers"`
}

// Acceptance is what accept_plan needs.
type Acceptance struct {
	Comments []NewComment `arg:"comments"`
	// Excluded is what of the plan it leaves out: headings of its sections.
	Excluded []string `arg:"excluded"`
}

// Revalidation is what revalidate needs.
type Revalidation struct {
	Excluded []string `arg:"excluded"` // what the acceptance leaves out (Excluded)
}

// Rejection is what review_rejected takes.
type Rejection struct {
	Comments []NewComment `arg:"comments"`
	Again    bool         `arg:"again"` // another attempt at the accepted plan instead of a new plan
}

// Feedback goes along with the other verdicts on a plan, and with the acceptance of work.
type Feedback struct {
	Comments []NewComment `arg:"comments"`
}

// Remarks is what comment needs.
type Remarks struct {
	Text     string       `arg:"text"` // of the only one, instead of Comments
	Comments []NewComment `arg:"comments"`
}

// CommentAnswers is what answer_comments needs.
type CommentAnswers struct {
	Answers []CommentAnswer `arg:"answers"`
}

// Text is what an operation says in many lines.
func (op *Op) Text() string {
	switch args := op.Args.(type) {
	case NewObjective:
		return args.Text
	case NewPlan:
		return args.Text
	case Completion:
		return args.Summary
	case ErrorReport:
		return args.Details
	case Remarks:
		return args.Text
	}
	return ""
}

// Comments are those that an operation brings.
func (op *Op) Comments() []NewComment {
	switch args := op.Args.(type) {
	case Acceptance:
		return args.Comments
	case Feedback:
		return args.Comments
	case Rejection:
		return args.Comments
	case Remarks:
		return args.Comments
	}
	return nil
}

// Request is the id of the request that an operation names; "" for none.
func (op *Op) Request() string {
	switch args := op.Args.(type) {
	case Answering:
		return args.Request
	case RequestRef:
		return args.Request
	case Settlement:
		return args.Request
	}
	return ""
}

func (NewTask) isArgs()        {}
func (NewRequest) isArgs()     {}
func (Answering) isArgs()      {}
func (RequestRef) isArgs()     {}
func (Settlement) isArgs()     {}
func (MilestoneEdit) isArgs()  {}
func (PriorityBy) isArgs()     {}
func (Imported) isArgs()       {}
func (Decomposition) isArgs()  {}
func (External) isArgs()       {}
func (NewName) isArgs()        {}
func (DependencyEdit) isArgs() {}
func (FieldEdit) isArgs()      {}
func (SubtaskRef) isArgs()     {}
func (SubtaskEnd) isArgs()     {}
func (CommentRef) isArgs()     {}
func (NewRun) isArgs()         {}
func (Completion) isArgs()     {}
func (ErrorReport) isArgs()    {}
func (RunEnd) isArgs()         {}
func (Reopening) isArgs()      {}
func (NewObjective) isArgs()   {}
func (NewPlan) isArgs()        {}
func (Acceptance) isArgs()     {}
func (Revalidation) isArgs()   {}
func (Feedback) isArgs()       {}
func (Rejection) isArgs()      {}
func (Remarks) isArgs()        {}
func (CommentAnswers) isArgs() {}

// MilestoneEdit is what the edits of milestones need. What is nil stays as it is.
type MilestoneEdit struct {
	ID          string // assign_milestone: "" takes the task out; create_milestone: made of the name when empty
	Name        *string
	Description *string
	Before      *string // the id of the milestone that it is put before; "" puts it last
}

// External is what external_edit needs: how the task was before somebody edited its files,
// and which of them it was. The task as it is now is the world's.
type External struct {
	Was, Now *Task // Now: what its files say, with nothing disbelieved; nil: the world's
	Files    []FileEdit
	// Approvals are those of acceptances that came with the files and count here: the log knows them from now on.
	Approvals []FileEdit
	Appeared  bool // the task came as a whole; Was is how it was before it went, or blank
	Gone      bool // it was taken away as a whole
	// Continues: another clone's vespe wrote the files, and its history has all that was known here behind it.
	Continues bool
}

// FileEdit is one of a task's own files that was written past vespe.
type FileEdit struct {
	Name     string // "status.json", "plan.md", …
	Old, New string // hashes; "" where there was or is nothing, and for an unknown Old
	Body     []byte // as it is now; nil when it is gone
}
