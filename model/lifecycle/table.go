package lifecycle

import (
	"reflect"
	"slices"

	"vespe/model"
)

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
	ID    model.Guard
	Needs string // what must be so, after "needs": "a reason", "no live run"
}

// Transition is one row of the lifecycle table. The palette, the footer, the help, the
// CLI and the documents are generated from these fields; the guards and the effect that
// belong to the row are unexported, so that Apply is the only way to run them.
type Transition struct {
	Name      model.Name
	From      []model.State // where it may start
	FromText  string        // the same in words, for the documents
	To        []model.State // where it may lead; empty: the state stays or is what it was before
	ToText    string
	Who       Who
	Args      []Arg
	Takes     model.Args  // the zero value of what Op.Args has to be; nil: nothing
	Guards    []GuardInfo // in the order in which they are checked
	Effect    string      // one or two sentences
	Verdict   bool        // a person's verdict: undo may take it back
	Dangerous bool        // ends something: ask before it happens
	Help      string      // one line
	Example   string      // arguments of the command

	stateHints map[model.State]string // what to do instead, where the general hint would mislead
	checks     []check
	effect     func(*step) *model.Refusal
}

// Table is every transition in the order of the documents, with `check` (recompute staleness) before revalidate. The
// slice is the caller's; what its rows point to is shared and must not be changed.
func Table() []Transition { return slices.Clone(lifecycle().rows) }

// Lookup finds a row by name. What the row points to is shared and must not be changed.
func Lookup(n model.Name) (Transition, bool) {
	for i := range lifecycle().rows {
		if lifecycle().rows[i].Name == n {
			return lifecycle().rows[i], true
		}
	}
	return Transition{}, false
}

// accepts reports whether the row's operation may have these arguments.
func accepts(t *Transition, args model.Args) bool {
	return args == nil || reflect.TypeOf(args) == reflect.TypeOf(t.Takes)
}

// SetArg gives an operation one of its arguments, by the name that its row has for it (the tag `arg`). It does nothing
// where the operation takes no such argument.
func SetArg(op *model.Op, name string, value any) {
	if reason, ok := value.(string); ok && name == "reason" {
		op.Reason = reason
		return
	}
	row := lifecycle().row(op.Name)
	if row == nil || row.Takes == nil || !accepts(row, op.Args) {
		return
	}
	args := reflect.New(reflect.TypeOf(row.Takes)).Elem()
	if op.Args != nil {
		args.Set(reflect.ValueOf(op.Args))
	}
	for field, at := range args.Fields() {
		if v := reflect.ValueOf(value); field.Tag.Get("arg") == name && v.CanConvert(field.Type) {
			at.Set(v.Convert(field.Type))
			op.Args, _ = args.Interface().(model.Args)
		}
	}
}

// FillText gives an operation the text of many lines that its row takes, where it has none.
func FillText(op *model.Op, text string) {
	row, _ := Lookup(op.Name)
	for _, arg := range row.Args {
		if arg.Kind == ArgText && op.Text() == "" {
			SetArg(op, arg.Name, text)
		}
	}
}
