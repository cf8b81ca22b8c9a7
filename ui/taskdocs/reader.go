package taskdocs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"vespe/model"
	"vespe/model/runlog"
	"vespe/ui/drafts"
	"vespe/ui/markdown"
	"vespe/ui/runview"
)

// Store is where the documents lie. Its methods are called from commands, each on its own goroutine.
type Store interface {
	// StoreID names the store; "" where it is not known yet.
	StoreID() string
	// Content returns today's bytes of a document; model.ErrNoContent when it is absent.
	Content(ctx context.Context, uid model.UID, doc model.Doc) (model.Content, error)
	// Revision returns the bytes of one recorded revision, counted from 1.
	Revision(ctx context.Context, uid model.UID, doc model.Doc, n int) (model.Content, error)
	// Review is what was said about a revision of a task's plan; 0 is the newest that anything
	// was said about. nil where nobody has said anything.
	Review(ctx context.Context, uid model.UID, revision int) (*model.ReviewFile, error)
	// History returns a task's events, oldest first, and what could not be read.
	History(ctx context.Context, uid model.UID) ([]model.Event, []model.Problem, error)
	// Results lists the files under a task's result/.
	Results(ctx context.Context, uid model.UID) ([]model.ResultFile, error)
	// ReadResult reads one of them; one of more than maxBytes is an error.
	ReadResult(ctx context.Context, uid model.UID, path string, maxBytes int64) ([]byte, error)
}

// Reader reads the documents of tasks.
type Reader struct {
	Store  Store
	Drafts drafts.Store // nil: there are none on disk
	Runs   runview.Runs // nil: nobody runs
	Actor  model.Actor
}

const (
	mostShown = 256 << 10 // bytes of a result file that are kept for the screen
	MostRead  = 32 << 20  // of a result file that is read at all
)

// Wanted names one task whose documents are to be read.
type Wanted struct {
	UID    model.UID
	Base   int  // plan revision to compare with; 0 for none
	Latest int  // newest recorded plan revision; 0 for none
	At     int  // revision of status.json
	Writes int  // drafts.Book.Writes then
	Result bool // its result is on the screen
}

// Base is the plan revision that the current one is compared with: the last that somebody
// decided on, or else the one before; 0 for none.
func Base(t *model.Task) int {
	s := &t.Status
	if r := s.Review; r != nil && r.Of == "plan" && r.Revision > 0 && r.Revision < s.PlanRevision {
		return r.Revision
	}
	return max(0, s.PlanRevision-1)
}

// decidedBy is the last plan revision before the latest that a person decided on; 0 for none.
// What is compared with it is what they have not seen.
func decidedBy(history []model.Event, who model.Actor, latest int) int {
	at, last := 0, 0
	for i := range history {
		e := &history[i]
		for _, r := range e.Recorded() {
			if r.Doc == model.Plan {
				at = r.N
			}
		}
		switch e.Name {
		case model.AcceptPlan, model.RejectPlan, model.QuestionPlan, model.DeferPlan:
			if e.Actor == who && at > 0 && at < latest {
				last = at
			}
		}
	}
	return last
}

// Read reads everything that the detail shows. What cannot be read does not keep the
// rest from being shown.
func (r Reader) Read(ctx context.Context, w Wanted) *Docs {
	s := &Docs{UID: w.UID, Revision: w.At, Writes: w.Writes}
	s.Objective, s.Errs.Objective = r.content(ctx, w.UID, model.Objective)
	s.Plan, s.Errs.Plan = r.content(ctx, w.UID, model.Plan)
	s.parse()
	s.History, s.Problems, s.Errs.History = r.Store.History(ctx, w.UID)
	if s.Review, s.Errs.Review = r.Store.Review(ctx, w.UID, 0); errors.Is(s.Errs.Review, model.ErrNoContent) {
		s.Errs.Review = nil
	}
	if r.Drafts != nil {
		s.Drafts, s.Errs.Drafts = r.Drafts.Drafts(r.Store.StoreID(), w.UID)
	}
	if s.Plan != nil {
		base := w.Base
		before := w.Latest
		if s.Plan.Revision == 0 { // no revision yet: the latest one is an earlier text
			before++
		}
		if s.Decided = decidedBy(s.History, r.Actor, before); s.Decided > 0 {
			base = s.Decided
		}
		if s.Plan.Revision == 0 && base == 0 { // edited past vespe: compare with what was recorded last
			base = w.Latest
		}
		if base > 0 && base != s.Plan.Revision {
			if c, err := r.Store.Revision(ctx, w.UID, model.Plan, base); err == nil {
				s.Base = &c
				s.BaseReview, s.Between = r.Reviews(ctx, w.UID, base, w.Latest)
			} // without it there is no difference to show, and the key says so
		}
	}
	s.Results, s.Errs.Results = r.Store.Results(ctx, w.UID)
	if slices.ContainsFunc(s.Results, func(f model.ResultFile) bool { return f.Path == summaryName }) {
		if b, parsed, err := r.ReadResult(ctx, w.UID, summaryName); err == nil {
			s.Summary, s.Summarized = b, parsed
		} // the list has the file, and opening it says why it cannot be read
	}
	r.readLastRun(ctx, s, w.Latest)
	s.Err = cmp.Or(s.Errs.Objective, s.Errs.Plan, s.Errs.History, s.Errs.Results)
	return s
}

// readLastRun reads the attempts at a task, and what the newest of them that was verified came to.
func (r Reader) readLastRun(ctx context.Context, s *Docs, plans int) {
	if r.Runs == nil || plans == 0 { // nobody starts it without a plan
		return
	}
	s.Runs, s.Errs.Runs = r.Runs.Runs(ctx, s.UID)
	for _, run := range slices.Backward(s.Runs) {
		f := runview.File{Task: s.UID, Run: run.ID, Name: runview.VerifyName}.Read(ctx, r.Runs)
		if f.None || f.Err != nil {
			if run.Live() {
				continue
			}
			s.Errs.Report = f.Err
			break // what an older one found says nothing about this one
		}
		rep, err := runlog.DecodeReport(f.Body)
		if s.Errs.Report = err; err == nil {
			s.ReportOf, s.Report = run.ID, &rep
		}
		break
	}
}

// summaryName is the result file that says what was done.
const summaryName = "summary.md"

// content is a document; nil without an error when there is none.
func (r Reader) content(ctx context.Context, uid model.UID, doc model.Doc) (*model.Content, error) {
	c, err := r.Store.Content(ctx, uid, doc)
	switch {
	case errors.Is(err, model.ErrNoContent):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &c, nil
}

// beginning is the beginning of a result file: what the screen has a use for.
func (r Reader) beginning(ctx context.Context, uid model.UID, path string) ([]byte, error) {
	b, err := r.Store.ReadResult(ctx, uid, path, MostRead)
	if len(b) > mostShown {
		b = slices.Clone(b[:mostShown])
		if end := bytes.LastIndexByte(b, '\n'); end >= 0 {
			b = b[:end+1]
		}
	}
	return b, err
}

// mostReviews is how many revisions between two are looked at for answers.
const mostReviews = 20

// Reviews are what was said about a revision of a plan, and about those between it and a later
// one, the newest first. What cannot be read is left out: it is not what is compared.
func (r Reader) Reviews(ctx context.Context, uid model.UID, n, later int) (of *model.ReviewFile, between []*model.ReviewFile) {
	of, err := r.Store.Review(ctx, uid, n)
	if err != nil {
		of = nil
	}
	for k := later - 1; k > max(n, later-mostReviews); k-- {
		if f, err := r.Store.Review(ctx, uid, k); err == nil && f != nil {
			between = append(between, f)
		}
	}
	return of, between
}

// ReadAgain reads the documents again if they changed, and returns nil if not: an editor or an agent may
// write them without telling the store. took is how long it took to look at the files of the result.
func (r Reader) ReadAgain(ctx context.Context, w Wanted, old *Docs) (s *Docs, took time.Duration) {
	objective, err1 := r.content(ctx, w.UID, model.Objective)
	plan, err2 := r.content(ctx, w.UID, model.Plan)
	if err1 != nil || err2 != nil {
		return nil, 0 // what cannot be read now is said when something else is read
	}
	changed := !same(objective, old.Objective) || !same(plan, old.Plan)
	if w.Result {
		began := time.Now()
		files, err := r.Store.Results(ctx, w.UID)
		took = time.Since(began)
		changed = changed || err == nil && !slices.Equal(files, old.Results)
	}
	if !changed {
		return nil, took
	}
	return r.Read(ctx, w), took
}

// ReadResult reads the beginning of a result file, and parses it where it is large.
func (r Reader) ReadResult(ctx context.Context, uid model.UID, path string) ([]byte, *markdown.Parsed, error) {
	b, err := r.beginning(ctx, uid, path)
	return b, parsedLarge(b), err
}
