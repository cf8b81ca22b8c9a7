package model

// The fields of a task in a record of a pack. What a search looks at comes first, behind
// its length, so that a search can pass over a record without reading it; then what filters
// look at (head).
//
// A field that is added to Task, or to anything in it, is added here and raises
// packVersion; a test compares what went in with what comes out, field by field.

// task reads or writes a record; the task knows its uid already.
func (c *coder) task(t *Task) {
	spec := &Spec{}
	if t.Spec != nil {
		spec = t.Spec
	}
	c.searched(&t.Config.Name, &spec.Description, &spec.Labels)
	h := t.head(spec)
	if c.head(&h); !c.write {
		t.Config.CreatedBy, t.Status.AssignedAgentUID, t.Config.ParentUID = h.by, h.assigned, h.parent
	}
	same := t.Config.UID == t.UID
	if c.flag(&same); !same {
		word(c, &t.Config.UID)
	} else if !c.write {
		t.Config.UID = t.UID
	}
	c.config(&t.Config)
	words(c, &t.DependsOn)
	c.extra(&t.DepsExtra)
	c.flag(&t.HasStatus)
	c.flag(&t.HasObjective)
	c.flag(&t.HasPlan)
	c.status(&t.Status)
	opt(c, &t.Spec, func(s *Spec) {
		if !c.write {
			s.Description, s.Labels = spec.Description, spec.Labels
			s.GoalType, s.Priority, s.MilestoneID = h.goal, h.priority, h.milestone
		}
		c.spec(s)
	})
	each(c, &t.Problems, c.problem)
}

// searched is the texts that Task.contains looks at, except the uid.
func (c *coder) searched(name, description *string, labels *[]string) {
	region := coder{write: c.write}
	if !c.write {
		var n uint64
		c.u64(&n)
		region.b = c.take(n)
	}
	word(&region, name)
	word(&region, description)
	words(&region, labels)
	if c.write {
		n := uint64(len(region.b))
		c.u64(&n)
		c.b = append(c.b, region.b...)
	} else if region.bad {
		c.fail()
	}
}

// verdictElsewhere is the verdict of a head whose acceptance a person has to confirm here.
const verdictElsewhere = "elsewhere"

// head is what filters look at, beside texts.
type head struct {
	by, assigned Actor
	goal         string
	priority     Priority
	parent       UID
	verdict      string // on the plan as it is, as in Review; "" while there is none
	open         bool   // people's comments on the plan are not answered
	milestone    string // what spec.json names
}

// head is what filters look at of a task with a specification.
func (t *Task) head(spec *Spec) head {
	h := head{by: t.Config.CreatedBy, assigned: t.Status.AssignedAgentUID, goal: spec.GoalType, priority: spec.Priority, parent: t.Config.ParentUID, milestone: spec.MilestoneID}
	if v := t.Status.Review; v != nil && v.Of == "plan" && v.Revision == t.Status.PlanRevision {
		h.verdict = v.Verdict
	}
	if t.Status.AcceptedPlan.IsElsewhere() {
		h.verdict = verdictElsewhere
	}
	h.open = t.Status.Comments != nil && t.Status.Comments.Open > 0
	return h
}

func (c *coder) head(h *head) {
	word(c, &h.by)
	word(c, &h.assigned)
	word(c, &h.goal)
	word(c, &h.priority)
	word(c, &h.parent)
	word(c, &h.verdict)
	c.flag(&h.open)
	word(c, &h.milestone)
}

func (c *coder) config(f *Config) {
	c.time(&f.CreatedAt)
	c.extra(&f.Extra)
}

func (c *coder) status(f *StatusFile) {
	word(c, &f.CurrentState)
	c.time(&f.LastUpdatedAt)
	word(c, &f.Progress)
	each(c, &f.ParentContentHashes, c.contentHash)
	c.flag(&f.IsPaused)
	word(c, &f.PauseReason)
	word(c, &f.PausedBy)
	word(c, &f.PreviousState)
	words(c, &f.SubtaskUIDs)
	word(c, &f.ErrorDetails)
	c.num(&f.RetryCount)
	word(c, &f.ByHand)
	word(c, &f.FailedBy)
	word(c, &f.CurrentRun)
	c.time(&f.RunStartedAt)
	c.num(&f.Runs)
	c.num(&f.RunSeconds)
	each(c, &f.ChangedBecause, c.changeReason)
	c.num(&f.PlanRevision)
	c.num(&f.ObjectiveRevision)
	opt(c, &f.AcceptedPlan, c.accepted)
	opt(c, &f.Review, c.review)
	words(c, &f.Answered)
	words(c, &f.Lowered)
	words(c, &f.LastOps)
	words(c, &f.UnmergedOps)
	words(c, &f.PickedOps)
	opt(c, &f.Comments, func(b *CommentBook) {
		c.num(&b.Revision)
		c.num(&b.Open)
		c.num(&b.Blocking)
		c.num(&b.Questions)
		word(c, &b.Hash)
		word(c, &b.File)
		c.extra(&b.Extra)
	})
	opt(c, &f.Undo, c.undo)
	opt(c, &f.Elsewhere, c.elsewhere)
	c.num(&f.Revision)
	c.extra(&f.Extra)
}

func (c *coder) contentHash(h *ContentHash) {
	word(c, &h.Key)
	word(c, &h.Hash)
}

func (c *coder) changeReason(r *ChangeReason) {
	word(c, &r.File)
	word(c, &r.Old)
	word(c, &r.New)
}

func (c *coder) review(r *Review) {
	word(c, &r.Of)
	word(c, &r.Verdict)
	word(c, &r.By)
	c.time(&r.At)
	word(c, &r.Reason)
	c.num(&r.Revision)
	word(c, &r.Approval)
	word(c, &r.ApprovalHash)
	word(c, &r.FetchedBy)
	c.time(&r.FetchedAt)
	c.extra(&r.Extra)
}

func (c *coder) undo(u *Undo) {
	word(c, &u.Transition)
	word(c, &u.By)
	c.time(&u.At)
	each(c, &u.Tasks, func(t *UndoTask) {
		word(c, &t.UID)
		c.num(&t.Revision)
		c.raw(&t.Before)
	})
	each(c, &u.Requests, func(q *UndoRequest) {
		word(c, &q.ID)
		word(c, &q.State)
	})
}

func (c *coder) elsewhere(e *Elsewhere) {
	opt(c, &e.Plan, c.accepted)
	each(c, &e.ParentContentHashes, c.contentHash)
	each(c, &e.ChangedBecause, c.changeReason)
	opt(c, &e.Review, c.review)
	opt(c, &e.Undo, c.undo)
}

func (c *coder) accepted(a *AcceptedPlan) {
	c.num(&a.PlanRevision)
	word(c, &a.PlanHash)
	c.num(&a.ObjectiveRevision)
	word(c, &a.ObjectiveHash)
	word(c, &a.By)
	c.time(&a.At)
	word(c, &a.Approval)
	words(c, &a.Excluded)
	word(c, &a.ApprovalHash)
	word(c, &a.SpecHash)
	word(c, &a.DependenciesHash)
	word(c, &a.PolicyHash)
	c.extra(&a.Extra)
}

func (c *coder) spec(s *Spec) {
	word(c, &s.UserStory)
	words(c, &s.Constraints)
	each(c, &s.AcceptanceCriteria, func(a *Criterion) {
		word(c, &a.Text)
		word(c, &a.State)
		word(c, &a.Evidence)
		c.extra(&a.Extra)
	})
	each(c, &s.Steps, func(p *Step) {
		word(c, &p.Step)
		c.flag(&p.Done)
		c.extra(&p.Extra)
	})
	opt(c, &s.PriorityBy, func(b *PriorityBy) {
		word(c, &b.Priority)
		word(c, &b.Rule)
		c.extra(&b.Extra)
	})
	word(c, &s.Source)
	c.fields(&s.Context)
	word(c, &s.Requester)
	word(c, &s.Risk)
	c.flag(&s.RequiresHITL)
	words(c, &s.FilesToCreate)
	words(c, &s.FilesToModify)
	words(c, &s.TestFiles)
	each(c, &s.Verify, func(argv *[]string) { words(c, argv) })
	c.float(&s.EstimatedComplexity)
	c.num(&s.MaxAttempts)
	c.fields(&s.External)
	word(c, &s.Intent)
	c.extra(&s.Extra)
}

func (c *coder) problem(p *Problem) {
	word(c, &p.UID)
	word(c, &p.Path)
	c.num(&p.Line)
	n := int(p.Severity)
	if c.num(&n); !c.write {
		p.Severity = Severity(n)
	}
	word(c, &p.Code)
	word(c, &p.Reason)
	word(c, &p.Hint)
}

func (c *coder) request(r *Request) {
	word(c, &r.ID)
	word(c, &r.TaskUID)
	word(c, &r.Kind)
	word(c, &r.Title)
	word(c, &r.Detail)
	words(c, &r.Options)
	c.raw(&r.Args)
	words(c, &r.Allow)
	word(c, &r.Risk)
	word(c, &r.State)
	c.time(&r.CreatedAt)
	word(c, &r.CreatedBy)
	c.time(&r.ExpiresAt)
	word(c, &r.Key)
	opt(c, &r.Answer, c.answer)
	each(c, &r.Others, c.answer)
	c.extra(&r.Extra)
}

func (c *coder) answer(a *Answer) {
	word(c, &a.Decision)
	word(c, &a.By)
	c.time(&a.At)
	word(c, &a.Text)
	word(c, &a.Choice)
	c.raw(&a.Args)
	c.flag(&a.Late)
	word(c, &a.FetchedBy)
	c.time(&a.FetchedAt)
	word(c, &a.ActedBy)
	c.time(&a.ActedAt)
	word(c, &a.ActedWith)
	c.extra(&a.Extra)
}

// milestones is the file itself.
func (c *coder) milestones(m *Milestones) {
	var file []byte
	if c.write && (len(m.List) > 0 || len(m.Extra) > 0) {
		file = EncodeMilestones(*m)
	}
	c.raw(&file)
	broken := m.Broken
	c.flag(&broken)
	if !c.write {
		*m = Milestones{}
		if file != nil {
			*m, _ = DecodeMilestones("", file)
		}
		m.Broken = broken
	}
}

func (c *coder) policy(p *Policy) {
	word(c, &p.Name)
	word(c, &p.Description)
	word(c, &p.DependencyPolicy)
	word(c, &p.OnSubtaskFailure)
	c.num(&p.MaxAttempts)
	c.extra(&p.Extra)
	word(c, &p.Unread)
}
