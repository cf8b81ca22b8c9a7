package desk

import (
	"encoding/json"
	"time"
)

// Plan is a plan to be handed in.
type Plan struct {
	TaskID      string     `json:"task_id,omitempty" jsonschema:"uid of the task; optional for a loop worker"`
	BaseVersion int        `json:"base_version" jsonschema:"revision of the plan you read before writing this one; 0 if there was none"`
	PlanMD      string     `json:"plan_md,omitempty" jsonschema:"the whole plan as Markdown: approach, risks, how to tell that it worked; subtasks as a checklist, or as a YAML list of id, name, files, criteria, risk, verify and depends_on in a fenced block called tasks; optional if you only send responses"`
	Objective   string     `json:"objective,omitempty" jsonschema:"the goal, as Markdown; only if the task has no objective yet"`
	Responses   []Response `json:"responses,omitempty" jsonschema:"one for each open comment on the last version"`
	Reason      string     `json:"reason,omitempty" jsonschema:"why you replace an accepted plan; this withdraws its acceptance and the work done on it"`
	Key         string     `json:"key,omitempty" jsonschema:"idempotency key: the same key returns the same review"`
}

// Response is the answer to a comment.
type Response struct {
	FeedbackID string `json:"feedback_id" jsonschema:"id of the comment"`
	Resolution string `json:"resolution" jsonschema:"addressed: you changed the text; declined: text says why not; answered: text answers the question"`
	Text       string `json:"text,omitempty" jsonschema:"what you changed, why not, or the answer"`
}

// Question is what a person is asked.
type Question struct {
	TaskID    string          `json:"task_id,omitempty" jsonschema:"task it is about; the task waits for the answer"`
	Kind      string          `json:"kind,omitempty" jsonschema:"question: answered in words; choice: one of options; action: permission to do args; escalation: something went wrong that you can't decide. Defaults by options and args"`
	Title     string          `json:"title" jsonschema:"the question in one line, up to 200 characters"`
	Detail    string          `json:"detail_md,omitempty" jsonschema:"everything the person needs to decide, as Markdown; complete, not a summary"`
	Options   []string        `json:"options,omitempty" jsonschema:"the choices"`
	Args      json.RawMessage `json:"args,omitempty" jsonschema:"for an action: what you want to do; shown in full"`
	AllowEdit *bool           `json:"allow_edit,omitempty" jsonschema:"whether the person may change args; default true"`
	Risk      string          `json:"risk,omitempty"`
	ExpiresAt *time.Time      `json:"expires_at,omitempty" jsonschema:"after this time an answer is of no use; expiry is never an answer"`
	Key       string          `json:"key,omitempty" jsonschema:"idempotency key: the same key and question return the same review"`
}
