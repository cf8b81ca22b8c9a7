package priority

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/expr-lang/expr/vm"

	"vespe/model"
)

// Path is where the rules are, below .vespe.
const Path = "rules/priority.yml"

// Rules are the rules of a store. Build them with Parse; the zero value sets nothing.
type Rules struct {
	// Hash is that of the file; "" where there is none.
	Hash string
	// Command is score_command: the arguments of the program that scores tasks. It may be run
	// only where the store is trusted.
	Command []string

	domains    []string
	patterns   []rule
	rules      []rule
	thresholds []threshold // the highest first
	byDefault  model.Priority
}

// rule is a pattern on the objective or an expression.
type rule struct {
	id       string // "patterns[1]", "rules[2]"
	said     string // the regex, the rule's name or its expression
	line     int
	regex    *regexp.Regexp
	program  *vm.Program
	priority model.Priority
}

type threshold struct {
	least    float64
	priority model.Priority
}

// Step is one rule as it was looked at.
type Step struct {
	Rule     string         `json:"rule"` // "bank_whitelist", "patterns[1]", "rules[2]", "score", "default"
	Said     string         `json:"said,omitempty"`
	Line     int            `json:"line,omitempty"`
	Matches  bool           `json:"matches"`
	Priority model.Priority `json:"priority,omitempty"` // what it would set
	Counts   bool           `json:"counts,omitempty"`   // it set the priority
	Error    string         `json:"error,omitempty"`    // an expression that could not be worked out, which does not match
}

// Verdict is what the rules make of a task.
type Verdict struct {
	Priority model.Priority // "" where nothing says anything
	// Rule names what set it, for people: `patterns[1] invoice`, `score 0.91`.
	Rule  string
	Steps []Step // all that was looked at, in order
}

// Judge finds the priority of a task. score is that of a command, from 0 to 1; nil for none.
func (r *Rules) Judge(f *Facts, score *float64) Verdict {
	var v Verdict
	if r == nil {
		return v
	}
	found := -1
	add := func(s Step) {
		if s.Matches && found < 0 {
			found = len(v.Steps)
		}
		v.Steps = append(v.Steps, s)
	}
	if len(r.domains) > 0 {
		s := Step{Rule: "bank_whitelist", Said: f.SenderDomain, Priority: model.High}
		for _, d := range r.domains {
			s.Matches = s.Matches || d == f.SenderDomain && d != ""
		}
		add(s)
	}
	for i := range r.patterns {
		p := &r.patterns[i]
		add(Step{Rule: p.id, Said: p.said, Line: p.line, Priority: p.priority, Matches: p.regex.MatchString(f.Objective)})
	}
	for i := range r.rules {
		x := &r.rules[i]
		is, err := x.holds(f)
		s := Step{Rule: x.id, Said: x.said, Line: x.line, Priority: x.priority, Matches: is}
		if err != nil {
			s.Error = err.Error()
		}
		add(s)
	}
	if r.byDefault != "" {
		add(Step{Rule: "default", Matches: true, Priority: r.byDefault})
	}
	if found >= 0 {
		v.Priority = v.Steps[found].Priority
	}
	if score != nil && len(r.thresholds) > 0 {
		s := Step{Rule: "score", Said: strconv.FormatFloat(*score, 'g', 3, 64)}
		for _, t := range r.thresholds {
			if *score >= t.least {
				s.Matches, s.Priority = true, t.priority
				break
			}
		}
		if s.Matches && (v.Priority == "" || s.Priority.Rank() < v.Priority.Rank()) {
			found, v.Priority = len(v.Steps), s.Priority
		}
		v.Steps = append(v.Steps, s)
	}
	if found >= 0 {
		v.Steps[found].Counts = true
		v.Rule = v.Steps[found].named()
	}
	return v
}

// named is a rule for people.
func (s *Step) named() string {
	if s.Said == "" {
		return s.Rule
	}
	said := []rune(s.Said)
	if len(said) > 60 {
		said = append(said[:59], '…')
	}
	return fmt.Sprintf("%s %s", s.Rule, string(said))
}
