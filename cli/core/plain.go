package core

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"vespe/agents/desk"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// Paint colors a status's glyph and word with the terminal's own sixteen colors.
func (a *App) Paint(s model.Status, text string) string {
	if !a.IsTerminal || a.Plain() {
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

// StatusText is the glyph and the word of a status.
func (a *App) StatusText(snap *snapshot.Snapshot, i int) string {
	s := snap.Status(i)
	return a.Paint(s, s.Glyph(false)+" "+snap.StatusWord(i))
}

// StatusCell is statusText in a column that has room for every status of the snapshot.
func (a *App) StatusCell(snap *snapshot.Snapshot, i int) string {
	s := snap.Status(i)
	return a.Paint(s, Pad(s.Glyph(false)+" "+snap.StatusWord(i), 2+snapshot.StatusWidth(snap)))
}

// Beside is what stands beside the name of a task where its status is not spelled out.
func Beside(snap *snapshot.Snapshot, i int) string {
	if snap.StatusReason(i) == "" {
		return ""
	}
	return " (" + snap.StatusShort(i) + ")"
}

// PrintTree is `vespe task tree`, and vespe without a verb when output is no terminal: then
// what waits for a person follows.
func (a *App) PrintTree(snap *snapshot.Snapshot, roots []int32, inbox reports) error {
	if a.JSON {
		obj := struct {
			Tree     []treeObject    `json:"tree"`
			Inbox    []InboxObject   `json:"inbox,omitempty"`
			Problems []ProblemObject `json:"problems,omitempty"`
		}{Tree: treeOf(snap, roots), Problems: ProblemObjects(snap.Problems())}
		if inbox != nil {
			obj.Inbox, _ = a.InboxOf(snap, InboxPage, inbox)
		}
		return WriteJSON(a.Stdout, obj)
	}
	if snap.Len() == 0 {
		fmt.Fprintln(a.Stdout, a.NoTasks())
	}
	var lasts []bool // of the row's ancestors and itself
	WalkTree(snap, roots, func(i int32, depth int, last bool) {
		lasts = append(lasts[:depth], last)
		a.treeRow(snap, int(i), lasts)
	})
	if inbox != nil {
		fmt.Fprintln(a.Stdout)
		a.PrintInbox(snap, InboxPage, inbox)
	}
	return nil
}

// NoTasks is the answer of a store without tasks, now or at the time that was asked about.
func (a *App) NoTasks() string {
	if a.Past {
		return "There were no tasks."
	}
	return "No tasks yet. `vespe new NAME` creates one."
}

// WalkTree calls visit for roots and all below them, parents first. It does not recurse:
// a tree is as deep as files say it is.
func WalkTree(snap *snapshot.Snapshot, roots []int32, visit func(i int32, depth int, last bool)) {
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
func (a *App) treeRow(snap *snapshot.Snapshot, i int, lasts []bool) {
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
	b.WriteString(a.Paint(status, status.Glyph(false)) + " " + Title(t) + "  " + a.Paint(status, snap.StatusWord(i)))
	if len(snap.Children(i)) > 0 {
		done, total := snap.Progress(i)
		fmt.Fprintf(&b, "  %d/%d", done, total)
	}
	fmt.Fprintln(a.Stdout, b.String()+"  "+t.UID.Short())
}

// treeOf lists tasks as walkTree meets them: flat, because few readers of JSON take an
// object as deep as a tree may be.
func treeOf(snap *snapshot.Snapshot, roots []int32) []treeObject {
	out := []treeObject{}
	WalkTree(snap, roots, func(i int32, depth int, _ bool) {
		out = append(out, treeObject{TaskOf(snap, int(i)), depth, IndexUIDs(snap, snap.Children(int(i)))})
	})
	return out
}

// reports gives the report on finished work; nil for none.
type reports func(t *model.Task) *desk.WorkReport

// mostReported is how much of a report a list has, in bytes: `vespe show` has all of it.
const mostReported = 4 << 10

// ReportsOf are those of a store.
func ReportsOf(ctx context.Context, s *store.Store) reports {
	return func(t *model.Task) *desk.WorkReport { return desk.ReportOn(ctx, s, t, mostReported) }
}

// inboxPage is how many items the inbox has where nobody says how many: what is printed of each may
// have to be read.
const InboxPage = 100

// FirstOf is the first items of the inbox, and how many there are; a limit of 0 is all.
func (a *App) FirstOf(snap *snapshot.Snapshot, limit int) (items []snapshot.InboxItem, all int) {
	items = snap.InboxAt(a.Now())
	if all = len(items); limit > 0 && all > limit {
		items = items[:limit]
	}
	return items, all
}

func (a *App) PrintInbox(snap *snapshot.Snapshot, limit int, reported reports) {
	items, all := a.FirstOf(snap, limit)
	if all == 0 {
		fmt.Fprintln(a.Stdout, "Nothing waits for a person.")
		return
	}
	fmt.Fprintf(a.Stdout, "Waiting for a person (%d):\n", all)
	if more := all - len(items); more > 0 {
		defer fmt.Fprintf(a.Stdout, "  %d more: vespe inbox --limit 0 lists all\n", more)
	}
	w := a.Prose(a.Stdout, 0)
	for _, item := range items {
		line := "  " + Pad(item.Kind.String(), 12) + " " + visible.Line(item.Title)
		if item.Task >= 0 {
			t := snap.At(int(item.Task))
			if q := snap.InboxWhy(&item); q != "" {
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
		if risk := snap.RiskOf(&item); risk == model.RiskHigh || risk == model.RiskMedium {
			line += "  " + risk + " risk"
		}
		if item.Behind > 0 {
			line += fmt.Sprintf("  blocks %d", item.Behind)
		}
		if item.Agents > 0 {
			line += fmt.Sprintf("  agents waiting: %d", item.Agents)
		}
		fmt.Fprintln(w, line)
		if item.Kind != snapshot.InboxWork || item.Task < 0 {
			continue
		}
		if r := reported(snap.At(int(item.Task))); r != nil {
			fmt.Fprintf(w, "    %s\n      %s\n", r.Heading(), strings.ReplaceAll(beginning(r.Text, reportedLines), "\n", "\n      "))
		}
	}
}

// InboxOf is the first items of the inbox as they are in JSON, and how many there are.
func (a *App) InboxOf(snap *snapshot.Snapshot, limit int, reported reports) (out []InboxObject, all int) {
	items, all := a.FirstOf(snap, limit)
	out = []InboxObject{}
	for _, item := range items {
		o := InboxObject{
			Kind: item.Kind.String(), Request: item.Request, Title: item.Title,
			Since: desk.TimeOrNil(item.Since), Expires: desk.TimeOrNil(item.Expires), Behind: item.Behind, Agents: item.Agents, Risk: snap.RiskOf(&item),
		}
		if item.Task >= 0 {
			t := snap.At(int(item.Task))
			o.UID, o.Name, o.Reason = string(t.UID), t.Config.Name, snap.InboxWhy(&item)
			if item.Kind == snapshot.InboxPlan {
				o.Reason, o.Lacks = "", o.Reason
			}
			if item.Kind == snapshot.InboxWork {
				o.Report = reported(t)
			}
		}
		out = append(out, o)
	}
	return out, all
}

func Pad(s string, n int) string {
	if k := len([]rune(s)); k < n {
		return s + strings.Repeat(" ", n-k)
	}
	return s
}

// Title is what a task is called on one line: its name, or its uid when it has none.
func Title(t *model.Task) string {
	if t.Config.Name == "" {
		return string(t.UID)
	}
	return visible.Line(t.Config.Name)
}

// FieldsTo prints names and values beside each other, one in a line; what has no value is left out.
func FieldsTo(w io.Writer) func(name, value string) {
	return func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "  %s %s\n", Pad(name, 12), visible.Line(value))
		}
	}
}

func (a *App) PrintProblems(ps []model.Problem) { WriteProblems(a.Prose(a.Stdout, 0), ps) }

func WriteProblems(w io.Writer, ps []model.Problem) {
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

// reportedLines is how many lines of a report a list for people has.
const reportedLines = 6

// beginning is the first lines of a text, made visible; an ellipsis stands for the rest.
func beginning(text string, most int) string {
	lines := strings.Split(visible.String(strings.TrimSpace(text)), "\n")
	if len(lines) > most {
		lines = append(lines[:most:most], "…")
	}
	return strings.Join(lines, "\n")
}

// FindAll finds tasks; a reference that names none may be several with commas between.
func FindAll(snap *snapshot.Snapshot, refs []string) ([]model.UID, error) {
	var uids []model.UID
	for _, ref := range refs {
		parts := []string{ref}
		if _, err := snap.Find(ref); err != nil {
			parts = strings.Split(ref, ",")
		}
		for _, part := range parts {
			uid, err := snap.Find(part)
			if err != nil {
				return nil, err
			}
			uids = append(uids, uid)
		}
	}
	return uids, nil
}

func UIDsOf(snap *snapshot.Snapshot, rows []int32) []model.UID {
	uids := make([]model.UID, len(rows))
	for k, i := range rows {
		uids[k] = snap.UID(int(i))
	}
	return uids
}

func IndexUIDs(snap *snapshot.Snapshot, rows []int32) []string { return UIDStrings(UIDsOf(snap, rows)) }

// Around is a task and those that are named beside it.
func Around(snap *snapshot.Snapshot, i int) []model.UID {
	t := snap.At(i)
	uids := append([]model.UID{t.UID}, t.DependsOn...)
	if t.Config.ParentUID != "" {
		uids = append(uids, t.Config.ParentUID)
	}
	uids = append(uids, UIDsOf(snap, snap.Dependents(i))...)
	for _, r := range snap.Why(i) {
		if r.UID != "" {
			uids = append(uids, r.UID)
		}
	}
	return uids
}

// ResultLine is a file that a task left.
func ResultLine(path string, size int64) string { return fmt.Sprintf("%s  %d bytes", path, size) }

func (a *App) Reference(snap *snapshot.Snapshot, uid model.UID) string {
	i, ok := snap.Index(uid)
	if !ok {
		return string(uid) + "  (unknown task)"
	}
	return Title(snap.At(i)) + "  " + snap.StatusWord(i) + "  " + uid.Short()
}

// ParseAgo reads a duration as Go does, or a number of days or weeks.
func ParseAgo(text string) (time.Duration, error) {
	const day = 24 * time.Hour
	if number, unit, spoken := strings.Cut(text, " "); spoken { // "2 hours"
		short := map[string]string{"second": "s", "minute": "m", "hour": "h", "day": "d", "week": "w"}[strings.TrimSuffix(strings.TrimSpace(unit), "s")]
		if short == "" {
			return 0, Usagef("%q is not a duration", text)
		}
		text = number + short
	}
	for unit, long := range map[string]time.Duration{"d": day, "w": 7 * day} {
		if digits, ok := strings.CutSuffix(text, unit); ok {
			n, err := strconv.ParseUint(digits, 10, 64)
			switch {
			case err != nil:
				err = Usagef("%q is not a duration", text)
			case n > uint64(math.MaxInt64/long):
				err = Usagef("%q is too long ago", text)
			}
			return time.Duration(n) * long, err
		}
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		err = Usagef("%q is not a duration", text)
	case d < 0:
		err = Usagef("%q is in the future", text)
	}
	return d, err
}
