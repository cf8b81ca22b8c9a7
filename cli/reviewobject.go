package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/visible"
	"vespe/store"
)

// reviewObject is everything that was said about a plan.
type reviewObject struct {
	UID      string          `json:"uid"`
	Name     string          `json:"name"`
	Status   string          `json:"status"`
	Revision int             `json:"revision"`
	PlanHash string          `json:"plan_hash"`
	Verdict  string          `json:"verdict"` // "" while there is none
	By       string          `json:"by,omitempty"`
	At       *time.Time      `json:"at,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Excluded []string        `json:"excluded,omitempty"`  // of the plan, that was not accepted with it: headings, and uids of subtasks
	SentBack *sentBackObject `json:"sent_back,omitempty"` // the work by this revision, which ended its acceptance
	Fetched  *readObject     `json:"fetched,omitempty"`   // who read the verdict first
	Open     int             `json:"open"`
	Blocking int             `json:"blocking"`
	Comments []commentObject `json:"comments"`

	leftOutWords []string // what Excluded says, for people
}

// sentBackObject is who rejected the work, when and why.
type sentBackObject struct {
	By     string    `json:"by"`
	At     time.Time `json:"at"`
	Reason string    `json:"reason,omitempty"`
}

type readObject struct {
	By string    `json:"by"`
	At time.Time `json:"at"`
}

type commentObject struct {
	ID       string        `json:"id"`
	Kind     string        `json:"kind"`
	Blocking bool          `json:"blocking"`
	State    string        `json:"state"`
	Doc      string        `json:"doc"`
	From     int           `json:"from,omitempty"` // lines of this revision, or of the patch
	To       int           `json:"to,omitempty"`
	Fate     string        `json:"fate,omitempty"` // what became of the lines since the comment was made
	Quote    []string      `json:"quote,omitempty"`
	Text     string        `json:"text"`
	By       string        `json:"by"`
	At       time.Time     `json:"at"`
	Since    int           `json:"since"`
	Replies  []replyObject `json:"replies"`
	Via      string        `json:"via,omitempty"`     // files: vespe was not given it, a file says who it is of
	Changes  *model.Spot   `json:"changes,omitempty"` // of a comment on work: run, file, line of the file
}

type replyObject struct {
	State    string    `json:"state"`
	Text     string    `json:"text,omitempty"`
	By       string    `json:"by"`
	At       time.Time `json:"at"`
	Revision int       `json:"revision"`
	Via      string    `json:"via,omitempty"`
}

// said is whose words they are.
func said(by, via string) string {
	if via == model.ViaFiles {
		return visible.Line(by) + ", as a file says"
	}
	return visible.Line(by)
}

func (a *app) reviewOf(ctx context.Context, s *store.Store, snap *model.Snapshot, uid model.UID, revision int) (*reviewObject, error) {
	i, _ := snap.Index(uid)
	t := snap.At(i)
	f, err := s.Review(ctx, uid, revision)
	if err != nil {
		return nil, err
	}
	if f == nil && revision != 0 {
		return nil, &model.Refusal{
			Code: model.CodeNotFound, Op: "review", UID: uid, Task: t.Config.Name,
			Why: fmt.Sprintf("nobody has said anything about revision %d of its plan", revision), Hint: "leave --revision out for the last",
		}
	}
	o := &reviewObject{UID: string(uid), Name: t.Config.Name, Status: snap.Status(i).String(), Revision: t.Status.PlanRevision, Comments: []commentObject{}}
	if f == nil {
		f = &model.ReviewFile{Revision: t.Status.PlanRevision}
		if v := t.Status.Review; v != nil && v.Of == "plan" && v.Revision == f.Revision {
			f.Verdict, f.By, f.At, f.Reason = v.Verdict, v.By, v.At, v.Reason
		}
	}
	o.Revision, o.PlanHash, o.Verdict, o.By, o.Reason = f.Revision, f.PlanHash, f.Verdict, string(f.By), f.Reason
	if !f.At.IsZero() {
		o.At = &f.At
	}
	if v := t.Status.Review; v != nil && v.Of == "work" && v.Verdict == model.VerdictRejected && v.Revision == f.Revision {
		o.SentBack = &sentBackObject{string(v.By), v.At, v.Reason}
	}
	if v := t.Status.Review; v != nil && v.FetchedBy != "" && v.Revision == f.Revision {
		o.Fetched = &readObject{string(v.FetchedBy), v.FetchedAt}
	}
	if b := t.Status.Comments; b != nil && b.Revision == f.Revision {
		o.Open, o.Blocking = b.Open, b.Blocking
	}
	if o.leftOutWords = leftOutOf(snap, t, f.Revision); o.leftOutWords != nil {
		o.Excluded = t.Status.AcceptedPlan.Excluded
	}
	for _, c := range f.Comments {
		o.Comments = append(o.Comments, commentOf(c))
	}
	slices.SortStableFunc(o.Comments, func(a, b commentObject) int { return a.From - b.From })
	return o, nil
}

func commentOf(c model.Comment) commentObject {
	o := commentObject{
		ID: c.ID, Kind: string(c.Kind), Blocking: c.Blocking, State: string(c.State), Doc: string(c.Doc),
		From: c.Place.From, To: c.Place.To, Fate: c.Place.Fate, Quote: c.Place.Quote,
		Text: c.Text, By: string(c.By), At: c.At, Since: c.Since, Replies: []replyObject{}, Via: c.Via,
	}
	if c.Doc == model.Changes {
		o.Changes = &c.Spot
	}
	for _, r := range c.Replies {
		o.Replies = append(o.Replies, replyObject{State: string(r.State), Text: r.Text, By: string(r.By), At: r.At, Revision: r.Revision, Via: r.Via})
	}
	return o
}

// heading is the verdict in one line.
func (o *reviewObject) heading() string {
	line := fmt.Sprintf("Revision %d: ", o.Revision)
	switch {
	case o.Verdict == "" && o.SentBack != nil:
		line += "its work was rejected by " + visible.Line(o.SentBack.By)
	case o.Verdict == "":
		line += "not decided"
	default:
		line += o.Verdict + " by " + o.By
	}
	if o.Fetched != nil {
		line += fmt.Sprintf("; %s read it, %s", o.Fetched.By, o.Fetched.At.UTC().Format("2006-01-02 15:04"))
	}
	if o.Open > 0 {
		line += fmt.Sprintf("; %d of %d comments open", o.Open, len(o.Comments))
	}
	if o.Blocking > 0 {
		line += fmt.Sprintf(", %d blocking", o.Blocking)
	}
	return line
}

// about is the kind of a comment and the lines that it is about.
func (c *commentObject) about() string {
	what := c.Kind
	if c.Blocking {
		what += ", blocking"
	}
	if c.Changes != nil {
		if c.Changes.File == "" {
			return what + ", on the work"
		}
		return what + ", on " + c.Changes.String() + " of the work"
	}
	p := model.Place{From: c.From, To: c.To}
	if lines := p.Lines(); lines != "" {
		what += ", " + lines
		if c.Fate != "" && c.Fate != "kept" {
			what += " (" + c.Fate + ")"
		}
	}
	if c.Doc == string(model.Objective) {
		what += " of the objective"
	}
	return what
}

// mostQuoted is how many lines that a comment is about are printed: --md and --json have all.
const mostQuoted = 3

// lines says how many more there are.
func lines(n int) string {
	if n == 1 {
		return "1 more line"
	}
	return fmt.Sprintf("%d more lines", n)
}

func (o *reviewObject) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n%s\n", visible.Line(o.Name), visible.Line(o.heading()))
	if o.Reason != "" {
		fmt.Fprintf(w, "  %s\n", indented(o.Reason))
	}
	if out := o.leftOut(); out != "" {
		fmt.Fprintf(w, "\n%s", out)
	}
	for i := range o.Comments {
		c := &o.Comments[i]
		fmt.Fprintf(w, "\n%s  %s  %s  %s\n", c.ID, c.State, visible.Line(c.about()), said(c.By, c.Via))
		for _, l := range c.Quote[:min(len(c.Quote), mostQuoted)] {
			fmt.Fprintf(w, "  | %s\n", visible.Line(l))
		}
		if more := len(c.Quote) - mostQuoted; more > 0 {
			fmt.Fprintf(w, "  | … %s\n", lines(more))
		}
		fmt.Fprintf(w, "  %s\n", indented(c.Text))
		for _, r := range c.Replies {
			text := r.State
			if r.Text != "" {
				text += ": " + r.Text
			}
			fmt.Fprintf(w, "  → %s, revision %d, %s\n", said(r.By, r.Via), r.Revision, indented(text))
		}
	}
}

func indented(text string) string {
	return strings.ReplaceAll(visible.String(strings.TrimSpace(text)), "\n", "\n  ")
}

// quoted are somebody's words as a quotation of Markdown: no heading, verdict or open fence in them can pass for
// what vespe says.
func quoted(text string) string {
	return "> " + strings.ReplaceAll(visible.String(strings.TrimSpace(text)), "\n", "\n> ")
}

// markdown is the review as text for an agent: what was decided, and what it has to answer.
func (o *reviewObject) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Review of %q\n\n%s\n", visible.Line(o.Name), visible.Line(o.heading()))
	if o.Reason != "" {
		fmt.Fprintf(&b, "\n%s\n", quoted(o.Reason))
	}
	if out := o.leftOut(); out != "" {
		fmt.Fprintf(&b, "\n%s", out)
	}
	for i := range o.Comments {
		c := &o.Comments[i]
		fmt.Fprintf(&b, "\n## %s: %s, %s, by %s\n\n", visible.Line(c.ID), visible.Line(c.about()), visible.Line(c.State), visible.Line(c.By))
		if c.Via == model.ViaFiles {
			fmt.Fprintf(&b, "(by %s: vespe was not given it)\n\n", said(c.By, c.Via))
		}
		if quote := strings.TrimSpace(strings.Join(c.Quote, "")); quote != "" {
			for _, l := range c.Quote {
				fmt.Fprintf(&b, "    %s\n", visible.Line(l))
			}
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s\n", quoted(c.Text))
		for _, r := range c.Replies {
			fmt.Fprintf(&b, "\n%s by %s\n", visible.Line(r.State), said(r.By, r.Via))
			if r.Text != "" {
				fmt.Fprintf(&b, "\n%s\n", quoted(r.Text))
			}
		}
	}
	if o.Open > 0 {
		fmt.Fprintf(&b, "\n%s --answers answers.json\n\n"+
			"where answers.json is [{\"comment\": \"<id>\", \"resolution\": \"addressed|declined|answered\", \"text\": \"<what was done, or why not>\"}, …]\n", o.answering())
	}
	return b.String()
}

// answering says how open comments are answered: by the next plan, but for one that was accepted, which
// another plan would void.
func (o *reviewObject) answering() string {
	if o.Verdict == model.RequestAccepted {
		return "The plan is accepted, and open comments are notes on the work: another plan would void that. Say what came of each:\n\n" +
			"    vespe answer-comments " + o.UID
	}
	return "The next plan has to answer each open comment:\n\n    vespe define-plan " + o.UID + " --file plan.md"
}
