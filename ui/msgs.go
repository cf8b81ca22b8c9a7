package ui

import (
	"time"

	"vespe/model"
	"vespe/model/review"
	"vespe/model/runlog"
	"vespe/model/snapshot"
	"vespe/ui/detail"
	"vespe/ui/diff"
	"vespe/ui/markdown"
	"vespe/ui/overlay"
)

// The messages that commands answer with. Each carries the generation of the question;
// an answer to an older question is dropped (see App.Update).

// loadedMsg is the whole store, read.
type loadedMsg struct {
	gen  int
	snap *snapshot.Snapshot
	err  error
}

// earlyMsg is a snapshot to look at until the store has been read: how it was last known,
// or what has been read so far. It is nil when there is none.
type earlyMsg struct {
	gen  int
	snap *snapshot.Snapshot
}

// loadTickMsg asks for a look at how far the load has come.
type loadTickMsg struct{ gen int }

// foundMsg is what was found in the texts of tasks.
type foundMsg struct {
	gen    int
	text   string
	answer snapshot.SearchAnswer
	err    error
}

// foundTickMsg asks again, because not everything was indexed.
type foundTickMsg struct{ gen int }

// pollMsg is what the store says of itself, because it changed or because it was time.
type pollMsg struct{ headMsg }

// idleMsg says that the keyboard has been still for a moment.
type idleMsg struct{ gen int }

// headMsg is the store's head.
type headMsg struct {
	seq    uint64
	edited bool   // tasks were edited past vespe
	stale  string // why what is known may be old; "" when it is not
	err    error
}

// settleMsg comes one round after the selection moved: only when nothing moved it again
// are the files of the task read.
type settleMsg struct{ gen int }

// slowMsg comes a moment after something began: it is shown as busy only when it is
// still under way.
type slowMsg struct{ gen int }

// slowSheetMsg is the same for the files of the task under the cursor.
type slowSheetMsg struct{ gen int }

// sheet is everything about one task that has to be read from its files.
type sheet struct {
	uid       model.UID
	revision  int            // of status.json when it was asked for
	objective *model.Content // nil: there is none
	plan      *model.Content
	parsed    map[string]*markdown.Parsed // the large ones of both, by their hash
	// bound is what a verdict binds to of other tasks; nil: nobody has asked yet.
	bound map[string]string
	earlier
	review     *model.ReviewFile // what was said about the plan; nil for nothing
	drafts     []review.Draft    // as they lie on disk
	writes     int               // how often drafts had been written when it was asked for
	history    []model.Event
	results    []model.ResultFile
	summary    []byte           // the beginning of result/summary.md; nil when there is none
	summarized *markdown.Parsed // the same, where it is large
	problems   []model.Problem
	runs       []model.Run    // the attempts at it, the oldest first
	reportOf   string         // the newest of them that was verified; "" for none
	report     *runlog.Report // what that found
	errs       sheetErrs
	err        error // the first of errs
}

// earlier is what a plan is compared with.
type earlier struct {
	base       *model.Content // an earlier revision; nil when there is none
	decided    int            // the last one that this actor decided on; 0 for none
	baseReview *model.ReviewFile
	between    []*model.ReviewFile // of the revisions since base, the newest first
}

// parseBeside is from how many bytes on a text is parsed where it is read. A smaller one is parsed once it
// is looked at, which no key notices.
const parseBeside = 8 << 10

// parse parses the large texts.
func (s *sheet) parse() {
	s.parsed = map[string]*markdown.Parsed{}
	for _, c := range []*model.Content{s.objective, s.plan} {
		if c != nil && len(c.Body) > parseBeside {
			s.parsed[c.Hash] = markdown.Parse(c.Body)
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

// sheetErrs are what could not be read of a sheet.
type sheetErrs struct{ objective, plan, history, results, review, drafts, runs, report error }

// sheetMsg is a sheet, read.
type sheetMsg struct {
	gen   int
	sheet *sheet
}

// glanceMsg is a look at the documents on screen: a sheet when they have changed.
type glanceMsg struct {
	sheetMsg
	results time.Duration // how long it took to look at the files of the result; 0 when nobody did
}

// resultFileMsg is the beginning of one result file.
type resultFileMsg struct {
	uid  model.UID
	path string
	body []byte
	// parsed is body, where it is large.
	parsed *markdown.Parsed
	err    error
	edit   bool // for the person's editor
}

// changesMsg are what recorded revisions changed, for the events of a task's history that are
// unfolded.
type changesMsg struct {
	uid     model.UID
	changes []revisionChange
}

// comparedMsg is a comparison for the box that shows it.
type comparedMsg struct {
	box *overlay.Diff
	cmp *diff.Comparison
}

// planChangesMsg is what differs between the plan of a sheet and the last revision that this actor
// decided on.
type planChangesMsg struct {
	sheet   *sheet
	changes *detail.Changes
}

type revisionChange struct {
	of  model.DocRevision
	cmp *diff.Comparison
	err error
}

// appliedMsg is the store's answer to operations.
type appliedMsg struct {
	job     int
	ops     []model.Op
	applied snapshot.Applied
	err     error
}

// editReadyMsg is an editor session whose copy is on disk.
type editReadyMsg struct {
	draft   *draft
	session EditSession
	err     error
}

// editedMsg is what the editor left; body is set after a failure too, where it could be
// read.
type editedMsg struct {
	draft   *draft
	session EditSession
	body    []byte
	err     error
}

// expireMsg takes a message of success off the screen.
type expireMsg struct{ id int }

// The news that dialogs follow.
type (
	pollNews   struct{}                // texts may have changed without a word to the store
	typedNews  struct{}                // drafts of comments changed
	noteNews   struct{ id string }     // a note was written, answered or dropped; "" for none to go to
	sheetNews  struct{ *sheet }        // the files of a task were read
	draftsNews struct{ uid model.UID } // the drafts of a task were read
	planNews   struct{ uid model.UID } // the plan on screen was replaced
	memberNews struct{ uid model.UID } // a text of a changeset changed
)
