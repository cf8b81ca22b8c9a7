package model

// The fields of a task in a record of a pack. What a search looks at comes first, behind
// its length, so that a search can pass over a record without reading it; then what filters
// look at (head); then the rest, in the order of the fields of its structs. Another order here
// raises packVersion; a test compares what went in with what comes out, field by field.

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
	packed(c, statusFormat(), &t.Status)
	opt(c, &t.Spec, func(s *Spec) {
		if !c.write {
			s.Description, s.Labels = spec.Description, spec.Labels
			s.GoalType, s.Priority, s.MilestoneID = h.goal, h.priority, h.milestone
		}
		packed(c, specFormat(), s)
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
