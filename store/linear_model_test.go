package store

import (
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"

	"vespe/model"
)

// A group is three tasks that transactions change one by one or together: two with an
// accepted plan, on which one run at a time may be, and one that asks a person about what it
// waits for in vain. Groups share nothing, so that each is checked by itself.
const (
	groupA = iota // works
	groupB        // works, too
	groupC        // asks
	groupSize
)

// The kinds of operation on a group.
const (
	linRead    = "read"    // the whole group, from one snapshot
	linSet     = "set"     // one label instead of all, if the revision is the expected one
	linAdd     = "add"     // one label more
	linBoth    = "both"    // one label more for two tasks, in one transaction
	linClaim   = "claim"   // begins a run, if there is none
	linRelease = "release" // ends the run there may be, if the revision is the expected one
	linAsk     = "ask"     // a task that is aborted, and a request about it, in one transaction
)

// linOp is one operation as a worker is told it.
type linOp struct {
	ID     string
	Kind   string
	Group  int
	Which  int    // groupA or groupB
	Expect int    // revision; linSet, linRelease
	Value  string // label or run
	How    int    // linRead: which of the ways to read
	Die    int    // the call that changes something at which the process is killed; 0: none
}

// linGroup is everything about a group that operations change: the state of the model, and
// what a read answers.
type linGroup struct {
	Revision [groupSize]int
	Labels   [2]string
	Run      [2]string
	Asked    string
}

// linAnswer is what a worker says.
type linAnswer struct {
	Guard    model.Guard    // that refused it
	Busy     bool           // others were in the way: nothing was changed
	Error    string         // anything else that went wrong
	Revision [groupSize]int // after it, of the tasks that it changed
	Group    linGroup       // linRead
	Seq      uint64
	Replayed bool
	Warnings []string

	Unknown bool // the process was killed: it happened, or it did not
}

// after is the group after an operation, or the guard that has to refuse it.
func (g linGroup) after(op linOp) (linGroup, model.Guard) {
	label := func(list string) string { return strings.TrimPrefix(list+" "+op.Value, " ") }
	switch w := op.Which; op.Kind {
	case linSet, linRelease:
		if g.Revision[w] != op.Expect {
			return g, model.GuardRevision
		}
		if op.Kind == linSet {
			g.Labels[w] = op.Value
			g.Revision[w]++
		} else { // an error and a retry
			g.Run[w] = ""
			g.Revision[w] += 2
		}
	case linAdd:
		g.Labels[w] = label(g.Labels[w])
		g.Revision[w]++
	case linBoth:
		for i := range g.Labels {
			g.Labels[i] = label(g.Labels[i])
			g.Revision[i]++
		}
	case linClaim:
		if g.Run[w] != "" {
			return g, model.GuardNoRun
		}
		g.Run[w] = op.Value
		g.Revision[w]++
	case linAsk:
		list := append(strings.Fields(g.Asked), "tsk-"+op.Value)
		slices.Sort(list)
		g.Asked = strings.Join(list, " ")
		g.Revision[groupC]++
	}
	return g, ""
}

// allows is the groups that there may be after an operation that was answered so.
func (g linGroup) allows(op linOp, a linAnswer) []any {
	next, guard := g.after(op)
	switch {
	case a.Unknown && guard == "":
		return []any{g, next}
	case a.Unknown, a.Busy:
		return []any{g}
	case op.Kind == linRead:
		if a.Group != g {
			return nil
		}
	case a.Guard != guard:
		return nil
	case guard == "":
		for i, r := range next.Revision {
			if r != g.Revision[i] && r != a.Revision[i] {
				return nil
			}
		}
	}
	return []any{next}
}

// linModel checks each group by itself; all begin alike.
func linModel(first linGroup, groups int) porcupine.Model {
	m := porcupine.NondeterministicModel{
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			parts := make([][]porcupine.Operation, groups)
			for _, o := range history {
				g := o.Input.(linOp).Group
				parts[g] = append(parts[g], o)
			}
			return parts
		},
		Init: func() []any { return []any{first} },
		Step: func(state, input, output any) []any {
			return state.(linGroup).allows(input.(linOp), output.(linAnswer))
		},
	}
	return m.ToModel()
}
