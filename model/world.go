package model

import (
	"slices"
)

// Reviewed is an optional part of a World: review files as vespe wrote them, and earlier
// revisions of documents.
type Reviewed interface {
	// ReviewFile is the bytes of the review file that status.json speaks of, wherever they are kept.
	// ErrNoContent means that this world has no bytes.
	ReviewFile(uid UID, known *CommentBook) ([]byte, error)
	// Revision is a recorded revision of a document.
	Revision(UID, Doc, int) ([]byte, error)
}

// Milestoned is an optional part of a World: milestones.json, and which tasks name a
// milestone in spec.json.
type Milestoned interface {
	MilestoneFile() Milestones
	NamedIn(milestone string) []UID
}

// Strictness is an optional part of a World: the lowest risk at which the user wants to be asked
// before a task starts, whatever the project's policy says. "" asks about none.
type Strictness interface{ StartConsent() string }

// World is what Apply reads. *Snapshot implements the tree and the graph; the store adds
// bytes.
type World interface {
	Task(UID) (*Task, bool)
	ChildUIDs(UID) []UID
	DependentUIDs(UID) []UID
	Policy() Policy
	Requests() []Request
	// Content returns today's bytes of a document. ErrNoContent means that this world
	// has no bytes (a preview): guards on bytes are then passed over, and the store
	// checks them when the operation is fired.
	Content(UID, Doc) (Content, error)
	// ResultHash is sha256 over the sorted list of "<slash path>\0<sha256>\n" of result/,
	// as "sha256-<hex>". "" and no error when result/ is empty or absent.
	ResultHash(UID) (string, error)
	// ResultFile reads one file under result/; ErrNoContent when it is not there.
	ResultFile(UID, string) ([]byte, error)
	// StoreID and Head (sha256 of the last log entry) go into approvals.
	StoreID() string
	Head() string
}

// Numbering is an optional part of a World: the highest number ever given to a revision of a document,
// or 0. status.json may say less, because it may have been set back.
type Numbering interface {
	LastRevision(UID, Doc) int
}

// Listing is an optional part of a World: the files of results, each with its hash.
type Listing interface {
	ResultFiles(UID) ([]ResultFile, error)
}

// RunFiles is an optional part of a World: the run.json of a run, so that fields written by others
// survive. ErrNoContent when there is none.
type RunFiles interface {
	RunFile(uid UID, run string) ([]byte, error)
}

// DependencyPath is a shortest way from one of starts to goal along dependencies, both included;
// nil when there is none.
func DependencyPath(w World, starts []UID, goal UID) []UID {
	from := map[UID]UID{}
	queue := make([]UID, 0, len(starts))
	for _, s := range starts {
		if _, ok := from[s]; !ok {
			from[s] = s
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if at == goal {
			path := []UID{at}
			for from[at] != at {
				at = from[at]
				path = append(path, at)
			}
			slices.Reverse(path)
			return path
		}
		t, ok := w.Task(at)
		if !ok {
			continue
		}
		for _, d := range t.DependsOn {
			if _, ok := from[d]; !ok {
				from[d] = at
				queue = append(queue, d)
			}
		}
	}
	return nil
}
