package desk

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// PlanReview is everything that was said about a revision of a plan.
type PlanReview struct {
	UID  string `json:"uid"`
	Name string `json:"name"`
	TaskStatus
	Revision int         `json:"revision"`
	PlanHash string      `json:"plan_hash"`
	Verdict  string      `json:"verdict"` // "" while there is none
	By       string      `json:"by,omitempty"`
	At       *time.Time  `json:"at,omitempty"`
	Reason   string      `json:"reason,omitempty"`
	Excluded []string    `json:"excluded,omitempty"`  // of the plan, that was not accepted with it: headings
	Report   *WorkReport `json:"report,omitempty"`    // on the work by this revision, while it waits for its verdict and after it was accepted
	SentBack *SentBack   `json:"sent_back,omitempty"` // the work by this revision, which ended its acceptance
	Fetched  *Fetched    `json:"fetched,omitempty"`   // who read the verdict first
	Open     int         `json:"open"`
	Blocking int         `json:"blocking"`
	Comments []Comment   `json:"comments"`

	leftOutWords []string // what Excluded says, for people
}

// SentBack is who rejected the work, when and why.
type SentBack struct {
	By     string    `json:"by"`
	At     time.Time `json:"at,omitzero"`
	Reason string    `json:"reason,omitempty"`
}

// Fetched is who read a verdict first.
type Fetched struct {
	By string    `json:"by"`
	At time.Time `json:"at,omitzero"`
}

// ReviewOf is what was said about a revision of a task's plan; 0 is the last that something was said about.
func ReviewOf(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, uid model.UID, revision int) (*PlanReview, error) {
	i, _ := snap.Index(uid)
	t := snap.At(i)
	f, err := s.Review(ctx, uid, revision)
	if err != nil {
		return nil, err
	}
	if f == nil && revision != 0 {
		return nil, &model.Refusal{
			Code: model.CodeNotFound, Op: "review", UID: uid, Task: t.Config.Name,
			Why: fmt.Sprintf("no one has reviewed revision %d of its plan", revision), Hint: "omit --revision for the latest",
		}
	}
	o := &PlanReview{UID: string(uid), Name: t.Config.Name, TaskStatus: StatusOf(snap, i), Revision: t.Status.PlanRevision, Comments: []Comment{}}
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
		o.SentBack = &SentBack{string(v.By), v.At, v.Reason}
	}
	if v := t.Status.Review; v != nil && v.FetchedBy != "" && v.Revision == f.Revision {
		o.Fetched = &Fetched{string(v.FetchedBy), v.FetchedAt}
	}
	if b := t.Status.Comments; b != nil && b.Revision == f.Revision {
		o.Open, o.Blocking = b.Open, b.Blocking
	}
	if o.leftOutWords = leftOutOf(t, f.Revision); o.leftOutWords != nil {
		o.Excluded = t.Status.AcceptedPlan.Excluded
	}
	if o.Revision == t.Status.PlanRevision {
		is, err := s.WorkReport(ctx, t)
		if err != nil {
			return nil, err
		}
		o.Report = ReportOf(is)
	}
	for _, c := range f.Comments {
		o.Comments = append(o.Comments, CommentOf(c))
	}
	slices.SortStableFunc(o.Comments, func(a, b Comment) int { return a.From - b.From })
	return o, nil
}

// CommentOf is a comment as others are shown it.
func CommentOf(c model.Comment) Comment {
	o := Comment{
		ID: c.ID, Kind: string(c.Kind), Blocking: c.Blocking, State: string(c.State), Doc: string(c.Doc),
		From: c.Place.From, To: c.Place.To, Fate: c.Place.Fate, Quote: c.Place.Quote,
		Text: c.Text, By: string(c.By), At: c.At, Since: c.Since, Replies: []Reply{}, Via: c.Via,
	}
	if c.Doc == model.Changes {
		o.Changes = &Spot{c.Spot.Run, c.Spot.File, c.Spot.Line}
	}
	for _, r := range c.Replies {
		o.Replies = append(o.Replies, Reply{State: string(r.State), Text: r.Text, By: string(r.By), At: r.At, Revision: r.Revision, Via: r.Via})
	}
	return o
}

// leftOutOf is what the acceptance of a revision of a plan leaves out, in words; nil where that one
// is not accepted, or all of it.
func leftOutOf(t *model.Task, revision int) []string {
	p := t.Status.AcceptedPlan
	if p == nil || p.PlanRevision != revision {
		return nil
	}
	var out []string
	for _, what := range p.Excluded {
		out = append(out, fmt.Sprintf("the section %q, with those below it", what))
	}
	return out
}

// LeftOut is what of the plan is not to be done, as a paragraph; "" for nothing.
func (o *PlanReview) LeftOut() string {
	if len(o.leftOutWords) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("These parts are not accepted:\n\n")
	for _, what := range o.leftOutWords {
		fmt.Fprintf(&b, "- %s\n", visible.Line(what))
	}
	return b.String()
}

// Heading is the verdict in one line.
func (o *PlanReview) Heading() string {
	line := fmt.Sprintf("Revision %d: ", o.Revision)
	switch {
	case o.Verdict == "" && o.SentBack != nil:
		line += "its work was rejected by " + visible.Line(o.SentBack.By)
	case o.Verdict == "":
		line += "not decided"
	default:
		line += o.Verdict + " by " + o.By
		if o.Verdict == model.VerdictAccepted && o.StatusReason != "" {
			line += ", but it " + o.StatusReason
		}
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

// About is the kind of a comment and the lines that it is about.
func (c *Comment) About() string {
	what := c.Kind
	if c.Blocking {
		what += ", blocking"
	}
	if c.Changes != nil {
		if c.Changes.File == "" {
			return what + ", on the work"
		}
		return what + ", on " + (model.Spot{File: c.Changes.File, Line: c.Changes.Line}).String() + " of the work"
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

// Said is whose words they are.
func Said(by, via string) string {
	if via == model.ViaFiles {
		return visible.Line(by) + ", as a file says"
	}
	return visible.Line(by)
}

// quoted are somebody's words as a quotation of Markdown: no heading, verdict or open fence in them can pass for
// what vespe says.
func quoted(text string) string {
	return "> " + strings.ReplaceAll(visible.String(strings.TrimSpace(text)), "\n", "\n> ")
}

// Markdown is the review as text for an agent: what was decided, and what it has to answer.
func (o *PlanReview) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Review of %q\n\n", visible.Line(o.Name))
	if o.Report != nil {
		fmt.Fprintf(&b, "%s\n\n%s\n\n", o.Report.Heading(), quoted(o.Report.Text))
	}
	fmt.Fprintf(&b, "%s\n", visible.Line(o.Heading()))
	if o.Reason != "" {
		fmt.Fprintf(&b, "\n%s\n", quoted(o.Reason))
	}
	if out := o.LeftOut(); out != "" {
		fmt.Fprintf(&b, "\n%s", out)
	}
	for i := range o.Comments {
		c := &o.Comments[i]
		fmt.Fprintf(&b, "\n## %s: %s, %s, by %s\n\n", visible.Line(c.ID), visible.Line(c.About()), visible.Line(c.State), visible.Line(c.By))
		if c.Via == model.ViaFiles {
			fmt.Fprintf(&b, "(by %s: vespe was not given it)\n\n", Said(c.By, c.Via))
		}
		if quote := strings.TrimSpace(strings.Join(c.Quote, "")); quote != "" {
			for _, l := range c.Quote {
				fmt.Fprintf(&b, "    %s\n", visible.Line(l))
			}
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s\n", quoted(c.Text))
		for _, r := range c.Replies {
			fmt.Fprintf(&b, "\n%s by %s\n", visible.Line(r.State), Said(r.By, r.Via))
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
func (o *PlanReview) answering() string {
	if o.Verdict == model.RequestAccepted {
		return "The plan is accepted, and open comments are notes on the work: a new plan would void that. Answer each:\n\n" +
			"    vespe comment answer " + o.UID
	}
	return "The next plan must answer each open comment:\n\n    vespe plan define " + o.UID + " --file plan.md"
}
