package distill

import (
	"errors"
	"fmt"
	"strings"

	"vespe/model"
	"vespe/model/priority"
)

// heading is what the guidelines that were distilled stand below.
const heading = "# Learned from reviews and runs"

// Apply puts suggestions into the two files. What people wrote stays. The error says why the rules cannot take one.
func Apply(guidelines, rules []byte, chosen []Suggestion) (newGuidelines, newRules []byte, err error) {
	for _, s := range chosen {
		if s.Guideline != "" {
			guidelines = addGuideline(guidelines, s.Guideline)
		}
		if s.Rule != nil {
			if rules, err = addRule(rules, s.Rule); err != nil {
				return nil, nil, err
			}
		}
	}
	return guidelines, rules, readable(rules)
}

// readable refuses rules of which nothing would hold.
func readable(rules []byte) error {
	if _, problems := priority.Parse(priority.Path, rules); len(rules) > 0 {
		for _, p := range problems {
			if p.Severity == model.Error {
				return fmt.Errorf("%s would be unreadable: line %d: %s", priority.Path, p.Line, p.Reason)
			}
		}
	}
	return nil
}

func lines(b []byte) []string {
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// addGuideline puts a line at the end of what was distilled before.
func addGuideline(b []byte, line string) []byte {
	line = "- " + line
	if strings.TrimSpace(string(b)) == "" {
		return []byte(heading + "\n\n" + line + "\n")
	}
	all := lines(b)
	at := -1
	for i, l := range all {
		switch {
		case strings.TrimRight(l, " \r") == heading:
			at = i + 1
		case at >= 0 && strings.HasPrefix(l, "#"):
			return join(all[:last(all, at, i)], line, all[last(all, at, i):])
		}
	}
	if at < 0 {
		return []byte(strings.TrimRight(string(b), "\n") + "\n\n" + heading + "\n\n" + line + "\n")
	}
	end := last(all, at, len(all))
	if end == at {
		return join(append(all[:at:at], ""), line, all[at:])
	}
	return join(all[:end], line, all[end:])
}

// last is behind the last line with words from one on to another.
func last(all []string, from, to int) int {
	for to > from && strings.TrimSpace(all[to-1]) == "" {
		to--
	}
	return to
}

func join(head []string, line string, tail []string) []byte {
	out := append(append(append([]string{}, head...), line), tail...)
	return []byte(strings.Join(out, "\n") + "\n")
}

// quoted is a text as YAML takes it in any place.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// addRule puts a rule behind the others.
func addRule(b []byte, r *Rule) ([]byte, error) {
	item := func(indent string) string {
		return fmt.Sprintf("%s- name: %s\n%s  when: %s\n%s  priority: %s", indent, quoted(r.Name), indent, quoted(r.When), indent, r.Priority)
	}
	text := strings.TrimRight(string(b), "\n")
	if strings.TrimSpace(text) == "" {
		return []byte("rules:\n" + item("  ") + "\n"), nil
	}
	all := lines([]byte(text))
	for i, l := range all {
		rest, ok := strings.CutPrefix(l, "rules:")
		if !ok {
			continue
		}
		if rest, _, _ = strings.Cut(rest, "#"); strings.TrimSpace(rest) != "" {
			return nil, errors.New(priority.Path + " has its rules in one line: add this one by hand")
		}
		end, indent := i+1, "  "
		for k := i + 1; k < len(all); k++ {
			inner := strings.TrimLeft(all[k], " ")
			if inner != "" && inner[0] != '#' && inner[0] != '-' && len(inner) == len(all[k]) {
				break
			}
			if strings.HasPrefix(inner, "- ") && end == i+1 {
				indent = all[k][:len(all[k])-len(inner)]
			}
			if inner != "" && (inner[0] != '#' || len(inner) < len(all[k])) {
				end = k + 1
			}
		}
		return join(all[:end], item(indent), all[end:]), nil
	}
	return []byte(text + "\nrules:\n" + item("  ") + "\n"), nil
}
