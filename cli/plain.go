package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/visible"
)

// paint colours a status's glyph and word with the terminal's own sixteen colours.
func (a *app) paint(s model.Status, text string) string {
	if !a.IsTerminal || a.plain() {
		return text
	}
	code := "39"
	switch s {
	case model.StatusProblem, model.StatusFailed, model.StatusError:
		code = "31"
	case model.StatusChanged, model.StatusReplan, model.StatusPaused, model.StatusSubtasks, model.StatusBlocked:
		code = "33"
	case model.StatusWaiting, model.StatusReviewPlan, model.StatusReviewWork:
		code = "35"
	case model.StatusDone:
		code = "32"
	case model.StatusRunning, model.StatusReady:
		code = "36"
	case model.StatusAborted, model.StatusPlanning, model.StatusCreated:
		code = "90"
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (a *app) statusText(s model.Status) string { return a.paint(s, s.Glyph(false)+" "+s.String()) }

// printTree is `vespe tree`, and vespe without a verb when output is no terminal: then
// what waits for a person follows.
func (a *app) printTree(snap *model.Snapshot, roots []int32, withInbox bool) error {
	if a.json {
		obj := struct {
			Tree     []treeObject    `json:"tree"`
			Inbox    []inboxObject   `json:"inbox,omitempty"`
			Problems []problemObject `json:"problems,omitempty"`
		}{Tree: treeOf(snap, roots), Problems: problemObjects(snap.Problems())}
		if withInbox {
			obj.Inbox = a.inboxOf(snap)
		}
		return writeJSON(a.Stdout, obj)
	}
	if snap.Len() == 0 {
		fmt.Fprintln(a.Stdout, a.noTasks())
	}
	var lasts []bool // of the row's ancestors and itself
	walkTree(snap, roots, func(i int32, depth int, last bool) {
		lasts = append(lasts[:depth], last)
		a.treeRow(snap, int(i), lasts)
	})
	if withInbox {
		fmt.Fprintln(a.Stdout)
		a.printInbox(snap)
	}
	return nil
}

// noTasks is the answer of a store without tasks, now or at the time that was asked about.
func (a *app) noTasks() string {
	if a.past {
		return "There were no tasks."
	}
	return "No tasks yet. `vespe new NAME` makes one."
}

// walkTree calls visit for roots and all below them, parents first. It does not recurse:
// a tree is as deep as files say it is.
func walkTree(snap *model.Snapshot, roots []int32, visit func(i int32, depth int, last bool)) {
	type row struct {
		task  int32
		depth int
		last  bool
	}
	var stack []row
	push := func(tasks []int32, depth int) {
		for k, i := range slices.Backward(tasks) {
			stack = append(stack, row{i, depth, k == len(tasks)-1})
		}
	}
	push(roots, 0)
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		visit(at.task, at.depth, at.last)
		push(snap.Children(int(at.task)), at.depth+1)
	}
}

// maxIndent is how many levels are drawn; a deeper row says its depth as a number.
const maxIndent = 24

// treeRow prints one row; lasts says of each ancestor below the root, and of the row
// itself, whether it is the last among its siblings.
func (a *app) treeRow(snap *model.Snapshot, i int, lasts []bool) {
	t, status := snap.At(i), snap.Status(i)
	depth := len(lasts) - 1
	var b strings.Builder
	for k := 1; k <= min(depth, maxIndent); k++ {
		switch {
		case k < depth && lasts[k]:
			b.WriteString("   ")
		case k < depth:
			b.WriteString("│  ")
		case lasts[k]:
			b.WriteString("└─ ")
		default:
			b.WriteString("├─ ")
		}
	}
	if depth > maxIndent {
		fmt.Fprintf(&b, "⋯ %d ", depth)
	}
	b.WriteString(a.paint(status, status.Glyph(false)) + " " + title(t) + "  " + a.paint(status, status.String()))
	if len(snap.Children(i)) > 0 {
		done, total := snap.Progress(i)
		fmt.Fprintf(&b, "  %d/%d", done, total)
	}
	fmt.Fprintln(a.Stdout, b.String()+"  "+t.UID.Short())
}

// treeOf lists tasks as walkTree meets them: flat, because few readers of JSON take an
// object as deep as a tree may be.
func treeOf(snap *model.Snapshot, roots []int32) []treeObject {
	out := []treeObject{}
	walkTree(snap, roots, func(i int32, depth int, _ bool) {
		out = append(out, treeObject{taskOf(snap, int(i)), depth, indexUIDs(snap, snap.Children(int(i)))})
	})
	return out
}

func (a *app) printInbox(snap *model.Snapshot) {
	items := snap.InboxAt(a.Now())
	if len(items) == 0 {
		fmt.Fprintln(a.Stdout, "Nothing waits for a person.")
		return
	}
	fmt.Fprintf(a.Stdout, "Waiting for a person (%d):\n", len(items))
	for _, item := range items {
		line := "  " + pad(item.Kind.String(), 12) + " " + visible.Line(item.Title)
		if item.Task >= 0 {
			t := snap.At(int(item.Task))
			if q := question(t, item); q != "" {
				line += ": " + visible.Line(q)
			}
			line += "  " + t.UID.Short()
		}
		if item.Request != "" {
			line += "  " + visible.Line(item.Request)
		}
		if !item.Since.IsZero() {
			line += "  " + model.Age(a.Now().Sub(item.Since))
		}
		if item.Behind > 0 {
			line += fmt.Sprintf("  %d behind it", item.Behind)
		}
		if item.Agents > 0 {
			line += fmt.Sprintf("  agents waiting: %d", item.Agents)
		}
		fmt.Fprintln(a.Stdout, line)
	}
}

// question is what a person is asked who has no request to answer: why the task is paused.
func question(t *model.Task, item model.InboxItem) string {
	if item.Kind != model.InboxWaiting || item.Request != "" {
		return ""
	}
	return strings.TrimSpace(strings.TrimPrefix(t.Status.PauseReason, "hitl:"))
}

func (a *app) inboxOf(snap *model.Snapshot) []inboxObject {
	out := []inboxObject{}
	for _, item := range snap.InboxAt(a.Now()) {
		o := inboxObject{
			Kind: item.Kind.String(), Request: item.Request, Title: item.Title,
			Since: timeOrNil(item.Since), Expires: timeOrNil(item.Expires), Behind: item.Behind, Agents: item.Agents,
		}
		if item.Task >= 0 {
			t := snap.At(int(item.Task))
			o.UID, o.Name, o.Reason = string(t.UID), t.Config.Name, question(t, item)
		}
		out = append(out, o)
	}
	return out
}

func pad(s string, n int) string {
	if k := len([]rune(s)); k < n {
		return s + strings.Repeat(" ", n-k)
	}
	return s
}

// title is what a task is called on one line: its name, or its uid when it has none.
func title(t *model.Task) string {
	if t.Config.Name == "" {
		return string(t.UID)
	}
	return visible.Line(t.Config.Name)
}

// fieldsTo prints names and values beside each other, one in a line; what has no value is left out.
func fieldsTo(w io.Writer) func(name, value string) {
	return func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "  %s %s\n", pad(name, 12), visible.Line(value))
		}
	}
}

func (a *app) printProblems(ps []model.Problem) { writeProblems(a.Stdout, ps) }

func writeProblems(w io.Writer, ps []model.Problem) {
	for _, p := range ps {
		place := p.Path
		if place == "" {
			place = "store"
		}
		if p.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, p.Line)
		}
		severity := "warning"
		if p.Severity == model.Error {
			severity = "problem"
		}
		fmt.Fprintf(w, "%s: %s: %s [%s]\n", visible.Line(place), severity, visible.Line(p.Reason), visible.Line(p.Code))
		if p.Hint != "" {
			fmt.Fprintf(w, "  %s\n", visible.Line(p.Hint))
		}
	}
}
