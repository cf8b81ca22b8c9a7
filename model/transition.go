package model

// Who says which kinds of actor may fire a transition.
type Who uint8

// Who may fire a transition.
const (
	WhoAny           Who = iota // every actor
	WhoHuman                    // a person
	WhoHumanForHITL             // every actor; a person when the pause waits for one
	WhoHumanOrSystem            // a person or vespe itself
	WhoSystem                   // vespe itself, inside the transaction of its cause
)

// String is the column "who" of docs/format/lifecycle.md.
func (w Who) String() string {
	switch w {
	case WhoHuman:
		return "human"
	case WhoHumanForHITL:
		return "any / human for hitl"
	case WhoHumanOrSystem:
		return "human, system"
	case WhoSystem:
		return "system"
	}
	return "any"
}

// ArgKind says how an argument is typed in.
type ArgKind uint8

// The kinds of argument.
const (
	ArgText    ArgKind = iota // many lines
	ArgReason                 // Op.Reason: one line
	ArgUID                    // a task
	ArgActor                  // who does something
	ArgBool                   // yes or no
	ArgComment                // a comment's id
)

// Arg is one argument of a transition, which SetArg gives an operation by its name.
type Arg struct {
	Name     string // "text", "reason", "summary", "details", "failure", "worker", "subtask", "success"
	Kind     ArgKind
	Required bool
	Help     string
}

// GuardInfo is one condition of a row, for documents and help.
type GuardInfo struct {
	ID    Guard
	Needs string // what must be so, after "needs": "a reason", "no live run"
}

// Transition is one row of the lifecycle table, as the palette, the footer, the help, the
// command line and the documents show it. What runs is beside it in the lifecycle's own row.
type Transition struct {
	Name      Name
	From      []State // where it may start
	FromText  string  // the same in words, for the documents
	To        []State // where it may lead; empty: the state stays or is what it was before
	ToText    string
	Who       Who
	Args      []Arg
	Takes     Args        // the zero value of what Op.Args has to be; nil: nothing
	Guards    []GuardInfo // in the order in which they are checked
	Effect    string      // one or two sentences
	Verdict   bool        // a person's verdict: undo may take it back
	Dangerous bool        // ends something: ask before it happens
	Help      string      // one line
	Example   string      // arguments of the command
}
