package worker

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"vespe/model"
	"vespe/store/trust"
)

// Where a setting came from.
const (
	FromBuiltIn = "built in"
	FromUser    = "config.toml"
	FromStore   = ".vespe/config.json"
	FromCaller  = "as asked for"
)

// FromStoreName is the name of the worker that a store brings along (worker.argv).
const FromStoreName = "project"

// What holds where nobody says anything.
const (
	DefaultParallel = 1
	DefaultWall     = time.Hour
	DefaultSilence  = 20 * time.Minute
	DefaultOutput   = 64 << 20
	DefaultBranch   = "vespe/integration"
)

// Settings are what holds for the loop in one store. A limit of 0 is none.
type Settings struct {
	Worker        Template
	Parallel      int
	Wall, Silence time.Duration
	Output        int64 // bytes
	MaxCost       float64
	MaxTurns      int
	Branch        string
	Target        string // "": the checked-out branch when the loop starts
	Integrate     string
	Untested      string
	Setup         [][]string
	Withheld      []string // for people: what the store asks for and does not get
}

// Effective are the settings for a store: use, where a caller names a worker, then what the person says,
// then the store, then what is built in; of limits that both give the stricter. What of a store would run
// a command, or take a decision away from a person, counts only as it is in allowed: as it was when the
// person trusted the store with it. An error says what a person has to do first.
func Effective(u *User, p model.WorkerPolicy, allowed trust.Worker, use string) (Settings, error) {
	var s Settings
	if len(u.Wrong) > 0 {
		var said []string
		for _, w := range u.Wrong {
			said = append(said, w.Says)
		}
		return s, errors.New("config.toml: " + strings.Join(said, "; "))
	}
	if p.Unread != "" {
		return s, errors.New(p.Unread)
	}
	mine := &u.Policy
	s.Parallel = limit(mine.Parallel, p.Parallel, DefaultParallel)
	s.Wall = limit(mine.Wall, p.Wall, DefaultWall)
	s.Silence = limit(mine.Silence, p.Silence, DefaultSilence)
	s.Output = limit(mine.Output, p.Output, DefaultOutput)
	s.MaxCost = limit(mine.MaxCost, p.MaxCost, 0)
	s.MaxTurns = limit(mine.MaxTurns, p.MaxTurns, 0)
	// What nobody has reviewed yet lies on the one, and what is accepted comes onto the other.
	if p.Branch != "" && p.Branch != DefaultBranch && p.Branch != allowed.Branch {
		s.withhold(fmt.Sprintf("worker.branch is %q", p.Branch))
		p.Branch = ""
	}
	if p.Target != "" && p.Target != allowed.Target {
		s.withhold(fmt.Sprintf("worker.target is %q", p.Target))
		p.Target = ""
	}
	s.Branch, s.Target = cmp.Or(p.Branch, DefaultBranch), p.Target
	if p.Integrate == model.IntegrateVerified && allowed.Integrate != p.Integrate && mine.Integrate == "" {
		s.withhold("worker.integrate is verified")
		p.Integrate = ""
	}
	if p.Untested == model.UntestedAccept && allowed.Untested != p.Untested && mine.Untested == "" {
		s.withhold("worker.untested is accept")
		p.Untested = ""
	}
	s.Integrate = cmp.Or(stricter(mine.Integrate, p.Integrate, model.IntegrateVerified, model.IntegrateReviewed, model.IntegrateNever), model.IntegrateReviewed)
	s.Untested = cmp.Or(stricter(mine.Untested, p.Untested, model.UntestedAccept, model.UntestedAsk), model.UntestedAsk)
	if len(p.Setup) > 0 {
		if slices.EqualFunc(p.Setup, allowed.Setup, slices.Equal) {
			s.Setup = p.Setup
		} else {
			s.withhold(fmt.Sprintf("worker.setup is %q", p.Setup))
		}
	}
	return s, s.choose(u, p, allowed, use)
}

func (s *Settings) withhold(what string) {
	s.Withheld = append(s.Withheld, what+", but the store is not trusted with it: see `vespe store trust`")
}

// choose finds the worker.
func (s *Settings) choose(u *User, p model.WorkerPolicy, allowed trust.Worker, use string) error {
	var own *Template
	if len(p.Argv) > 0 {
		t := Template{Name: FromStoreName, Format: cmp.Or(p.Format, FormatText), Argv: p.Argv, From: FromStore}
		why := cmp.Or(misplaced(p.Argv), t.complete())
		switch {
		case why != "":
			s.Withheld = append(s.Withheld, "worker.argv: "+why)
		case slices.Equal(p.Argv, allowed.Argv):
			own = &t
		default:
			s.withhold(fmt.Sprintf("worker.argv is %q", p.Argv))
		}
	}
	name, from := cmp.Or(use, u.Policy.Use, p.Use), FromCaller
	switch name {
	case use:
	case u.Policy.Use:
		from = FromUser
	case p.Use:
		from = FromStore
	}
	if name == "" && len(p.Argv) > 0 {
		name, from = FromStoreName, FromStore
	}
	switch {
	case name == "":
		return errors.New("your config.toml names no worker: write use = \"claude\" under [worker], or another of " + strings.Join(u.names(), ", "))
	case name == FromStoreName && own != nil:
		s.Worker = *own
		return nil
	case name == FromStoreName:
		return errors.New(cmp.Or(strings.Join(s.Withheld, "; "), "the store has no worker of its own (worker.argv in .vespe/config.json)"))
	}
	for _, t := range u.All() {
		if t.Name == name {
			s.Worker = t
			return nil
		}
	}
	if name == "command" {
		return errors.New("the worker command needs an argv: set it under [workers.command] of your config.toml")
	}
	return fmt.Errorf("unknown worker %q (%s); known are %s", name, from, strings.Join(u.names(), ", "))
}

// limit is the stricter of what a person and a store say, or what is built in; 0 for none.
func limit[T int | int64 | float64 | time.Duration](mine, theirs, builtIn T) T {
	got := cmp.Or(theirs, builtIn)
	if mine != 0 && (theirs <= 0 || mine > 0 && mine <= theirs) {
		got = mine
	}
	return max(got, 0) // a limit that was taken away is none
}

// stricter is the word of two that stands later in words; "" where there is none.
func stricter(mine, theirs string, words ...string) string {
	if slices.Index(words, mine) >= slices.Index(words, theirs) {
		return mine
	}
	return theirs
}
