package gitinternal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"vespe/internal/lazyregexp"
	"vespe/model"
)

// markdownTag is the tag of a Plan that has its whole text, where its steps do not say all of it.
const markdownTag = "vespe_markdown"

type step struct {
	Description            string
	Inputs, Outputs, Check json.RawMessage
	Task                   string // digits
}

func stepsOf(plan model.Extra) []step {
	var items []struct {
		Description, Intent     *string
		Inputs, Outputs, Checks json.RawMessage
		Task                    string
	}
	if json.Unmarshal(raw(plan, "steps"), &items) != nil {
		return nil
	}
	out := make([]step, len(items))
	for i, s := range items {
		out[i] = step{Inputs: s.Inputs, Outputs: s.Outputs, Check: s.Checks}
		if text := cmp.Or(s.Description, s.Intent); text != nil {
			out[i].Description = *text
		}
		out[i].Task, _ = uuid(s.Task)
	}
	return out
}

// planText is a Plan as Markdown: all that a person has to know who accepts it.
func planText(plan model.Extra) string {
	if whole := text(within(plan, "tags"), markdownTag); strings.TrimSpace(whole) != "" {
		return whole
	}
	return stepsText(stepsOf(plan))
}

func stepsText(steps []step) string {
	var b strings.Builder
	for i, s := range steps {
		mark := fmt.Sprintf("%d. ", i+1)
		indent := strings.Repeat(" ", len(mark))
		lines := strings.Split(strings.TrimRight(s.Description, "\n"), "\n")
		b.WriteString(mark + strings.Join(indented(lines, indent), "\n") + "\n")
		for _, more := range []struct {
			name  string
			value json.RawMessage
		}{{"inputs", s.Inputs}, {"outputs", s.Outputs}, {"checks", s.Check}} {
			if len(more.value) > 0 && string(more.value) != "null" {
				fmt.Fprintf(&b, "%s- %s: `%s`\n", indent, more.name, oneLine(more.value))
			}
		}
		if s.Task != "" {
			b.WriteString(indent + "- task: " + dashed(s.Task) + "\n")
		}
	}
	return b.String()
}

// oneLine is JSON without white space.
func oneLine(value []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return string(value)
	}
	return b.String()
}

// indented are lines below the first one of an item of a list.
func indented(lines []string, by string) []string {
	for i := 1; i < len(lines); i++ {
		if lines[i] != "" {
			lines[i] = by + lines[i]
		}
	}
	return lines
}

// split reads the steps of a plan: the items of its outermost lists, and where it has none its paragraphs.
func split(plan string) []step {
	items, paragraphs := itemsOf(plan)
	if len(items) == 0 {
		items = paragraphs
	}
	out := make([]step, len(items))
	for i, text := range items {
		out[i].Description = strings.TrimRight(text, "\n ")
	}
	return out
}

// itemsOf are the items of the outermost lists of a text, and the paragraphs beside them.
func itemsOf(plan string) (items, paragraphs []string) {
	fence, indent, inItem, blank := "", 0, false, true
	add := func(list *[]string, fresh bool, line string) {
		if fresh || len(*list) == 0 {
			*list = append(*list, line)
			return
		}
		(*list)[len(*list)-1] += "\n" + line
	}
	for line := range strings.SplitSeq(strings.TrimRight(plan, "\n"), "\n") {
		body := strings.TrimLeft(line, " ")
		depth := len(line) - len(body)
		mark := markOf(body)
		switch {
		case fence == "" && depth == 0 && mark > 0:
			inItem, indent = true, mark
			add(&items, true, body[mark:])
		case inItem && (fence != "" || depth >= 2 || body == "" || !blank && markOf(body) == 0 && body[0] != '#'):
			add(&items, false, line[min(depth, indent):])
		case body == "" && fence == "":
			inItem = false
		default:
			inItem = false
			add(&paragraphs, blank, line)
		}
		if strings.HasPrefix(body, "```") || strings.HasPrefix(body, "~~~") {
			if fence == "" {
				fence = body[:3]
			} else if strings.HasPrefix(body, fence) {
				fence = ""
			}
		}
		blank = body == "" && fence == ""
	}
	return items, paragraphs
}

var itemMark = lazyregexp.New(`^(?:[0-9]{1,9}[.)]|[-*+]) `)

// markOf is how long the mark of a list's item is, its blank included; 0 where there is none.
func markOf(s string) int { return len(itemMark.Get().FindString(s)) }

// planFields is a plan of vespe as a Plan: its steps, and its whole text where these do not say all.
func planFields(head model.Extra, plan, previous string) model.Extra {
	steps := split(plan)
	if stepsText(steps) != plan {
		head = head.With(model.ObjectField("tags", model.Extra{model.TextField(markdownTag, plan)}))
	}
	at := model.ExtraField{Key: "changed_at", Value: raw(head, "created_at")}
	list := make([]model.Extra, len(steps))
	for i, s := range steps {
		list[i] = members(model.TextField("description", s.Description), "statuses", []model.Extra{members("status", "pending", at)})
	}
	return append(head, members("previous", previous, "steps", list)...)
}

func text(fields model.Extra, key string) string {
	s, _ := fields.Text(key)
	return s
}

func raw(fields model.Extra, key string) []byte {
	b, _ := fields.Get(key)
	return b
}

// ref is a member that names an object, as digits; "" for none.
func ref(fields model.Extra, key string) string {
	if d, ok := uuid(text(fields, key)); ok {
		return d
	}
	return ""
}

// within are the members of a member that is an object; nil where it is none.
func within(fields model.Extra, key string) model.Extra {
	in, problems := model.DecodeFields("", raw(fields, key))
	if len(problems) > 0 {
		return nil
	}
	return in
}
