package schedule

import (
	"fmt"

	"vespe/model"
)

// Whereabouts is where an open task lies in the schedule of all open work.
type Whereabouts struct {
	Critical bool // any delay moves the overall finish
	Stuck    bool // it can never be completed as things are
	Facts    []SchedulingFact
}

// SchedulingFact is one thing that is known of it, for people.
type SchedulingFact struct{ Label, Text string } // no label: it adds to the fact before

// Whereabouts is when the work on task i could be done, as a schedule and waves of any number of workers
// have it; false where it is over. The first call looks at every open task.
func (c *Schedule) Whereabouts(i int) (w Whereabouts, ok bool) {
	if !c.slot[i].open {
		return w, false
	}
	put := func(label, text string) { w.Facts = append(w.Facts, SchedulingFact{label, text}) }
	if words := c.effortWords(i); words != "" {
		put("Takes", words)
	} else {
		put("Takes", "what its subtasks take")
	}
	start, finish, slack, fits := c.Span(i)
	if !fits {
		w.Stuck = true
		put("Ends", c.stuckWords(int32(i)))
		return w, true
	}
	w.Critical = c.Critical(i)
	if path := c.PathTo(i); len(path) > 1 && start > 0 {
		put("Starts", fmt.Sprintf("in %s at the earliest: %s before it, %q last", model.Lasting(start),
			model.Plural(len(path)-1, "task comes", "tasks come"), model.Plain(c.s.Title(int(path[len(path)-2])))))
	}
	put("Ends", fmt.Sprintf("in %s at the earliest", model.Lasting(finish)))
	if w.Critical {
		put("Slack", "none: any delay moves the finish")
	} else {
		put("Slack", model.Lasting(slack)+" before it delays the finish")
	}
	if waves := c.waveOf(); waves.of[i] > 0 {
		put("Wave", fmt.Sprintf("%d of %d", waves.of[i], waves.n))
	}
	if st, ok := c.WhyNext(i); ok {
		words := "the only task that is ready"
		if st.Of > 1 {
			words = fmt.Sprintf("%s of %d ready tasks", Ordinal(st.Place), st.Of)
		}
		put("Queue", words)
		for _, why := range st.Reasons {
			put("", why)
		}
	}
	return w, true
}

// waveNumbers is the number of the wave that each task is in, from 1; 0 for none.
type waveNumbers struct {
	of []int32
	n  int
}

func (c *Schedule) findWaveOf() waveNumbers {
	list := c.Waves(0)
	out := waveNumbers{make([]int32, c.s.Len()), len(list)}
	for k, wave := range list {
		for _, t := range wave.Tasks {
			out.of[t.Task] = int32(k + 1)
		}
	}
	return out
}

// effortWords are how long the work on task i takes itself, and how that is known; "" where it takes no
// time.
func (c *Schedule) effortWords(i int) string {
	effort, how := c.Effort(i)
	switch {
	case how == FromRuns:
		return fmt.Sprintf("about %s, based on its %s", model.Lasting(effort), model.Plural(c.s.At(i).Status.Runs, "run", "runs"))
	case how == FromComplexity && c.Scale != 1:
		return fmt.Sprintf("about %s by its complexity and the %s so far", model.Lasting(effort), model.Plural(c.Known, "completed task", "completed tasks"))
	case how == FromComplexity:
		return fmt.Sprintf("about %s by its complexity", model.Lasting(effort))
	}
	return ""
}
