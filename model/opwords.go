package model

import "strings"

// opWords are what people read of an operation.
type opWords struct {
	title   string // "Accept plan"; "" of an edit, whose name says it
	phrase  string // the verb of a sentence, before the task's name: "accept plan of"
	command string // its group and verb on the command line: "plan accept"; "" for what only vespe does
}

// operations are those of the lifecycle and the edits beside it.
var operations = map[Name]opWords{
	CreateTask:              {title: "New task", phrase: "create"},
	RenameTask:              {phrase: "rename"},
	AddDependency:           {phrase: "add a dependency to"},
	RemoveDependency:        {phrase: "remove a dependency of"},
	SetFields:               {phrase: "set fields of"},
	ImportTask:              {phrase: "import"},
	Decompose:               {phrase: "decompose"},
	FetchAnswer:             {phrase: "fetch an answer about"},
	FetchVerdict:            {phrase: "fetch the verdict on"},
	CreateMilestone:         {phrase: "create milestone"},
	EditMilestone:           {phrase: "edit milestone"},
	RemoveMilestone:         {phrase: "remove milestone"},
	AssignMilestone:         {phrase: "assign a milestone to"},
	Prioritize:              {phrase: "prioritize"},
	EditGuidance:            {phrase: "edit guidance"},
	QuestionPlan:            {"Ask about plan", "ask about the plan of", "plan ask"},
	DeferPlan:               {"Defer plan", "defer the plan of", "plan defer"},
	AddComment:              {"Comment", "comment on the plan of", "comment add"},
	AnswerComments:          {"Answer comments", "answer comments on the plan of", "comment answer"},
	ResolveComment:          {"Resolve comment", "resolve a comment on the plan of", "comment resolve"},
	ReopenComment:           {"Reopen comment", "reopen a comment on the plan of", "comment reopen"},
	DefineObjective:         {"Define objective", "define objective of", "task define"},
	DefinePlan:              {"Define plan", "define plan of", "plan define"},
	AcceptPlan:              {"Accept plan", "accept plan of", "plan accept"},
	RejectPlan:              {"Reject plan", "reject plan of", "plan reject"},
	Start:                   {"Start", "start", "run start"},
	WorkCompleted:           {"Complete work", "complete", "work done"},
	ReviewAccepted:          {"Accept work", "accept work of", "work accept"},
	ReviewRejected:          {"Reject work", "reject work of", "work reject"},
	RaiseError:              {"Report error", "report error of", "work error"},
	Retry:                   {"Retry", "retry", "work retry"},
	SpawnSubtask:            {"Spawn subtask", "spawn a subtask of", "work spawn"},
	HandleSubtaskCompletion: {"Handle subtask completion", "handle the end of a subtask of", ""},
	Pause:                   {"Pause", "pause", "task pause"},
	Resume:                  {"Resume", "resume", "task resume"},
	Abort:                   {"Abort", "abort", "task abort"},
	UndoVerdict:             {"Undo verdict", "undo the verdict on", "task undo"},
	Check:                   {"Check", "check", "plan check"},
	ExternalEdit:            {"External edit", "record an edit of", ""},
	Revalidate:              {"Revalidate", "revalidate", "plan revalidate"},
	Replan:                  {"Replan", "replan", "plan replan"},
	Ask:                     {"Ask", "ask about", "request ask"},
	AnswerRequest:           {"Answer", "answer a request about", "request answer"},
	Reopen:                  {"Re-open", "re-open", "work reopen"},
	Skip:                    {"Skip", "skip", "work skip"},
	StopRun:                 {"Stop run", "stop the run of", "run stop"},
	Escalate:                {"Escalate", "escalate about", ""},
	Settle:                  {"Settle", "settle a request about", ""},
}

// Title is what an event of this name is called for people: that of the operation, or the name in words.
func (n Name) Title() string {
	if title := operations[n].title; title != "" {
		return title
	}
	words := strings.ReplaceAll(string(n), "_", " ")
	if words != "" && 'a' <= words[0] && words[0] <= 'z' {
		words = string(words[0]-'a'+'A') + words[1:]
	}
	return words
}

// CommandPath is the group and verb of an operation on the command line: "plan accept"; "" for what only vespe does.
func (n Name) CommandPath() string { return operations[n].command }

// Command is the command line of an operation, without its arguments: "vespe plan accept".
func (n Name) Command() string { return "vespe " + n.CommandPath() }

// Verb is the command that did it before commands had groups, and still does: "accept-plan".
func (n Name) Verb() string { return strings.ReplaceAll(string(n), "_", "-") }

// Phrase is the verb of a sentence about an operation, before the task's name: "accept plan of".
func (n Name) Phrase() string { return operations[n].phrase }
