package lifecycle

import (
	"reflect"
	"slices"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
)

// Table is every transition in the order of the documents, with `check` (recompute staleness) before revalidate. The
// slice is the caller's; what its rows point to is shared and must not be changed.
func Table() []model.Transition {
	out := make([]model.Transition, len(lifecycle().Rows))
	for i, row := range lifecycle().Rows {
		out[i] = row.Transition
	}
	return out
}

// Lookup finds a row by name. What the row points to is shared and must not be changed.
func Lookup(n model.Name) (model.Transition, bool) {
	rows := lifecycle().Rows
	if i := slices.IndexFunc(rows, func(r machine.Row) bool { return r.Name == n }); i >= 0 {
		return rows[i].Transition, true
	}
	return model.Transition{}, false
}

// accepts reports whether the row's operation may have these arguments.
func accepts(t *machine.Row, args model.Args) bool {
	return args == nil || reflect.TypeOf(args) == reflect.TypeOf(t.Takes)
}

// SetArg gives an operation one of its arguments, by the name that its row has for it (the tag `arg`). It does nothing
// where the operation takes no such argument.
func SetArg(op *model.Op, name string, value any) {
	if reason, ok := value.(string); ok && name == "reason" {
		op.Reason = reason
		return
	}
	row := lifecycle().Row(op.Name)
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
		if arg.Kind == model.ArgText && op.Text() == "" {
			SetArg(op, arg.Name, text)
		}
	}
}
