package desk

import (
	"encoding/json"
	"time"
)

// Plan is a plan to be handed in.
type Plan struct {
	TaskID      string     `json:"task_id,omitempty" jsonschema:"uid of the task; may be left out by a worker of the loop"`
	BaseVersion int        `json:"base_version" jsonschema:"revision of the plan that you read before you wrote this one; 0 when there was none"`
	PlanMD      string     `json:"plan_md,omitempty" jsonschema:"the whole plan as Markdown (may be left out where only responses are given): how it is to be done, what could go wrong, how to tell that it worked"`
	Objective   string     `json:"objective,omitempty" jsonschema:"what is to be achieved, as Markdown; only for a task that has no objective yet"`
	Steps       []Step     `json:"steps,omitempty" jsonschema:"the steps, where they can be told apart; they become part of the plan's text, and subtasks if the person wants"`
	Commands    []string   `json:"commands,omitempty" jsonschema:"commands that the work will run and that a person should know of"`
	Responses   []Response `json:"responses,omitempty" jsonschema:"an answer to each open comment on the last version"`
	Reason      string     `json:"reason,omitempty" jsonschema:"why another plan is needed; only where one is accepted, which this takes back, and the work by it with it"`
	Key         string     `json:"key,omitempty" jsonschema:"idempotency key: repeating the call with the same key gives the same review"`
}

// Step is one step of a plan.
type Step struct {
	ID         string     `json:"id" jsonschema:"letters, digits and inside . _ -; unique in the plan"`
	Title      string     `json:"title" jsonschema:"in one line"`
	Detail     string     `json:"detail,omitempty" jsonschema:"what is to be done"`
	Files      []string   `json:"files,omitempty" jsonschema:"paths in the project that it creates or modifies"`
	Criteria   []string   `json:"criteria,omitempty" jsonschema:"how to tell that it is done"`
	Verify     [][]string `json:"verify,omitempty" jsonschema:"commands that check it, each a list of its words"`
	DependsOn  []string   `json:"depends_on,omitempty" jsonschema:"ids of steps that come first"`
	Risk       string     `json:"risk,omitempty" jsonschema:"low, medium or high"`
	Reversible *bool      `json:"reversible,omitempty" jsonschema:"false where it cannot be undone"`
}

// Response is the answer to a comment.
type Response struct {
	FeedbackID string `json:"feedback_id" jsonschema:"id of the comment"`
	Resolution string `json:"resolution" jsonschema:"addressed (the text is changed as it asks), declined (it is not, and text says why) or answered (text answers the question)"`
	Text       string `json:"text,omitempty" jsonschema:"what was done, why not, or the answer"`
}

// Question is what a person is asked.
type Question struct {
	TaskID    string          `json:"task_id,omitempty" jsonschema:"uid of the task that it is about, which waits for the answer; may be left out by a worker of the loop"`
	Kind      string          `json:"kind,omitempty" jsonschema:"question (answered in words), choice (one of options), action (may this be done: accepted, edited or denied) or escalation (something went wrong that you cannot decide on); a choice where there are options, an action where there are args, else a question"`
	Title     string          `json:"title" jsonschema:"what is asked, in one line of at most 200 characters"`
	Detail    string          `json:"detail_md,omitempty" jsonschema:"everything that the person needs to decide, as Markdown; whole, not a summary"`
	Options   []string        `json:"options,omitempty" jsonschema:"to choose from"`
	Args      json.RawMessage `json:"args,omitempty" jsonschema:"of an action: what is to be done, as an object; shown whole"`
	AllowEdit *bool           `json:"allow_edit,omitempty" jsonschema:"whether the person may put other args in place of these; true where there are args"`
	Risk      string          `json:"risk,omitempty" jsonschema:"low, medium or high"`
	ExpiresAt *time.Time      `json:"expires_at,omitempty" jsonschema:"until when an answer is of use; that time is over is never an answer"`
	Key       string          `json:"key,omitempty" jsonschema:"idempotency key: the same key and question give the same review; another question under it is refused"`
}
