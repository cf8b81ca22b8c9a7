package snapshot

import (
	"vespe/model"
	"vespe/model/packing"
)

// The fields of a task in a record of a pack. What a search looks at comes first, behind
// its length, so that a search can pass over a record without reading it; then what filters
// look at (head); then the rest, in the order of the fields of its structs. Another order here
// raises packVersion; a test compares what went in with what comes out, field by field.

// packTask reads or writes a record; the task knows its uid already.
func packTask(c *packing.Coder, t *model.Task) {
	spec := &model.Spec{}
	if t.Spec != nil {
		spec = t.Spec
	}
	packSearched(c, &t.Config.Name, &spec.Description, &spec.Labels)
	h := filtered(t, spec)
	if packFiltered(c, &h); !c.Writing {
		t.Config.CreatedBy, t.Status.AssignedAgentUID, t.Config.ParentUID = h.by, h.assigned, h.parent
	}
	same := t.Config.UID == t.UID
	if c.Bool(&same); !same {
		packing.Word(c, &t.Config.UID)
	} else if !c.Writing {
		t.Config.UID = t.UID
	}
	c.Time(&t.Config.CreatedAt)
	model.PackExtra(c, &t.Config.Extra)
	packing.Words(c, &t.DependsOn)
	model.PackExtra(c, &t.DepsExtra)
	c.Bool(&t.HasStatus)
	c.Bool(&t.HasObjective)
	c.Bool(&t.HasPlan)
	model.PackStatus(c, &t.Status)
	packing.Opt(c, &t.Spec, func(s *model.Spec) {
		if !c.Writing {
			s.Description, s.Labels = spec.Description, spec.Labels
			s.GoalType, s.Priority, s.MilestoneID = h.goal, h.priority, h.milestone
		}
		model.PackSpec(c, s)
	})
	packing.Each(c, &t.Problems, func(p *model.Problem) { packProblem(c, p) })
}

// packSearched is the texts that Task.contains looks at, except the uid.
func packSearched(c *packing.Coder, name, description *string, labels *[]string) {
	region := packing.Coder{Writing: c.Writing}
	if !c.Writing {
		var n uint64
		c.Uint(&n)
		region.Bytes = c.Next(n)
	}
	packing.Word(&region, name)
	packing.Word(&region, description)
	packing.Words(&region, labels)
	if c.Writing {
		n := uint64(len(region.Bytes))
		c.Uint(&n)
		c.Bytes = append(c.Bytes, region.Bytes...)
	} else if region.Bad {
		c.Fail()
	}
}

// verdictElsewhere is the verdict of a head whose acceptance a person has to confirm here.
const verdictElsewhere = "elsewhere"

// head is what filters look at, beside texts.
type head struct {
	by, assigned model.Actor
	goal         string
	priority     model.Priority
	parent       model.UID
	verdict      string // on the plan as it is, as in Review; "" while there is none
	open         bool   // people's comments on the plan are not answered
	milestone    string // what spec.json names
}

// filtered is what filters look at of a task with a specification.
func filtered(t *model.Task, spec *model.Spec) head {
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

func packFiltered(c *packing.Coder, h *head) {
	packing.Word(c, &h.by)
	packing.Word(c, &h.assigned)
	packing.Word(c, &h.goal)
	packing.Word(c, &h.priority)
	packing.Word(c, &h.parent)
	packing.Word(c, &h.verdict)
	c.Bool(&h.open)
	packing.Word(c, &h.milestone)
}

func packProblem(c *packing.Coder, p *model.Problem) {
	packing.Word(c, &p.UID)
	packing.Word(c, &p.Path)
	c.Num(&p.Line)
	n := int(p.Severity)
	if c.Num(&n); !c.Writing {
		p.Severity = model.Severity(n)
	}
	packing.Word(c, &p.Code)
	packing.Word(c, &p.Reason)
	packing.Word(c, &p.Hint)
}

// packMilestones is the file itself.
func packMilestones(c *packing.Coder, m *model.Milestones) {
	var file []byte
	if c.Writing && (len(m.List) > 0 || len(m.Extra) > 0) {
		file = model.EncodeMilestones(*m)
	}
	c.Raw(&file)
	broken := m.Broken
	c.Bool(&broken)
	if !c.Writing {
		*m = model.Milestones{}
		if file != nil {
			*m, _ = model.DecodeMilestones("", file)
		}
		m.Broken = broken
	}
}
