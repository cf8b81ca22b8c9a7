package stats

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"vespe/internal/viewtest"
	"vespe/model"
	"vespe/model/history"
	"vespe/model/snapshot"
	"vespe/ui/style"
	"vespe/ui/text"
)

// lives are the events of viewtest.Project, a few days long.
func lives(s *snapshot.Snapshot) *history.Journal {
	var all []*history.Chronicle
	for i := range s.Len() {
		rng := rand.New(rand.NewPCG(3, uint64(i)))
		at := viewtest.Now().Add(-time.Duration(40+rng.IntN(200)) * time.Hour)
		var events []model.Event
		add := func(n model.Name, to model.State, a model.Actor, reason string) {
			at = at.Add(time.Duration(1+rng.IntN(500)) * time.Minute)
			events = append(events, model.Event{UID: s.UID(i), Name: n, To: to, Actor: a, At: at, Reason: reason, Details: []model.ExtraField{{Key: "revision", Value: []byte("1")}}})
		}
		add(model.CreateTask, model.Created, "human:ann", "")
		add(model.DefineObjective, model.ObjectiveDefined, "agent:claude", "")
		add(model.DefinePlan, model.PlanDefined, "agent:claude", "")
		if i%3 == 0 {
			add(model.RejectPlan, model.ObjectiveDefined, "human:raj", "not like\nthis \x1b[2J")
			add(model.DefinePlan, model.PlanDefined, "agent:codex", "")
		}
		if i%2 == 0 {
			add(model.AcceptPlan, model.Working, "human:ann", "")
			add(model.Start, model.Working, "agent:claude", "")
			if i%4 == 0 {
				add(model.RaiseError, model.Errored, "agent:claude", "the tests fail")
				add(model.Retry, model.Working, "agent:claude", "")
			}
		}
		all = append(all, history.NewChronicle(s.UID(i), events))
	}
	return history.New(1, all)
}

func TestGolden(t *testing.T) {
	s := viewtest.Snapshot(viewtest.Project())
	j := lives(s)
	st := j.Stats(s, nil, time.Time{}, viewtest.Now())
	for _, look := range viewtest.Looks() {
		for _, w := range []int{40, 76, 140} {
			styles := viewtest.Styles(look.Opt)
			for name, lines := range map[string][]string{
				"stats":    Stats(styles, &st, w),
				"timeline": Timeline(styles, j.Timeline(s, s.UID(12), viewtest.Now()), j.Of(s.UID(12)), viewtest.Now(), w),
			} {
				viewtest.Golden(t, fmt.Sprintf("%s-%d-%s", name, w, look.Name), text.Fit(lines, w, len(lines)), w, len(lines))
			}
		}
	}
}

// Whatever the width, no line is wider, and nothing from a file reaches the terminal as it is.
func TestLinesFit(t *testing.T) {
	s := viewtest.Snapshot(viewtest.Project())
	j := lives(s)
	rapid.Check(t, func(t *rapid.T) {
		styles := viewtest.Styles(rapid.SampledFrom(viewtest.Looks()).Draw(t, "look").Opt)
		w := rapid.IntRange(1, 220).Draw(t, "w")
		st := j.Stats(s, nil, viewtest.Now().Add(-time.Duration(rapid.IntRange(0, 300).Draw(t, "hours"))*time.Hour), viewtest.Now())
		uid := s.UID(rapid.IntRange(0, s.Len()-1).Draw(t, "task"))
		for _, lines := range [][]string{Stats(styles, &st, w), Timeline(styles, j.Timeline(s, uid, viewtest.Now()), j.Of(uid), viewtest.Now(), w)} {
			for _, l := range lines {
				if n := text.Width(l); n > w {
					t.Fatalf("%d cells of %d: %q", n, w, l)
				}
				if strings.Contains(l, "\x1b[2J") {
					t.Fatalf("%q", l)
				}
			}
		}
	})
}

func TestNothingIsSaid(t *testing.T) {
	st := viewtest.Styles(style.Options{NoColor: true})
	none := history.New(0, nil).Stats(viewtest.Snapshot(nil), nil, time.Time{}, viewtest.Now())
	if got := ansi.Strip(strings.Join(Stats(st, &none, 60), "\n")); !strings.Contains(got, "No activity") {
		t.Errorf("statistics of nothing are %q", got)
	}
	if got := ansi.Strip(strings.Join(Timeline(st, nil, nil, viewtest.Now(), 60), "\n")); !strings.Contains(got, "is empty") {
		t.Errorf("the timeline of nothing is %q", got)
	}
}
