// Package taskdocs reads what the workbench shows of one task beside the snapshot: its texts, their comments, its
// history, its results and its runs. It reads files, so it is called from commands and never from Update.
package taskdocs

import (
	"slices"

	"vespe/model"
	"vespe/model/review"
	"vespe/model/runlog"
	"vespe/ui/markdown"
)

// Docs is everything about one task that has to be read from its files.
type Docs struct {
	UID       model.UID
	Revision  int            // of status.json when it was asked for
	Objective *model.Content // nil: there is none
	Plan      *model.Content
	Parsed    map[string]*markdown.Parsed // the large ones of both, by their hash
	// Bound is what a verdict binds to of other tasks; nil: nobody has asked yet.
	Bound map[string]string
	Earlier
	Review     *model.ReviewFile // what was said about the plan; nil for nothing
	Drafts     []review.Draft    // as they lie on disk
	Writes     int               // how often drafts had been written when it was asked for
	History    []model.Event
	Results    []model.ResultFile
	Summary    []byte           // the beginning of result/summary.md; nil when there is none
	Summarized *markdown.Parsed // the same, where it is large
	Problems   []model.Problem
	Runs       []model.Run    // the attempts at it, the oldest first
	ReportOf   string         // the newest of them that was verified; "" for none
	Report     *runlog.Report // what that found
	Errs       Errs
	Err        error // the first of Errs
}

// Earlier is what a plan is compared with.
type Earlier struct {
	Base       *model.Content // an earlier revision; nil when there is none
	Decided    int            // the last one that this actor decided on; 0 for none
	BaseReview *model.ReviewFile
	Between    []*model.ReviewFile // of the revisions since Base, the newest first
}

// Errs are what could not be read of the documents of a task.
type Errs struct{ Objective, Plan, History, Results, Review, Drafts, Runs, Report error }

// parseBeside is from how many bytes on a text is parsed where it is read. A smaller one is parsed once it
// is looked at, which no key notices.
const parseBeside = 8 << 10

// parse parses the large texts.
func (d *Docs) parse() {
	d.Parsed = map[string]*markdown.Parsed{}
	for _, c := range []*model.Content{d.Objective, d.Plan} {
		if c != nil && len(c.Body) > parseBeside {
			d.Parsed[c.Hash] = markdown.Parse(c.Body)
		}
	}
}

// parsedLarge is a text that is parsed where it was read; nil for one that need not be.
func parsedLarge(body []byte) *markdown.Parsed {
	if len(body) <= parseBeside {
		return nil
	}
	return markdown.Parse(body)
}

// Seen are the hashes of its bytes.
func (d *Docs) Seen() *model.Seen {
	out := &model.Seen{}
	if d.Objective != nil {
		out.ObjectiveHash = d.Objective.Hash
	}
	if d.Plan != nil {
		out.PlanHash = d.Plan.Hash
	}
	return out
}

// IsDecided reports whether the revision compared with is one that this actor decided
// on.
func (d *Docs) IsDecided() bool {
	return d.Base != nil && d.Base.Revision > 0 && d.Base.Revision == d.Decided
}

// Work is what is known of the work of its last run.
func (d *Docs) Work() *runlog.Work {
	if len(d.Runs) == 0 {
		return &runlog.Work{}
	}
	w := runlog.Work{Run: d.Runs[len(d.Runs)-1].ID, Err: d.Errs.Report}
	if d.ReportOf == w.Run {
		w.Report = d.Report
	}
	return &w
}

// LastPlanned is the event that defined the plan there is.
func LastPlanned(history []model.Event) *model.Event {
	for i := range slices.Backward(history) {
		if history[i].Name == model.DefinePlan {
			return &history[i]
		}
	}
	return nil
}

func same(a, b *model.Content) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Hash == b.Hash && a.Revision == b.Revision
}
