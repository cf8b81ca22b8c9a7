package orchestrator

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"vespe/interop/records"
	"vespe/model"
	"vespe/model/visible"
	"vespe/model/vocab"
)

const (
	key      = "orchestrator"
	system   = model.Actor("system:orchestrator")
	stateKey = "workflow_state"
	hold     = "hitl: it is blocked in the orchestrator, where all that it depends on is completed: it waits for an answer"

	maxTitle    = 80 // characters, of a title there
	maxAttempts = 1_000_000
)

// Format is the orchestrator's task.
func Format() *records.Format {
	f := &records.Format{
		Name: "orchestrator", Key: key, IDKey: "id", System: system, Words: vocab.Orchestrator,
		Reads: []string{
			"the lifecycle state as JSON, with tasks, milestones",
			"and plan; only its plan; or only tasks",
		},
		Writes: []string{"the lifecycle state, with milestones and plan"},
		UID:    uidOf, ID: idOf, Lost: lost,
		Hooks: records.Hooks{Read: read, Before: before, Whole: whole, Left: left},
	}
	f.Convert = func(c *records.Converted, fields model.Extra) { convert(f, c, fields) }
	f.Fields = func(v records.View) model.Extra { return fieldsOf(f, v) }
	return f
}

// uidOf is the task of an id: the one that idOf called so, else one made of a hash. The hash
// stands behind the id's number, so that tasks made of a state are in the order of their ids, and
// does not depend on when they came, so that a task can come after one that depends on it.
func uidOf(id string, _ model.Extra, _ time.Time) model.UID {
	n, ok := new(big.Int).SetString(strings.TrimPrefix(id, "T"), 10)
	if ok && len(id) > 30 && n.Sign() > 0 && n.BitLen() <= 128 && "T"+n.String() == id {
		return model.UID(fmt.Sprintf("tsk-%032x", n))
	}
	digits, part, _ := strings.Cut(strings.TrimPrefix(id, "T"), "-")
	place, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		place = math.MaxInt32
	}
	place *= 32
	if len(part) == 1 && part >= "a" && part <= "z" {
		place += int64(part[0]-'a') + 1
	}
	return records.HashUID(time.UnixMilli(place), key, id)
}

func idOf(uid model.UID) string {
	b, err := hex.DecodeString(strings.TrimPrefix(string(uid), "tsk-"))
	if err != nil || len(b) != 16 {
		b, _ = hex.DecodeString(strings.TrimPrefix(string(records.HashUID(time.Time{}, key, string(uid))), "tsk-"))
	}
	return "T" + new(big.Int).SetBytes(b).String()
}

func convert(f *records.Format, c *records.Converted, fields model.Extra) {
	c.Spec(fields, [][2]string{
		{"user_story", "user_story"},
		{"acceptance_criteria", "acceptance_criteria"},
		{"files_to_create", "files_to_create"},
		{"files_to_modify", "files_to_modify"},
		{"test_files", "test_files"},
		{"milestone_id", "milestone_id"},
		{"max_attempts", "max_attempts"},
	})
	t := c.Imported.Task
	sp := t.Spec
	if sp.MilestoneID != "" && !model.ValidMilestoneID(sp.MilestoneID) {
		c.Bad("bad-id", "milestone_id is not a valid milestone id", `use letters and digits, with ".", "_" and "-" only between them`)
	}
	c.Priority(c.Text(fields, "priority"))
	if issue := c.Text(fields, "linear_issue_id"); issue != "" {
		sp.External = model.Extra(sp.External).With(model.TextField("linear_issue_id", issue))
	}
	title := c.Text(fields, "title")
	t.Config = model.Config{Name: records.Name(title, c.ID), CreatedBy: system, CreatedAt: c.Now}
	c.Imported.Objective = records.Body(objective(title, c.Text(fields, "description")))
	c.SetResult(records.Body(c.Text(fields, "implementation_notes")))
	needs(c, fields)
	known := []string{
		"id", "title", "description", "user_story", "acceptance_criteria", "files_to_create", "files_to_modify", "test_files", "dependencies",
		"milestone_id", "status", "priority", "attempts", "max_attempts", "implementation_notes", "linear_issue_id",
	}
	if c.Text(fields, "status") == "failed" {
		known = append(known, "error")
	}
	c.Rest(f, fields, known...)
	status(c, fields)
}

// objective is the text of a title and what is said below it.
func objective(title, description string) string {
	title, description = strings.TrimSpace(title), strings.TrimSpace(description)
	switch first, _, _ := strings.Cut(description, "\n"); {
	case description == "":
		return title
	case title == "" || cut(strings.TrimSpace(first)) == title:
		return description
	}
	return title + "\n\n" + description
}

// apart is a title and an objective as the title and what is said below it.
func apart(title, text string) (description string) {
	text = strings.TrimSpace(text)
	if text == title {
		return ""
	}
	if below, ok := strings.CutPrefix(text, title+"\n\n"); ok && objective(title, below) == text {
		return below
	}
	return text
}

func cut(s string) string { return records.Cut(visible.Line(s), maxTitle) }

// needs are the dependencies; on a task that was split, on its last part.
func needs(c *records.Converted, fields model.Extra) {
	t := c.Imported.Task
	for _, id := range c.Texts(fields, "dependencies") {
		if _, ok := c.Other(id); !ok {
			if part := lastPart(c, id); part != "" {
				c.Note("depends on a split task; imported with a dependency on its last part")
				id = part
			}
		}
		if uid := c.Target(id); !slices.Contains(t.DependsOn, uid) {
			t.DependsOn = append(t.DependsOn, uid)
		}
	}
}

func lastPart(c *records.Converted, id string) (part string) {
	for letter := 'a'; letter <= 'z'; letter++ {
		next := id + "-" + string(letter)
		if _, ok := c.Other(next); !ok {
			break
		}
		part = next
	}
	return part
}

func status(c *records.Converted, fields model.Extra) {
	t := c.Imported.Task
	at := c.Now
	var h records.History
	h.Begin(c.Imported, at, system)
	c.Word = c.Text(fields, "status")
	tried := attempts(c, fields)
	if tried > 0 {
		h.Add("attempts", at, system, h.State, "")
		e := &h.Events[len(h.Events)-1]
		e.Summary = strconv.Itoa(tried) + " attempts in the orchestrator"
		e.Details = []model.ExtraField{model.IntField("attempts", tried)}
	}
	t.Status.RetryCount = tried
	switch c.Word {
	case "completed":
		t.Status.RetryCount = max(0, tried-1)
		h.Done(&t.Status, at, system, c.Text(fields, "implementation_notes"), "completed in the orchestrator")
	case "failed":
		t.Status.ErrorDetails = c.Text(fields, "error")
		h.Add(model.RaiseError, at, system, model.Failed, t.Status.ErrorDetails)
	case "blocked":
		if !waits(c, fields) {
			c.Hold = hold
		}
	case "in_progress":
		t.Status.RetryCount = max(0, tried-1)
		c.Note("in_progress there; imported without an accepted plan, because the state has no approvals")
	case "pending", "":
	default:
		c.Note("unknown status " + c.Word + "; imported as open")
	}
	h.End(c.Imported, at)
}

// waits says whether something that a task depends on is not completed.
func waits(c *records.Converted, fields model.Extra) bool {
	for _, id := range c.Texts(fields, "dependencies") {
		if other, ok := c.Other(id); ok {
			if word, _ := other.Text("status"); word == "completed" {
				continue
			}
		}
		return true
	}
	return false
}

func attempts(c *records.Converted, fields model.Extra) int {
	raw, ok := fields.Get("attempts")
	if !ok || string(raw) == "null" {
		return 0
	}
	var n int
	if err := json.Unmarshal(raw, &n); err != nil || n < 0 || n > maxAttempts {
		c.Bad("wrong-type", "attempts is not a whole number", "write a whole number of at least 0")
		return 0
	}
	return n
}

func fieldsOf(f *records.Format, v records.View) model.Extra {
	t := v.Task
	var criteria []string
	for _, c := range t.Spec.AcceptanceCriteria {
		criteria = append(criteria, c.Text)
	}
	var ids []string
	for _, d := range t.DependsOn {
		ids = append(ids, v.ID(d))
	}
	priority := t.Spec.Priority
	if priority == "" {
		priority = model.Medium
	}
	most := t.Spec.MaxAttempts
	if most == 0 {
		most = 3 // as there
	}
	issue, _ := model.Extra(t.Spec.External).Text("linear_issue_id")
	title := cut(t.Config.Name)
	out := model.Extra{model.TextField("id", v.ID(t.UID)), model.TextField("title", title)}
	if below := apart(title, v.Objective); below != "" {
		out = append(out, model.TextField("description", below))
	}
	return append(out,
		model.TextField("user_story", t.Spec.UserStory),
		model.ListField("acceptance_criteria", criteria),
		model.ListField("files_to_create", t.Spec.FilesToCreate),
		model.ListField("files_to_modify", t.Spec.FilesToModify),
		model.ListField("test_files", t.Spec.TestFiles),
		model.ListField("dependencies", ids),
		model.TextField("milestone_id", v.Milestone),
		model.TextField("status", v.Word(f)),
		model.TextField("priority", string(priority)),
		model.TextField("estimated_complexity", complexity(t.Spec.EstimatedComplexity)),
		model.IntField("attempts", tries(v)),
		model.IntField("max_attempts", most),
		model.TextField("implementation_notes", strings.TrimRight(v.Result, "\n")),
		records.TextOrNull("error", t.Status.ErrorDetails),
		records.TextOrNull("linear_issue_id", issue),
	)
}

// tries is how many attempts began: one more than were given up, unless none has begun since.
func tries(v records.View) int {
	n := v.Task.Status.RetryCount
	switch v.Status {
	case model.StatusRunning, model.StatusSubtasks, model.StatusError, model.StatusReviewWork, model.StatusDone:
		n++
	}
	return n
}

// complexity is the level of a score, where the levels that split a task are one.
func complexity(score float64) string {
	switch {
	case score == 0, score >= 5 && score < 8:
		return "medium"
	case score < 5:
		return "low"
	}
	return "high"
}

// lost is what a task there has no place for.
func lost(v records.View) []string {
	out := v.Members("user_story", "acceptance_criteria", "files_to_create", "files_to_modify", "test_files", "priority", "milestone_id",
		"max_attempts", "estimated_complexity")
	title := cut(v.Task.Config.Name)
	for _, l := range []struct {
		is   bool
		what string
	}{
		{apart(title, v.Objective) != "", "the objective is exported as description, which the orchestrator reads only in plans"},
		{title != v.Task.Config.Name, "names are cut at 80 characters"},
		{v.Plan != "", "plans are not exported"},
		{v.Task.Config.ParentUID != "", "parents are not exported"},
		{v.Task.Status.AcceptedPlan != nil, "approvals are not exported"},
		{v.Task.Status.Comments != nil, "comments are not exported"},
		{v.Status == model.StatusAborted, "Aborted is exported as failed"},
		{slices.ContainsFunc(v.Task.Spec.AcceptanceCriteria, func(c model.Criterion) bool { return c.State+c.Evidence != "" }), "results of acceptance criteria are not exported"},
	} {
		if l.is {
			out = append(out, l.what)
		}
	}
	return out
}
