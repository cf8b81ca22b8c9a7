package distil

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"vespe/internal/lazyregexp"
	"vespe/model"
)

// Answer reads what a program makes of the files: a unified diff of guidelines.txt and rules/priority.yml; a JSON object with
// "guidelines", "priority" or both, each the whole text; or else the whole text of the guidelines. nil: it
// changes nothing.
func Answer(out, guidelines, rules []byte) (*Suggestion, error) {
	text := strings.TrimSpace(string(out))
	switch {
	case text == "":
		return nil, nil
	case !utf8.Valid(out):
		return nil, fmt.Errorf("its output is not valid UTF-8")
	}
	w := &Whole{}
	switch {
	case text[0] == '{':
		var said struct {
			Guidelines *string `json:"guidelines"`
			Priority   *string `json:"priority"`
		}
		if err := json.Unmarshal(out, &said); err != nil {
			return nil, fmt.Errorf("its output starts like JSON but is invalid: %w", err)
		}
		if said.Guidelines != nil {
			w.Guidelines = ended(*said.Guidelines)
		}
		if said.Priority != nil {
			w.Rules = ended(*said.Priority)
		}
	case strings.HasPrefix(text, "--- ") || strings.HasPrefix(text, "diff "):
		var err error
		if w.Guidelines, w.Rules, err = patched(string(out), guidelines, rules); err != nil {
			return nil, err
		}
	default:
		w.Guidelines = ended(string(out))
	}
	if w.Guidelines != nil && string(w.Guidelines) == string(guidelines) {
		w.Guidelines = nil
	}
	if w.Rules != nil && string(w.Rules) == string(rules) {
		w.Rules = nil
	}
	if w.Guidelines == nil && w.Rules == nil {
		return nil, nil
	}
	if w.Rules != nil {
		if err := readable(w.Rules); err != nil {
			return nil, err
		}
	}
	key := "program:" + model.HashBytes([]byte(string(w.Guidelines)+"\x00"+string(w.Rules)))
	return &Suggestion{Key: key, Title: "what the program proposes", Whole: w, Why: removed(w, guidelines, rules)}, nil
}

func ended(s string) []byte {
	if s = strings.TrimRight(s, "\n"); s == "" {
		return []byte{}
	}
	return []byte(s + "\n")
}

// removed counts the lines that would be gone.
func removed(w *Whole, guidelines, rules []byte) string {
	n := 0
	for _, p := range []struct{ is, was []byte }{{w.Guidelines, guidelines}, {w.Rules, rules}} {
		if p.is == nil {
			continue
		}
		left := map[string]int{}
		for l := range strings.Lines(string(p.is)) {
			left[strings.TrimSpace(l)]++
		}
		for l := range strings.Lines(string(p.was)) {
			if l = strings.TrimSpace(l); l == "" {
				continue
			}
			if left[l]--; left[l] < 0 {
				n++
			}
		}
	}
	switch n {
	case 0:
		return "it only adds"
	case 1:
		return "it removes or changes 1 existing line"
	}
	return fmt.Sprintf("it removes or changes %d existing lines", n)
}

var hunkRe = lazyregexp.New(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// patched are the two files with a unified diff applied. Every line that it names has to be where it says.
func patched(diff string, guidelines, rules []byte) (g, r []byte, err error) {
	files := map[string]*[]byte{model.GuidelinesFile: &g, model.PriorityFile: &r}
	was := map[string][]byte{model.GuidelinesFile: guidelines, model.PriorityFile: rules}
	all := strings.Split(strings.TrimSuffix(diff, "\n"), "\n")
	for i := 0; i < len(all); i++ {
		if !strings.HasPrefix(all[i], "+++ ") {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(all[i], "+++ "), "\t")
		name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(name), "b/"), ".vespe/")
		to, ok := files[name]
		if !ok {
			return nil, nil, fmt.Errorf("the diff changes %q; only %s and %s can be changed", cut(name, 60), model.GuidelinesFile, model.PriorityFile)
		}
		var out []string
		if out, i, err = hunks(all, i+1, old(was[name])); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		*to = ended(strings.Join(out, "\n"))
	}
	return g, r, nil
}

func old(b []byte) []string {
	if len(b) == 0 {
		return nil
	}
	return lines(b)
}

// hunks applies those of one file, which begin at a line of the diff, and says where they end.
func hunks(diff []string, i int, was []string) (out []string, end int, err error) {
	at := 0
	for ; i < len(diff); i++ {
		m := hunkRe.Get().FindStringSubmatch(diff[i])
		if m == nil {
			break
		}
		from, _ := strconv.Atoi(m[1])
		if m[2] != "0" {
			from--
		}
		if from < at || from > len(was) {
			return nil, 0, fmt.Errorf("a hunk of the diff is at line %s, which doesn't exist", m[1])
		}
		out = append(out, was[at:from]...)
		at = from
		left, right := number(m[2]), number(m[4])
		for i+1 < len(diff) && (left > 0 || right > 0 || strings.HasPrefix(diff[i+1], `\`)) {
			i++
			l := diff[i]
			sign, text := byte(' '), ""
			if l != "" {
				sign, text = l[0], l[1:]
			}
			switch sign {
			case '\\':
				continue
			case '+':
				out, right = append(out, text), right-1
				continue
			case '-', ' ':
			default:
				return nil, 0, fmt.Errorf("line %d of the diff doesn't start with +, - or a space", i+1)
			}
			if at >= len(was) || strings.TrimRight(was[at], "\r") != strings.TrimRight(text, "\r") {
				return nil, 0, fmt.Errorf("the diff does not fit line %d", at+1)
			}
			if left--; sign == ' ' {
				out, right = append(out, was[at]), right-1
			}
			at++
		}
	}
	return append(out, was[at:]...), i - 1, nil
}

func number(s string) int {
	if s == "" {
		return 1
	}
	n, _ := strconv.Atoi(s)
	return n
}
