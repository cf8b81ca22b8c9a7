package request

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/args"
	"vespe/ui/detail"
	"vespe/ui/markdown"
	"vespe/ui/style"
	"vespe/ui/text"
)

// writer draws a request. What somebody else wrote stands behind a bar, so that none of it can
// pass for what vespe says.
type writer struct {
	k   *Requests
	st  *style.Styles
	v   *Asked
	q   *model.Request
	w   int
	out []string
}

// lines are a request whole, in w cells: nothing of it is cut.
func (v *Asked) lines(w int) []string {
	s := v.writer(w)
	s.title()
	s.options()
	v.choices = len(s.out)
	s.told()
	v.matter = len(s.out)
	s.facts()
	s.answers()
	s.before()
	s.behind()
	for i := range s.out {
		if text.Width(s.out[i]) > w {
			s.out[i] = text.Truncate(s.out[i], w) // a window of less than a dozen columns
		}
	}
	return s.out
}

func (v *Asked) writer(w int) *writer {
	k := v.k
	return &writer{k: k, st: k.host.Styles(), v: v, q: &v.q, w: max(12, w)}
}

func (s *writer) add(lines ...string) { s.out = append(s.out, lines...) }

func (s *writer) head(title, note string) {
	row := s.st.Heading.Render(title)
	if note != "" {
		row += "  " + s.st.Muted.Render(note)
	}
	s.add("")
	for _, l := range text.Wrap(title+"  "+note, s.w) {
		if text.Width(row) <= s.w {
			break
		}
		row = ""
		s.add(s.st.Heading.Render(l))
	}
	if row != "" {
		s.add(row)
	}
}

// bar is what stands before the words of others.
func (s *writer) bar() string {
	if s.st.Options.ASCII {
		return s.st.Border.Render("|") + " "
	}
	return s.st.Border.Render("│") + " "
}

// quoted adds words of others that wrap at blanks.
func (s *writer) quoted(ink style.Ink, words string) {
	for _, l := range text.Wrap(text.Safe(words), s.w-2) {
		s.add(s.bar() + ink.Render(l))
	}
}

// exact adds a text of others as it is, blanks and all.
func (s *writer) exact(ink style.Ink, body string) { s.drawn(body, ink.Render) }

func (s *writer) drawn(body string, draw func(string) string) {
	for line := range strings.SplitSeq(text.Safe(strings.TrimSuffix(body, "\n")), "\n") {
		for i, l := range text.Chop(line, s.w-2) {
			bar := s.bar()
			if i > 0 { // the line continues
				bar = s.st.Faint.Render(map[bool]string{true: ":", false: "┆"}[s.st.Options.ASCII]) + " "
			}
			s.add(bar + draw(l))
		}
	}
}

func (s *writer) title() {
	if s.v.gone {
		s.add(s.st.Bad.Render(text.Truncate("It is no longer in the store.", s.w)), "")
	}
	title := s.q.Title
	if strings.TrimSpace(title) == "" {
		title = "(no title)"
	}
	s.quoted(s.st.Bold, title)
}

const askLabel = 10

func (s *writer) fact(label string, ink style.Ink, body string) {
	if body == "" {
		return
	}
	for _, l := range text.Wrap(text.SafeLine(body), max(4, s.w-askLabel)) {
		s.add(s.st.Muted.Render(text.Pad(label, askLabel)) + ink.Render(l))
		label = ""
	}
}

// askRisk is the risk of a request in words.
func askRisk(q *model.Request) string {
	if q.Risk == "" {
		return "unknown risk"
	}
	return q.Risk + " risk"
}

func (s *writer) facts() {
	q, st := s.q, s.st
	ink := st.Text
	switch q.Risk {
	case model.RiskLow, "":
	case model.RiskMedium:
		ink = st.Warn
	default:
		ink = st.Bad
	}
	risk := q.Risk
	if risk == "" {
		risk = "unknown"
	}
	s.add("")
	s.fact("risk", ink, risk)
	s.fact("asked by", st.Text, detail.Who(q.CreatedBy)+s.when(q.CreatedAt))
	if q.TaskUID != "" {
		about := s.k.host.Name(q.TaskUID)
		if i, ok := s.k.host.Snapshot().Index(q.TaskUID); ok {
			about += ", " + s.k.host.Snapshot().StatusWord(i)
		} else {
			about += ", which is no longer in the store"
		}
		s.fact("about", st.Text, about)
	}
	now := s.k.host.Now()
	switch e := q.ExpiresAt; {
	case e.IsZero():
		s.fact("expires", st.Muted, "never")
	case q.StateAt(now) == model.RequestExpired:
		s.fact("expired", st.Warn, model.Ago(now.Sub(e))+". You can still answer.")
	case q.IsOpen():
		s.fact("expires", st.Text, "in "+span(e.Sub(now))+", "+stamp(e, now))
	default:
		s.fact("expires", st.Muted, stamp(e, now))
	}
	id := q.ID
	if q.Key != "" {
		id += ", key " + q.Key
	}
	s.fact("id", st.Faint, id)
}

func stamp(t, now time.Time) string { return t.In(now.Location()).Format("2 Jan 2006 15:04") }

// span is a time to come, as Age says times gone.
func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "under a minute"
	case d >= time.Hour && d < 24*time.Hour:
		return fmt.Sprintf("%dh %dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return model.Age(d)
}

// when is ", 5m ago (2 Jan 2026 15:04)", counted to the whole minute, as in the lists.
func (s *writer) when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	now := s.k.host.Now().Truncate(time.Minute)
	return ", " + model.Ago(now.Sub(t)) + " (" + stamp(t, now) + ")"
}

// answers say what was decided and what came of it.
func (s *writer) answers() {
	q, st := s.q, s.st
	if n := q.Answer; n != nil {
		s.head("Answer", "")
		s.fact("decided", st.Good, q.State+" by "+detail.Who(n.By)+s.when(n.At))
		if n.Choice != "" {
			s.quoted(st.Text, n.Choice)
		}
		if n.Text != "" {
			s.quoted(st.Text, n.Text)
		}
		if n.Args != nil {
			s.exact(st.Text, args.Pretty(n.Args))
		}
		if n.FetchedBy != "" {
			s.fact("read by", st.Info, detail.Who(n.FetchedBy)+s.when(n.FetchedAt))
		} else if !q.IsOpen() {
			s.fact("read by", st.Muted, "nobody yet")
		}
		if n.ActedBy != "" {
			s.fact("acted on", st.Warn, "by "+detail.Who(n.ActedBy)+", "+strings.ReplaceAll(string(n.ActedWith), "_", " ")+s.when(n.ActedAt))
		}
	} else if q.State == model.RequestSuperseded {
		s.fact("state", st.Muted, "superseded: its cause is gone")
	}
	if others := q.OtherWords(); len(others) > 0 {
		s.head("In other clones", "")
		for _, line := range others {
			s.quoted(st.Warn, line)
		}
	}
}

// askChoice is a decision with the action for it.
type askChoice struct {
	decision model.Decision
	action   keymap.Action
}

func askChoices() []askChoice {
	return []askChoice{
		{model.DecideAccept, keymap.RequestAccept},
		{model.DecideChoose, keymap.RequestOptions},
		{model.DecideEdit, keymap.RequestEdit},
		{model.DecideRespond, keymap.RequestRespond},
		{model.DecideDeny, keymap.RequestDeny},
		{model.DecideDefer, keymap.RequestDefer},
	}
}

// detail is why it is asked, in the words of who asks.
func (s *writer) detail() {
	body := s.q.Detail
	if strings.TrimSpace(body) == "" {
		s.head("Why", "")
		s.add(s.st.Muted.Render(text.Truncate("No reason given.", s.w)))
		return
	}
	note := "in the words of " + detail.Who(s.q.CreatedBy)
	lines, whole := markdown.Whole(body, s.st, s.w-2)
	switch {
	case len(body) > markdown.MostWhole:
		note += "; shown as source, because it is long"
	case !whole && !s.v.raw:
		note += "; shown as source, because rendering would hide some of it"
	}
	s.head("Why", note)
	if !whole || s.v.raw {
		s.exact(s.st.Text, body)
		return
	}
	for _, l := range lines {
		s.add(s.bar() + l)
	}
}

// args are what is to be done: commands first, as they will run, then the other arguments. Where something is nested in them
// they are as they were written.
func (s *writer) args() {
	if s.q.Args == nil {
		return
	}
	if s.v.raw {
		s.head("Arguments", "byte for byte")
		s.exact(s.st.Text, string(s.q.Args))
		return
	}
	fields, ok := args.Flat(s.q.Args)
	if !ok {
		s.head("Arguments", "")
		s.command(s.st.Text, args.Pretty(s.q.Args))
		return
	}
	for i := range fields { // commands first, in their order
		if k := slices.IndexFunc(fields[:i], func(f args.Field) bool { return !isCommand(f.Name) }); k >= 0 && isCommand(fields[i].Name) {
			f := fields[i]
			fields = slices.Insert(slices.Delete(fields, i, i+1), k, f)
		}
	}
	short := false
	for _, f := range fields {
		switch {
		case isCommand(f.Name), strings.Contains(f.Text, "\n"), text.Width(f.Text) > s.w-askLabel:
			s.head(text.Capital(text.SafeLine(f.Name)), "")
			s.command(s.st.Bold, f.Text)
		case !short:
			s.add("")
			short = true
			fallthrough
		default:
			s.fact(text.SafeLine(f.Name), s.st.Text, f.Text)
		}
	}
}

// isCommand reports whether a member is of those that something runs.
func isCommand(name string) bool {
	return slices.Contains([]string{"command", "cmd", "script", "sql", "code", "query", "shell"}, strings.ToLower(name))
}

// agoWidth is the room for how long before a request something happened.
const agoWidth = 13

// before is what who asks did just before.
func (s *writer) before() {
	if s.q.TaskUID == "" {
		return
	}
	what := "What " + detail.Who(s.q.CreatedBy) + " did just before"
	if s.q.CreatedBy.Kind() == model.System {
		what = "Just before"
	}
	s.head(what, "")
	f := s.v.facts
	switch {
	case f == nil:
		s.add(s.st.Faint.Render(text.Truncate("reading"+s.st.Glyph.Ellipsis, s.w)))
		return
	case f.err != nil:
		for _, l := range text.Wrap(text.SafeLine("can't read the history: "+f.err.Error()), s.w) {
			s.add(s.st.Bad.Render(l))
		}
		return
	case len(f.events) == 0:
		s.add(s.st.Muted.Render(text.Truncate("Nothing known.", s.w)))
		return
	}
	for _, e := range f.events {
		line := e.Name.Did()
		if e.From != e.To && e.To != "" {
			line += " " + s.st.Glyph.Arrow + " " + e.To.Label(true)
		}
		if e.Reason != "" {
			line += ": " + strings.Join(strings.Fields(e.Reason), " ")
		}
		age := text.Pad(model.Earlier(s.q.CreatedAt.Sub(e.At)), agoWidth)
		for _, l := range text.Wrap(text.SafeLine(line), max(4, s.w-agoWidth)) {
			s.add(s.st.Faint.Render(age) + s.st.Text.Render(l))
			age = text.Spaces(agoWidth)
		}
	}
}

// askBehind is how many of those who wait are named.
const askBehind = 12

// behind is who waits for the answer: the agent, and the tasks that cannot continue.
func (s *writer) behind() {
	if s.q.TaskUID == "" {
		return
	}
	s.head("Who waits for it", "")
	i, ok := s.k.host.Snapshot().Index(s.q.TaskUID)
	if !ok {
		s.add(s.st.Muted.Render(text.Truncate("Unknown: the task is gone.", s.w)))
		return
	}
	t := s.k.host.Snapshot().At(i)
	if w := t.Status.AssignedAgentUID; w != "" && s.k.host.Snapshot().Status(i).Open() {
		s.fact("worker", s.st.Text, detail.Who(w))
	}
	if others := len(s.k.about(s.q.TaskUID)); others > 1 {
		s.fact("also", s.st.Warn, text.Plural(others-1, "request")+" more about the same task; it continues when all are answered")
	}
	names, n := s.k.waitBehind(i)
	if n == 0 {
		s.fact("tasks", s.st.Muted, "no other task")
		return
	}
	more := ""
	if n >= snapshot.MaxBehind {
		more = " or more"
	}
	s.fact("tasks", s.st.Text, fmt.Sprintf("%d%s: %s", n, more, text.Listed(names, askBehind)))
}

// waitBehind are the unfinished tasks that wait for task i by way of dependencies, the nearest
// first; n is how many there are, at most snapshot.MaxBehind.
func (k *Requests) waitBehind(i int) (names []string, n int) {
	seen := map[int32]bool{int32(i): true}
	queue := []int32{int32(i)}
	for at := 0; at < len(queue) && n < snapshot.MaxBehind; at++ {
		for _, d := range k.host.Snapshot().Dependents(int(queue[at])) {
			if seen[d] || !k.host.Snapshot().Status(int(d)).Open() {
				continue
			}
			seen[d] = true
			queue = append(queue, d)
			if n++; len(names) <= askBehind {
				names = append(names, k.host.Name(k.host.Snapshot().UID(int(d))))
			} else {
				names = append(names, "")
			}
		}
	}
	return names, n
}

// askText is a request as a text to be compared with another.
func askText(q *model.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nkind: %s\nrisk: %s\nasked by: %s\n", q.Title, q.Kind, q.Risk, q.CreatedBy)
	if !q.ExpiresAt.IsZero() {
		fmt.Fprintf(&b, "expires: %s\n", model.FormatTime(q.ExpiresAt))
	}
	if len(q.Allow) > 0 {
		fmt.Fprintf(&b, "allowed: %s\n", strings.Join(q.Allow, ", "))
	}
	for i, o := range q.Options {
		fmt.Fprintf(&b, "option %d: %s\n", i+1, o)
	}
	if q.Args != nil {
		fmt.Fprintf(&b, "\n%s\n", args.Pretty(q.Args))
	}
	if q.Detail != "" {
		fmt.Fprintf(&b, "\n%s\n", q.Detail)
	}
	return b.String()
}
