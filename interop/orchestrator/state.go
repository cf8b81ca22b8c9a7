package orchestrator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"vespe/interop/records"
	"vespe/model"
)

// derived are the members of a state that follow from its tasks.
func derived() []string {
	return []string{"current_task_id", "current_task_ids", "completed_task_ids", "failed_task_ids", "in_flight_task_ids"}
}

// read reads a state, a plan, or tasks.
func read(in records.Input) ([]records.Record, []model.Problem) {
	if in.Dir != nil {
		return records.ReadFile(in)
	}
	src, problems := records.Bytes(in.Name, in.File)
	if len(problems) > 0 {
		return nil, problems
	}
	all := records.Span{From: 0, To: len(src)}
	members, ok := records.Members(src, all)
	has := func(name string) bool {
		return slices.ContainsFunc(members, func(m records.Member) bool { return m.Name == name })
	}
	if !ok || has("id") || !has("tasks") && !has("milestones") && !has("phases") && !has("plan") {
		return records.Parse(in.Name, src)
	}
	s := state{path: in.Name, src: src, listed: map[string]string{}}
	s.members(members)
	return s.records()
}

// state is what is read of one.
type state struct {
	path string
	src  []byte

	tasks    []records.Record
	rest     model.Extra
	phases   []phase
	listed   map[string]string // task → the milestone that lists it
	problems []model.Problem
}

// milestone is one of a state.
type milestone struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	TaskIDs     []string `json:"task_ids"`
}

// phase is one of a plan.
type phase struct {
	Phase int    `json:"phase"`
	Name  string `json:"name"`
	Tasks []struct {
		ID           string   `json:"id"`
		Description  string   `json:"description"`
		Files        []string `json:"files"`
		Dependencies []string `json:"dependencies"`
	} `json:"tasks"`
	line int
}

func (s *state) bad(at int, code, why, hint string) {
	s.problems = append(s.problems, model.Problem{
		Path: s.path, Line: records.LineOf(s.src, at), Severity: model.Error, Code: code, Reason: why, Hint: hint,
	})
}

func (s *state) members(members []records.Member) {
	var plan model.Extra // of a file that is a plan itself
	for i, m := range members {
		if slices.ContainsFunc(members[:i], func(o records.Member) bool { return o.Name == m.Name }) {
			s.bad(m.From, "duplicate-key", "the key "+m.Name+" appears twice", "remove one of them")
			continue
		}
		value := model.ExtraField{Key: m.Name, Value: m.Of(s.src)}
		switch {
		case m.Name == "tasks":
			s.taskList(m.Span)
		case m.Name == "milestones":
			s.milestoneList(m.Span)
		case m.Name == "phases":
			s.phaseList(m.Span)
			plan = append(plan, value)
		case m.Name == "plan_name" || m.Name == "summary" || m.Name == "test_strategy" || m.Name == "risks" || m.Name == "estimated_complexity":
			plan = append(plan, value) // of a plan, whatever comes first
		case m.Name == "plan":
			if in, ok := records.Members(s.src, m.Span); ok {
				for _, p := range in {
					if p.Name == "phases" {
						s.phaseList(p.Span)
					}
				}
			}
			s.rest = append(s.rest, value)
		case slices.Contains(derived(), m.Name): // they are worked out anew
		default:
			s.rest = append(s.rest, value)
		}
	}
	_, isPlan := plan.Get("phases")
	if _, has := s.rest.Get("plan"); isPlan && !has {
		s.rest = append(s.rest, model.ObjectField("plan", plan))
	} else {
		s.rest = append(s.rest, plan...)
	}
}

func (s *state) taskList(at records.Span) {
	if s.src[at.From] != '[' {
		s.bad(at.From, "wrong-type", "tasks is not a list", "write a list of objects")
		return
	}
	var found []model.Problem
	s.tasks, found = records.ParseAt(s.path, s.src, at)
	s.problems = append(s.problems, found...)
}

// milestoneList checks the milestones, and keeps of them what does not follow from the tasks.
func (s *state) milestoneList(at records.Span) {
	if string(at.Of(s.src)) == "null" {
		return
	}
	list, found := records.ParseAt(s.path, s.src, at)
	if s.src[at.From] != '[' || len(found) > 0 {
		s.bad(at.From, "wrong-type", "milestones is not a list of objects", "write a list of objects, each with an id")
		return
	}
	kept := []json.RawMessage{}
	seen := map[string]bool{}
	for _, r := range list {
		var m milestone
		bad := func(why, hint string) {
			p := r.Problem("bad-milestone", why, hint)
			p.Reason = strings.Replace(p.Reason, "record", "milestone", 1)
			s.problems = append(s.problems, p)
		}
		switch err := json.Unmarshal(r.Raw, &m); {
		case err != nil:
			bad("a field has the wrong type", "write id, name and description as strings, task_ids as a list of strings")
		case !model.ValidMilestoneID(m.ID):
			bad("it has no valid id", `give it one of letters, digits, ".", "_" and "-"`)
		case seen[strings.ToLower(m.ID)]:
			bad("the id "+m.ID+" is used twice", "remove one of them")
		case len(m.Description) > 64<<10:
			bad("its description is longer than 64 KiB", "shorten it")
		}
		seen[strings.ToLower(m.ID)] = true
		for _, id := range m.TaskIDs {
			if _, ok := s.listed[id]; !ok {
				s.listed[id] = m.ID
			}
		}
		kept = append(kept, model.ObjectField("", r.Fields.Without("task_ids").Without("status")).Value)
	}
	if len(kept) > 0 {
		s.rest = append(s.rest, records.Raw("milestones", kept))
	}
}

func (s *state) phaseList(at records.Span) {
	list, found := records.ParseAt(s.path, s.src, at)
	if s.src[at.From] != '[' || len(found) > 0 {
		s.bad(at.From, "wrong-type", "phases is not a list of objects", "write a list of phases")
		return
	}
	for _, r := range list {
		p := phase{line: r.Line}
		if err := json.Unmarshal(r.Raw, &p); err != nil || p.Phase < 0 {
			q := r.Problem("bad-phase", "it is not a phase of a plan", "write phase as a number, name as a string, tasks as a list of objects")
			q.Reason = strings.Replace(q.Reason, "record", "phase", 1)
			s.problems = append(s.problems, q)
			continue
		}
		if p.Phase == 0 {
			p.Phase = r.Index
		}
		s.phases = append(s.phases, p)
	}
}

// records are the tasks; where there are none those of the phases. The first has the rest of
// the state.
func (s *state) records() ([]records.Record, []model.Problem) {
	if len(s.tasks) == 0 {
		for _, p := range s.phases {
			s.planned(p)
		}
	}
	if len(s.problems) > 0 {
		return nil, s.problems
	}
	if len(s.tasks) == 0 {
		s.bad(0, "empty-file", "it has no tasks, neither in tasks nor in the phases of its plan", "name a file that has tasks")
		return nil, s.problems
	}
	for i := range s.tasks {
		r := &s.tasks[i]
		id, _ := r.Fields.Text("id")
		if own, _ := r.Fields.Text("milestone_id"); own == "" && s.listed[id] != "" {
			r.Fields = r.Fields.With(model.TextField("milestone_id", s.listed[id]))
		}
		if raw, ok := r.Fields.Get(stateKey); ok {
			s.problems = append(s.problems, r.Problem("wrong-type", stateKey+" is reserved by vespe for the rest of a state: "+cut(string(raw)), "rename or remove it"))
		}
	}
	if len(s.rest) > 0 {
		field := model.ObjectField(stateKey, s.rest)
		if len(field.Value) > 512<<10 {
			s.bad(0, "too-large", "its content beside the tasks is larger than 512 KiB", "remove what is not needed")
		}
		s.tasks[0].Fields = s.tasks[0].Fields.With(field)
	}
	return s.tasks, s.problems
}

// planned makes records of the tasks of a phase, as they become tasks there.
func (s *state) planned(p phase) {
	for _, t := range p.Tasks {
		first, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n")
		title := cut(strings.TrimSpace(first))
		fields := model.Extra{model.TextField("id", t.ID), model.TextField("title", title)}
		if below := apart(title, t.Description); below != "" {
			fields = append(fields, model.TextField("description", below))
		}
		fields = append(fields,
			model.TextField("user_story", ""),
			model.ListField[string]("acceptance_criteria", nil),
			model.ListField[string]("files_to_create", nil),
			model.ListField("files_to_modify", t.Files),
			model.ListField[string]("test_files", nil),
			model.ListField("dependencies", t.Dependencies),
			model.TextField("milestone_id", fmt.Sprintf("M%d", p.Phase)),
			model.TextField("status", "pending"),
			model.TextField("priority", "medium"),
			model.TextField("estimated_complexity", "medium"),
			model.IntField("attempts", 0),
			model.IntField("max_attempts", 3),
			model.TextField("implementation_notes", ""),
			records.Null("error"),
			records.Null("linear_issue_id"),
		)
		s.tasks = append(s.tasks, records.Record{Fields: fields, Raw: model.EncodeFields(fields), Path: s.path, Line: p.line, Index: len(s.tasks) + 1})
	}
}
