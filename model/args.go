package model

import (
	"reflect"
	"slices"
)

// Args is what one operation needs beside the fields of Op that all have. The row of an operation names the type
// (Transition.Takes); nil stands for the zero value.
type Args interface{ isArgs() }

// ArgsOf is what an operation needs as a T; the zero value where it brings none, or others.
func ArgsOf[T Args](op *Op) T {
	args, _ := op.Args.(T)
	return args
}

// accepts reports whether the row's operation may have these arguments.
func (t *Transition) accepts(args Args) bool {
	return args == nil || reflect.TypeOf(args) == reflect.TypeOf(t.Takes)
}

// SetArg gives an operation one of its arguments, by the name that its row has for it (the tag `arg`). It does nothing
// where the operation takes no such argument.
func (op *Op) SetArg(name string, value any) {
	row := lifecycle().row(op.Name)
	if row == nil || row.Takes == nil || !row.accepts(op.Args) {
		return
	}
	args := reflect.New(reflect.TypeOf(row.Takes)).Elem()
	if op.Args != nil {
		args.Set(reflect.ValueOf(op.Args))
	}
	for field, at := range args.Fields() {
		if v := reflect.ValueOf(value); field.Tag.Get("arg") == name && v.CanConvert(field.Type) {
			at.Set(v.Convert(field.Type))
			op.Args, _ = args.Interface().(Args)
		}
	}
}

// FillUIDs gives the tasks that an operation makes the uids that they lack.
func (op *Op) FillUIDs(newUID func() UID) {
	fill := func(uid *UID) {
		if *uid == "" {
			*uid = newUID()
		}
	}
	switch args := op.Args.(type) {
	case NewTask:
		fill(&args.UID)
		for i := range args.PhaseUIDs {
			if args.Phases {
				fill(&args.PhaseUIDs[i])
			}
		}
		op.Args, op.UID = args, args.UID
	case Decomposition:
		args.Subtasks = slices.Clone(args.Subtasks)
		for i := range args.Subtasks {
			fill(&args.Subtasks[i].UID)
		}
		op.Args = args
	}
}

// RequestRef names a request: fetch_answer, and undo of an answer.
type RequestRef struct {
	Request string `arg:"request"`
}

// Settlement names the request that settle closes, by its id or by its key.
type Settlement struct {
	Request string `arg:"request"`
	Key     string
}

// Request is the id of the request that an operation names; "" for none.
func (op *Op) Request() string {
	switch args := op.Args.(type) {
	case Answering:
		return args.Request
	case RequestRef:
		return args.Request
	case Settlement:
		return args.Request
	}
	return ""
}

func (NewTask) isArgs()       {}
func (NewRequest) isArgs()    {}
func (Answering) isArgs()     {}
func (RequestRef) isArgs()    {}
func (Settlement) isArgs()    {}
func (MilestoneEdit) isArgs() {}
func (PriorityBy) isArgs()    {}
func (Imported) isArgs()      {}
func (Decomposition) isArgs() {}
func (Guidance) isArgs()      {}
func (External) isArgs()      {}
