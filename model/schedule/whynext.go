package schedule

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
)

// Standing is the place of a ready task among those that are ready (Next).
type Standing struct {
	Place, Of int      // from 1: it is the Place-th of Of
	Reasons   []string // what counts for its place, sentences without a full stop
}

// WhyNext explains the place of task i in Next; false where it is not ready, for which Why has the
// reasons.
func (c *Schedule) WhyNext(i int) (Standing, bool) {
	s := c.s
	list := readyOf(s)
	k := slices.Index(list, int32(i))
	if k < 0 {
		return Standing{}, false
	}
	st := Standing{Place: k + 1, Of: len(list)}
	if spec := s.At(i).Spec; spec != nil && spec.Priority != "" {
		by := ""
		if rule := spec.RuledPriority(); rule != "" {
			by = ", by the rule " + model.Plain(rule)
		}
		st.Reasons = append(st.Reasons, "its priority is "+model.Plain(string(spec.Priority))+by)
	} else {
		st.Reasons = append(st.Reasons, "it has no priority, which counts as medium")
	}
	if k, all := milestoneRank(s, int32(i)), s.MilestoneFile().List; len(all) > 0 {
		words := "it has no milestone"
		if int(k) < len(all) {
			words = fmt.Sprintf("it is in milestone %s, the %s of %d", model.Plain(all[k].ID), Ordinal(int(k)+1), len(all))
		}
		st.Reasons = append(st.Reasons, words)
	}
	st.Reasons = append(st.Reasons, c.chainWords(int32(i)))
	if k > 0 {
		st.Reasons = append(st.Reasons, c.comparison("after", list[k-1], list[k-1], int32(i)))
	}
	if k+1 < len(list) {
		st.Reasons = append(st.Reasons, c.comparison("before", list[k+1], int32(i), list[k+1]))
	}
	return st, true
}

// chainWords is the chain of work behind task v.
func (c *Schedule) chainWords(v int32) string {
	chain := c.chain(v)
	if len(chain) == 0 {
		return "nothing waits for it"
	}
	const most = 4
	var names []string
	for _, d := range chain {
		if len(names) == most {
			names = append(names, fmt.Sprintf("%d more", len(chain)-most))
			break
		}
		names = append(names, fmt.Sprintf("%q", model.Plain(c.s.Title(int(d)))))
	}
	return fmt.Sprintf("the longest chain from this task takes %s, through %s", model.Lasting(c.Behind(int(v))), strings.Join(names, " → "))
}

// chain is the longest chain of open tasks behind task v, without it.
func (c *Schedule) chain(v int32) []int32 {
	var out []int32
	for len(out) < len(c.slot) { // in a cycle it could go on for ever
		rest := c.behind[v] - (c.slot[v].finish - c.slot[v].start)
		k := slices.IndexFunc(c.waits.In.Of(v), func(d int32) bool {
			return c.slot[d].open && c.behind[d] == rest
		})
		if k < 0 {
			break
		}
		v = c.waits.In.Of(v)[k]
		out = append(out, v)
	}
	return out
}

// comparison says what puts the ready task first before the ready task then, as far as Next goes by it.
func (c *Schedule) comparison(where string, other, first, then int32) string {
	s := c.s
	why := "was created first"
	switch a, b := s.Rank(int(first)), s.Rank(int(then)); {
	case a != b:
		why = "has the higher priority"
	case milestoneRank(s, first) != milestoneRank(s, then):
		why = "is in the earlier milestone"
	case c.behind[first] != c.behind[then]:
		why = fmt.Sprintf("starts the longer chain (%s vs. %s)", model.Lasting(c.Behind(int(first))), model.Lasting(c.Behind(int(then))))
	}
	who := "it"
	if first == other {
		who = "that one"
	}
	return fmt.Sprintf("it comes %s %q: %s %s", where, model.Plain(s.Title(int(other))), who, why)
}

// Prospects say when the work on task i could be done, sentences without a full stop: how long it
// takes and how that is known, what it waits for longest, its slack, or what it is stuck on. nil for
// one whose work is over.
func (c *Schedule) Prospects(i int) (out []string) {
	if !c.slot[i].open {
		return nil
	}
	if words := c.effortWords(i); words != "" {
		out = append(out, "it takes "+words)
	}
	start, finish, slack, ok := c.Span(i)
	if !ok {
		return append(out, c.stuckWords(int32(i)))
	}
	if path := c.PathTo(i); len(path) > 1 && start > 0 {
		out = append(out, fmt.Sprintf("it can end in %s at the earliest: %s before it, %q last", model.Lasting(finish),
			model.Plural(len(path)-1, "task comes", "tasks come"), model.Plain(c.s.Title(int(path[len(path)-2])))))
	}
	if slack == 0 {
		return append(out, "it is on the critical path: any delay moves the overall finish")
	}
	return append(out, fmt.Sprintf("it can slip %s before it delays the overall finish", model.Lasting(slack)))
}

// stuckWords name the first cause that keeps task v from ever being completed.
func (c *Schedule) stuckWords(v int32) string {
	held := map[int32]*Deadlock{}
	for _, d := range slices.Backward(c.deadlocks()) {
		for _, h := range d.Held {
			held[h] = &d
		}
	}
	seen := map[int32]bool{v: true}
	queue := []int32{v}
	for k := 0; k < len(queue); k++ { // the nearest cause, by fewest steps
		if d := held[queue[k]]; d != nil {
			return "it can never be completed: " + d.Text + "; " + d.Hint
		}
		for _, d := range c.waits.Out.Of(queue[k]) {
			if c.slot[d].stuck && !seen[d] {
				seen[d] = true
				queue = append(queue, d)
			}
		}
	}
	return "it can never be completed"
}

// Ordinal is 1st, 2nd, 3rd, 4th …
func Ordinal(n int) string {
	switch {
	case n%100/10 == 1:
		return fmt.Sprintf("%dth", n)
	case n%10 == 1:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}
