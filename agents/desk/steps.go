package desk

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"vespe/internal/lazyregexp"
	"vespe/model"
	"vespe/model/decompose"
	"vespe/model/visible"
)

// irreversible is the label of a step that cannot be undone.
const irreversible = "irreversible"

// Text is the plan as it is stored: what was written, then the commands and the steps, a section each.
func (p *Plan) Text() (string, error) {
	text := p.PlanMD
	if !utf8.ValidString(text) {
		return "", problem(CodeInvalid, "plan_md is not valid UTF-8", "Send text.")
	}
	if err := tooLarge("plan_md", len(text), MaxPlan, "Shorten the plan: put what is long into files, and name them."); err != nil {
		return "", err
	}
	if len(p.Commands)+len(p.Steps) > 0 && text != "" {
		text = strings.TrimRight(text, "\n") + "\n"
	}
	section := func(body string) {
		if text != "" {
			text += "\n"
		}
		text += body
	}
	if len(p.Commands) > 0 {
		body, err := commandsOf(p.Commands)
		if err != nil {
			return "", err
		}
		section(body)
	}
	if len(p.Steps) > 0 {
		if form := formOf(text); form == decompose.FormBlock {
			return "", problem(CodeInvalid, "plan_md has a tasks block already, and steps would add another", "Give the steps once: in steps, or in the block.")
		}
		body, err := stepsOf(p.Steps)
		if err != nil {
			return "", err
		}
		section(body)
		if err := readable(text, p.Steps); err != nil {
			return "", err
		}
	}
	return text, tooLarge("the plan with its steps", len(text), MaxPlan, "Shorten the plan: put what is long into files, and name them.")
}

// formOf is the form in which a text lists tasks; "" for none, or one that cannot be read.
func formOf(text string) decompose.Form {
	b, err := decompose.Parse(text, nowhere)
	var bad *decompose.Unreadable
	switch {
	case errors.As(err, &bad):
		return decompose.FormBlock // only a block and the orchestrator's plan are refused
	case err != nil || b == nil:
		return ""
	}
	return b.Form
}

// nowhere has no file: what is to be read does not depend on what there is.
func nowhere(string) bool { return false }

// commandsOf lists commands, which a person is to see before they are run. Nothing here runs them.
func commandsOf(commands []string) (string, error) {
	const most = 100
	if len(commands) > most {
		return "", problem(CodeInvalid, fmt.Sprintf("there are %d commands; at most %d are shown", len(commands), most), "Name the ones that matter, and scripts for the rest.")
	}
	fence := "```"
	var lines strings.Builder
	for _, c := range commands {
		c = strings.TrimSpace(c)
		if c == "" || visible.Line(c) != c {
			return "", problem(CodeInvalid, fmt.Sprintf("the command %q is blank, of several lines, or has characters that cannot be seen", visible.Line(c)), "Write each command in one line, or put it into a script.")
		}
		for strings.Contains(c, fence) {
			fence += "`"
		}
		lines.WriteString(c + "\n")
	}
	return "## Commands\n\n" + fence + "sh\n" + lines.String() + fence + "\n", nil
}

var stepID = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// stepsOf is the steps as a block that model/decompose reads.
func stepsOf(steps []Step) (string, error) {
	bad := func(s Step, format string, args ...any) error {
		return problem(CodeInvalid, fmt.Sprintf("step %q ", visible.Line(s.ID))+fmt.Sprintf(format, args...), "Fix the step and send the plan again.")
	}
	if len(steps) > decompose.MaxItems {
		return "", problem(CodeInvalid, fmt.Sprintf("there are %d steps; at most %d are read", len(steps), decompose.MaxItems), "Use fewer, larger steps.")
	}
	var ids []string
	var w yamlWriter
	for _, s := range steps {
		switch {
		case !stepID.Get().MatchString(s.ID):
			return "", bad(s, "has no id that can be used: letters, digits, and inside . _ and -")
		case slices.Contains(ids, strings.ToLower(s.ID)):
			return "", bad(s, "is given twice")
		case strings.TrimSpace(s.Title) == "":
			return "", bad(s, "has no title")
		case s.Risk != "" && !slices.Contains([]string{"low", "medium", "high"}, s.Risk):
			return "", bad(s, "has the risk %q; use low, medium or high", visible.Line(s.Risk))
		}
		ids = append(ids, strings.ToLower(s.ID))
		w.step(s)
	}
	for _, s := range steps {
		for _, on := range s.DependsOn {
			if !slices.Contains(ids, strings.ToLower(on)) {
				return "", bad(s, "depends on %q, which is no step", visible.Line(on))
			}
		}
	}
	fence := "```"
	for strings.Contains(w.String(), fence) {
		fence += "`"
	}
	return "## Steps\n\n" + fence + "tasks\n" + w.String() + fence + "\n", nil
}

// yamlWriter writes what model/decompose reads.
type yamlWriter struct{ strings.Builder }

func (w *yamlWriter) step(s Step) {
	fmt.Fprintf(w, "- id: %s\n", quotedYAML(s.ID))
	w.field("name", strings.Join(strings.Fields(s.Title), " "))
	detail := strings.TrimSpace(strings.ReplaceAll(s.Detail, "\r\n", "\n"))
	if s.Reversible != nil && !*s.Reversible {
		detail = strings.TrimSpace(detail + "\n\nThis cannot be undone.")
	}
	w.text("objective", detail)
	w.list("files", s.Files)
	w.list("criteria", s.Criteria)
	w.list("depends_on", s.DependsOn)
	w.field("risk", s.Risk)
	if len(s.Verify) > 0 {
		w.WriteString("  verify:\n")
		for _, argv := range s.Verify {
			words := make([]string, len(argv))
			for i, a := range argv {
				words[i] = jsonString(a)
			}
			w.WriteString("    - [" + strings.Join(words, ", ") + "]\n")
		}
	}
	if s.Reversible != nil && !*s.Reversible {
		w.list("labels", []string{irreversible})
	}
}

func (w *yamlWriter) field(key, value string) {
	if value != "" {
		w.WriteString("  " + key + ": " + quotedYAML(value) + "\n")
	}
}

func (w *yamlWriter) list(key string, values []string) {
	if len(values) == 0 {
		return
	}
	w.WriteString("  " + key + ":\n")
	for _, v := range values {
		w.WriteString("    - " + quotedYAML(strings.TrimSpace(v)) + "\n")
	}
}

// text is a text of several lines, as it is where YAML has nothing to misread in it.
func (w *yamlWriter) text(key, value string) {
	if value == "" || !strings.Contains(value, "\n") {
		w.field(key, value)
		return
	}
	for line := range strings.SplitSeq(value, "\n") {
		if visible.Line(line) != line || strings.TrimRight(line, " \t") != line || strings.HasPrefix(strings.TrimLeft(line, " "), "\t") {
			w.field(key, value)
			return
		}
	}
	w.WriteString("  " + key + ": |-\n")
	for line := range strings.SplitSeq(value, "\n") {
		if line != "" {
			line = "    " + line
		}
		w.WriteString(line + "\n")
	}
}

// bare is what YAML reads as the text that it is.
var bare = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_./,()' -]*$`)

// notBare are words that YAML reads as something else.
var notBare = []string{"true", "false", "yes", "no", "on", "off", "null", "y", "n"}

func quotedYAML(s string) string {
	if bare.Get().MatchString(s) && !strings.HasSuffix(s, " ") && !slices.Contains(notBare, strings.ToLower(s)) {
		return s
	}
	return jsonString(s)
}

func jsonString(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("a text can always be written: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// readable refuses steps of which a reader of the plan would find something else.
func readable(text string, steps []Step) error {
	refuse := func(what string) error {
		return problem(CodeInvalid, "the steps cannot be saved as they are: "+visible.String(what), "Shorten or simplify them, and send the plan again.")
	}
	b, err := decompose.Parse(text, nowhere)
	var none decompose.None
	switch {
	case errors.As(err, &none), err == nil && (b.Form != decompose.FormBlock || len(b.Items) != len(steps)):
		return refuse("plan_md has an open code block or comment, in which they would stand")
	case err != nil:
		return refuse(err.Error())
	}
	for i, s := range steps {
		it := &b.Items[i]
		criteria := trimmed(s.Criteria)
		switch {
		case it.Key != s.ID:
			return refuse(fmt.Sprintf("step %q would be called %q", s.ID, it.Key))
		case !slices.Equal(trimmed(it.Criteria), criteria):
			return refuse(fmt.Sprintf("the criteria of step %q would read %q", s.ID, it.Criteria))
		case it.Risk != s.Risk:
			return refuse(fmt.Sprintf("the risk of step %q would read %q", s.ID, it.Risk))
		case len(s.Files) > 0 && len(it.Create)+len(it.Modify)+len(it.Tests) == 0:
			return refuse(fmt.Sprintf("the files of step %q would be lost", s.ID))
		}
	}
	return nil
}

func trimmed(all []string) []string {
	var out []string
	for _, s := range all {
		if s = strings.Join(strings.Fields(s), " "); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// answersOf are responses as the lifecycle takes them.
func answersOf(responses []Response) ([]model.CommentAnswer, error) {
	var out []model.CommentAnswer
	for _, r := range responses {
		if err := tooLarge("the response to "+visible.Line(r.FeedbackID), len(r.Text), MaxText, "Say it shorter."); err != nil {
			return nil, err
		}
		out = append(out, model.CommentAnswer{Comment: r.FeedbackID, Resolution: model.CommentState(r.Resolution), Text: r.Text})
	}
	return out, nil
}
