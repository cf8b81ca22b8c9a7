package ui

import (
	"time"

	"vespe/ui/taskdocs"

	"vespe/model"
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

// slowDocsMsg is the same for the files of the task under the cursor.
type slowDocsMsg struct{ gen int }

// docsMsg are the documents of a task, read.
type docsMsg struct {
	gen  int
	docs *taskdocs.Docs
}

// glanceMsg is a look at the documents on screen: them when they have changed.
type glanceMsg struct {
	docsMsg
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

// planChangesMsg is what differs between the plan on screen and the last revision that this actor
// decided on.
type planChangesMsg struct {
	docs    *taskdocs.Docs
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
	noteNews   struct{ id string }      // a note was written, answered or dropped; "" for none to go to
	docsNews   struct{ *taskdocs.Docs } // the files of a task were read
	draftsNews struct{ uid model.UID }  // the drafts of a task were read
)
