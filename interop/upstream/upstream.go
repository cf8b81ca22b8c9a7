package upstream

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"vespe/interop/records"
	"vespe/model"
)

const (
	key    = "vespe_upstream"
	system = model.Actor("system:vespe-upstream")

	aborted = "Aborted: " // how error_details of an aborted task begins
)

// Format is the original's store.
func Format() *records.Format {
	f := &records.Format{
		Name: "vespe-upstream", Key: key, IDKey: "uid", System: system,
		Reads: []string{
			"a store of the original, copied into this store. To use",
			"it in place, open it with vespe -C DIR",
		},
		Writes: []string{"a store for the original: --output DIR"},
		UID:    uidOf, ID: func(uid model.UID) string { return string(uid) }, Lost: lost,
		Hooks: records.Hooks{Left: left, Read: read, Save: save},
		OnlyKept: map[string]string{
			"history": "different history there",
			"result":  "different results there",
		},
	}
	f.Convert = func(c *records.Converted, fields model.Extra) { convert(f, c, fields) }
	f.Fields = fieldsOf
	return f
}

func uidOf(id string, fields model.Extra, now time.Time) model.UID {
	if uid := model.UID(id); uid.Valid() {
		return uid
	}
	return records.HashUID(now, key, id) // convert refuses it
}

// configKeys, statusKeys and dependencyKeys are the members that the original knows, in its order.
func configKeys() []string {
	return []string{"uid", "name", "created_by_agent_uid", "created_at", "parent_uid"}
}

func statusKeys() []string {
	return []string{
		"current_state", "last_updated_at", "progress", "parent_content_hashes", "is_paused", "error_details", "previous_state", "retry_count",
		"subtask_uids", "assigned_agent_uid",
	}
}

func dependencyKeys() []string { return []string{"depends_on"} }

// part is a record's members of one of the files.
func part(record model.Extra, file string, keys []string) model.Extra {
	var out model.Extra
	for _, k := range keys {
		if raw, ok := record.Get(k); ok {
			out = append(out, model.ExtraField{Key: k, Value: raw})
		}
	}
	for _, f := range record {
		if k, ok := strings.CutPrefix(f.Key, file+"."); ok {
			out = append(out, model.ExtraField{Key: k, Value: f.Value})
		}
	}
	return out
}

func convert(f *records.Format, c *records.Converted, fields model.Extra) {
	t := c.Imported.Task
	config, problems := model.DecodeConfig("config.json", model.EncodeFields(part(fields, "config", configKeys())))
	status, more := model.DecodeStatus("status.json", model.EncodeFields(part(fields, "status", statusKeys())))
	needs, _, rest := model.DecodeDependencies("dependencies.json", model.EncodeFields(part(fields, "dependencies", dependencyKeys())))
	for _, p := range slices.Concat(problems, more, rest) {
		if p.Severity == model.Error {
			c.Bad(p.Code, p.Path+": "+p.Reason, p.Hint)
		} else {
			c.Note("invalid value in " + p.Path + ", saved in spec.external." + key)
		}
	}
	if !model.UID(c.ID).Valid() {
		c.Bad("bad-uid", "its uid is not valid", "use lowercase letters, digits and dashes")
	}
	who := whoIs(fields)
	t.Config = model.Config{
		Name: records.Name(config.Name, c.ID), CreatedBy: who(config.CreatedBy, f), ParentUID: config.ParentUID,
		CreatedAt: records.First(config.CreatedAt, c.Now),
	}
	if t.Config.Name != config.Name {
		c.Note("name with invisible characters, saved in spec.external." + key)
	}
	for _, d := range needs {
		if uid := c.Target(string(d)); !slices.Contains(t.DependsOn, uid) {
			t.DependsOn = append(t.DependsOn, uid)
		}
	}
	if config.ParentUID != "" {
		t.Config.ParentUID = c.Target(string(config.ParentUID))
	}
	st := &t.Status
	st.Progress, st.RetryCount = status.Progress, status.RetryCount
	if a := status.AssignedAgentUID; a != "" {
		st.AssignedAgentUID = who(a, f)
	}
	c.Imported.Objective, c.Imported.Plan = texts(fields)
	c.Imported.Result = c.Results
	if len(status.ParentContentHashes) > 0 {
		c.Note("parent_content_hashes, saved in spec.external." + key)
	}
	for _, e := range fields {
		if strings.Contains(e.Key, ".") {
			c.Note(e.Key + ", saved in spec.external." + key)
		}
	}
	project(c, fields)
	state(c, status, who, f)
}

// texts are the objective and the plan; a blank one is none.
func texts(fields model.Extra) (objective, plan string) {
	objective, _ = fields.Text("objective")
	plan, _ = fields.Text("plan")
	if strings.TrimSpace(objective) == "" {
		objective = ""
	}
	if strings.TrimSpace(plan) == "" {
		plan = ""
	}
	return objective, plan
}

func state(c *records.Converted, was model.StatusFile, who func(model.Actor, *records.Format) model.Actor, f *records.Format) {
	st := &c.Imported.Task.Status
	at := c.Imported.Task.Config.CreatedAt
	end := records.Later(was.LastUpdatedAt, at)
	var h records.History
	h.Begin(c.Imported, at, system)
	c.Word = string(was.CurrentState)
	over := false
	switch was.CurrentState {
	case model.Completed:
		h.Done(st, end, system, "", "Completed in vespe-upstream")
		over = true
	case model.Failed:
		st.ErrorDetails = was.ErrorDetails
		if reason, ok := strings.CutPrefix(was.ErrorDetails, aborted); ok {
			st.ErrorDetails = ""
			h.Add(model.Abort, end, system, model.Aborted, reason)
		} else {
			h.Add(model.RaiseError, end, system, model.Failed, was.ErrorDetails)
		}
		over = true
	case model.Aborted: // the older vocabulary has it
		h.Add(model.Abort, end, system, model.Aborted, was.ErrorDetails)
		over = true
	case model.Errored:
		c.Hold = "it is in Error in vespe-upstream"
		if was.ErrorDetails != "" {
			c.Hold += ": " + records.Name(was.ErrorDetails, "")
		}
	case model.ObjectiveDefined, model.Replanned:
		if h.State == model.PlanDefined {
			to := model.ObjectiveDefined
			if c.Imported.Objective == "" {
				to = model.Created
			}
			h.Add(model.RejectPlan, end, system, to, "its plan was rejected in vespe-upstream")
		}
	case model.Working:
		c.Note("Working there; imported without an accepted plan, because the original records no approvals")
	}
	if !over && h.State != was.CurrentState && slices.Contains([]model.State{model.Created, model.ObjectiveDefined, model.PlanDefined}, was.CurrentState) {
		c.Note("the state does not match the texts; imported with the state that the texts imply")
	}
	switch {
	case over || !was.IsPaused:
	case len(was.SubtaskUIDs) > 0:
		c.Note("waiting for subtasks there; here a task does so only when its plan is accepted")
	case c.Hold == "":
		c.Hold = "it is paused in vespe-upstream"
	}
	for _, e := range c.Events {
		e.UID, e.Actor = c.Imported.Task.UID, who(e.Actor, f)
		h.Events = append(h.Events, e)
	}
	h.End(c.Imported, was.LastUpdatedAt)
}

// agent is one of agents/, of which a record keeps those that it names.
type agent struct {
	Metadata json.RawMessage `json:"metadata,omitempty"`
	Details  json.RawMessage `json:"details,omitempty"`
	State    json.RawMessage `json:"state,omitempty"`
	Messages int             `json:"messages,omitempty"` // of its own memory, which is not read
}

func agents(fields model.Extra) map[string]agent {
	var out map[string]agent
	if raw, ok := fields.Get("agents"); ok {
		_ = json.Unmarshal(raw, &out) // read made it
	}
	return out
}

// actor is who an agent is here.
func (a agent) actor(f *records.Format, uid string) model.Actor {
	var meta struct {
		Name string `json:"name"`
	}
	var details map[string]json.RawMessage
	_, _ = json.Unmarshal(a.Metadata, &meta), json.Unmarshal(a.Details, &details)
	kind := model.Agent
	if _, human := details["Human"]; human || len(details) == 0 && strings.HasPrefix(uid, "usr-") {
		kind = model.Human
	}
	if meta.Name == "" {
		meta.Name = uid
	}
	return f.Actor(kind, meta.Name)
}

// whoIs gives the agents that a record names their names. One that is none of agents/ keeps its uid; what
// is an actor of ours already stays.
func whoIs(fields model.Extra) func(model.Actor, *records.Format) model.Actor {
	known := agents(fields)
	return func(said model.Actor, f *records.Format) model.Actor {
		switch said.Kind() {
		case model.Human, model.Agent, model.System, model.MCPClient:
			return said
		}
		if said == "" {
			return system
		}
		return known[string(said)].actor(f, string(said))
	}
}

// project notes what came beside a record, and with the first one beside all.
func project(c *records.Converted, fields model.Extra) {
	for uid, a := range agents(fields) {
		if a.Messages > 0 {
			c.Note(fmt.Sprintf("the memory of the agent %s is not imported", uid))
		}
	}
	for _, what := range besides(fields) {
		c.Note(what + ", not imported")
	}
	project, _ := fields.Get("project")
	kept, _ := model.DecodeFields("", project)
	for _, what := range besides(kept) {
		c.Note(what + ", not imported")
	}
}

func besides(fields model.Extra) []string {
	var out []string
	if raw, ok := fields.Get("beside"); ok {
		_ = json.Unmarshal(raw, &out) // read made it
	}
	return out
}

func fieldsOf(v records.View) model.Extra {
	t := v.Task
	st := t.Status
	out := model.Extra{
		model.TextField("uid", v.ID(t.UID)),
		model.TextField("name", t.Config.Name),
		model.TextField("created_by_agent_uid", string(t.Config.CreatedBy)),
		model.TimeField("created_at", records.First(t.Config.CreatedAt, st.LastUpdatedAt)),
		records.TextOrNull("parent_uid", parent(v)),
		model.TextField("current_state", word(st.CurrentState)),
		model.TimeField("last_updated_at", records.Later(st.LastUpdatedAt, t.Config.CreatedAt)),
		records.TextOrNull("progress", st.Progress),
		{Key: "parent_content_hashes", Value: []byte("{}")},
		records.Raw("is_paused", paused(v)),
		records.TextOrNull("error_details", details(st)),
		records.TextOrNull("previous_state", word(st.PreviousState)),
		model.IntField("retry_count", min(st.RetryCount, 255)),
		model.ListField("subtask_uids", st.SubtaskUIDs),
		records.TextOrNull("assigned_agent_uid", string(st.AssignedAgentUID)),
	}
	var needs []string
	for _, d := range t.DependsOn {
		needs = append(needs, v.ID(d))
	}
	out = append(out, model.ListField("depends_on", needs))
	if v.Objective != "" {
		out = append(out, model.TextField("objective", v.Objective))
	}
	if v.Plan != "" {
		out = append(out, model.TextField("plan", v.Plan))
	}
	return out
}

func parent(v records.View) string {
	if v.Task.Config.ParentUID == "" {
		return ""
	}
	return v.ID(v.Task.Config.ParentUID)
}

func paused(v records.View) bool {
	switch v.Status {
	case model.StatusPaused, model.StatusWaiting, model.StatusSubtasks:
		return true
	}
	return v.Task.Status.IsPaused
}

// word is a state as the original writes it, which has no others.
func word(s model.State) string {
	switch s {
	case "":
		return ""
	case model.ObjectiveDefined, model.Replanned:
		return "ObjectiveDefined"
	case model.PlanDefined:
		return "PlanDefined"
	case model.Working:
		return "Working"
	case model.Errored:
		return "Error"
	case model.Failed, model.Aborted:
		return "Failed"
	case model.Completed:
		return "Completed"
	}
	return "Created"
}

func details(st model.StatusFile) string {
	if st.CurrentState == model.Aborted {
		return aborted + st.ErrorDetails
	}
	return st.ErrorDetails
}

// lost is what the original has no place for.
func lost(v records.View) []string {
	out := v.Members()
	st := v.Task.Status
	for _, l := range []struct {
		is   bool
		what string
	}{
		{st.AcceptedPlan != nil && st.CurrentState == model.PlanDefined, "exported as PlanDefined: the plan is accepted and the task waits"},
		{st.AcceptedPlan != nil, "approvals are not exported"},
		{st.Comments != nil, "comments are not exported"},
		{st.Review != nil, "verdicts are not exported"},
		{len(st.ParentContentHashes) > 0, "hashes of dependencies are not exported"},
		{len(st.ChangedBecause) > 0, "Changed has no equivalent there"},
		{st.CurrentState == model.Replanned, "Replan is exported as ObjectiveDefined"},
		{st.PauseReason != "" && st.PauseReason != "subtasks", "pause reasons are not exported"},
		{st.Runs > 0 || st.CurrentRun != "", "runs are not exported"},
		{st.PlanRevision > 1 || st.ObjectiveRevision > 1, "earlier revisions are not exported"},
	} {
		if l.is {
			out = append(out, l.what)
		}
	}
	return out
}

func left(x records.Exported, count func(what, id string)) {
	if x.Snapshot == nil {
		return
	}
	for _, m := range x.Snapshot.MilestoneFile().List {
		count("milestones are not exported", m.ID)
	}
}
