// Package layout names the files of a store: where each is below .vespe, how large it may be, and
// what a transaction may write.
package layout

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"vespe/model"
)

// Name is the directory that holds a store; RootMarker in it says so.
const (
	Name       = ".vespe"
	RootMarker = ".vespe_root"
)

// Names below .vespe.
const (
	StoreFile      = "store.json"
	PolicyFile     = "config.json"
	IgnoreFile     = ".gitignore"
	MilestonesFile = "milestones.json"
	LockFile       = "lock"
	LogDir         = "log"
	ObjectsDir     = "objects"
	TmpDir         = "tmp"
	CacheDir       = "cache"
	DoubtFile      = "cache/doubt"
	TasksDir       = "tasks"
	RequestsDir    = "hitl_queue"
	ProjectedTip   = "cache/projected"

	ProjectConfig = ".project-config.json" // beside .vespe
)

// Names in a task's directory.
const (
	ConfigFile       = "config.json"
	StatusFile       = "status.json"
	DependenciesFile = "dependencies.json"
	SpecFile         = "spec.json"
	PersistentDir    = "persistent"
	MemoryDir        = "memory" // of the original, which wrote what agents said there
	ResultDir        = "result"
	RevisionsDir     = "persistent/revisions"
	EditsDir         = "persistent/edits"
	ApprovalsDir     = "approvals"
	ReviewsDir       = "reviews"
	TheirsMark       = ".theirs-"
)

const HashPrefix = "sha256-" // of every hash

// Size caps, in bytes: what is larger is a problem, never read.
const (
	MaxJSON     = 8 << 20   // any JSON file of a task, a request, the policy
	MaxDocument = 32 << 20  // objective.md, plan.md and their revisions
	MaxResult   = 1 << 30   // one file under result/, hashed as a stream
	MaxEntry    = 512 << 20 // one log entry
	MaxObject   = 512 << 20 // one body kept apart from its log entry
)

// SmallFile is the size, in bytes, up to which a file is read as a whole to be hashed or searched. That
// is quicker than a stream.
const SmallFile = 1 << 20

func TaskDir(uid model.UID) string { return TasksDir + "/" + string(uid) }

func TaskFile(uid model.UID, name string) string { return TasksDir + "/" + string(uid) + "/" + name }

func DocFile(doc model.Doc) string { return string(doc) + ".md" }

func EntryFile(seq uint64) string { return fmt.Sprintf("%s/%012d.json", LogDir, seq) }

// ParseEntryName is the inverse of entryFile for a bare file name.
func ParseEntryName(name string) (uint64, bool) {
	digits, ok := strings.CutSuffix(name, ".json")
	if !ok || len(digits) < 12 {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil && n > 0 && EntryFile(n) == LogDir+"/"+name
}

func ObjectFile(hash string) string {
	hex := strings.TrimPrefix(hash, HashPrefix)
	return ObjectsDir + "/" + hex[:2] + "/" + hex
}

func RequestFile(id string) string { return RequestsDir + "/" + id + ".json" }

// Shown is how a path is written for people: relative to the repository root.
func Shown(name string) string { return path.Join(Name, name) }

// TaskOf is the task that a path belongs to.
func TaskOf(name string) (uid model.UID, rest string, ok bool) {
	s, ok := strings.CutPrefix(name, TasksDir+"/")
	if !ok {
		return "", "", false
	}
	u, rest, ok := strings.Cut(s, "/")
	return model.UID(u), rest, ok && model.UID(u).Valid()
}

// CheckTarget says whether a transaction may write a path: files of tasks and requests,
// the policy and the milestones; never the machinery. It guards against a damaged or hostile log as well
// as against our own mistakes.
func CheckTarget(name string) error {
	bad := func(why string) error { return fmt.Errorf("path %q %s", name, why) }
	if !ValidName(name) || strings.Contains(name, "\\") || strings.Contains(name, TheirsMark) {
		return bad("is not a clean path below .vespe")
	}
	for _, r := range name {
		if r < ' ' || r == 0x7f {
			return bad("holds a control character")
		}
	}
	top, rest, _ := strings.Cut(name, "/")
	switch top {
	case TasksDir:
		if _, file, ok := TaskOf(name); !ok || file == "" {
			return bad("isn't a file of a task")
		}
		return nil
	case RequestsDir:
		if id, ok := strings.CutSuffix(rest, ".json"); !ok || id == "" || id[0] == '.' || strings.Contains(id, "/") {
			return bad("isn't a request")
		}
		return nil
	case PolicyFile, MilestonesFile:
		return nil
	}
	if IsGuidance(name) {
		return nil
	}
	return bad("isn't a file that transactions write")
}

// Rank orders a projection: content first, then what describes it, then the events, and
// status.json last, so that a state is never seen without what it stands for.
func Rank(name string) int {
	_, rest, ok := TaskOf(name)
	if !ok {
		return 1
	}
	switch rest {
	case StatusFile:
		return 3
	case ConfigFile, DependenciesFile, SpecFile:
		return 1
	}
	if IsEventFile(rest) {
		return 2
	}
	return 0
}

// IsEventFile: persistent/<anything>.json, a direct child.
func IsEventFile(rest string) bool {
	name, ok := strings.CutPrefix(rest, PersistentDir+"/")
	return ok && !strings.Contains(name, "/") && strings.HasSuffix(name, ".json")
}

// ReadLimit is how large a file may be to be read back.
func ReadLimit(name string) int {
	_, rest, ok := TaskOf(name)
	switch {
	case ok && strings.HasPrefix(rest, ResultDir+"/"):
		return MaxObject
	case strings.HasSuffix(name, ".json"):
		return model.MaxJSON
	}
	return MaxDocument
}

// IsGuidance: a file that people write, and that an older vespe wrote, too (edit_guidance).
func IsGuidance(name string) bool {
	return name == model.GuidelinesFile || name == model.PriorityFile || name == "reflections/proposals.json"
}

// ValidName reports whether a name may be given to an FS.
func ValidName(name string) bool {
	return fs.ValidPath(name) && !strings.ContainsRune(name, 0)
}

// IsMachinery says whether no commit holds what has a name in .vespe: log, locks, caches, and bytes kept aside.
func IsMachinery(name string) bool {
	switch name {
	case LogDir, ObjectsDir, TmpDir, LockFile, CacheDir:
		return true
	}
	return strings.Contains(name, TheirsMark)
}

// Runs of a task: a directory for each in RunsDir, with its RunFile.
const (
	RunsDir = PersistentDir + "/runs"
	RunFile = "run.json"
)

// RevisionFile is the name, in a task's directory, of revision n with a hash; without one, as older
// versions named it.
func RevisionFile(doc model.Doc, n int, hash string) string {
	return RevisionsDir + "/" + model.RevisionName(doc, n, hash)
}

// ReviewFile is the file of the comments that status.json speaks of.
func ReviewFile(uid model.UID, known *model.CommentBook) string {
	return TaskFile(uid, ReviewsDir+"/"+known.Name())
}

// ReviewOf is the name of the review of a revision of a plan, by the name of the revision's file: they have
// the same stem.
func ReviewOf(uid model.UID, revision string) string {
	return TaskFile(uid, ReviewsDir+"/"+strings.TrimSuffix(path.Base(revision), ".md")+".json")
}

func RunDir(uid model.UID, run string) string { return TaskFile(uid, RunsDir+"/"+run) }

// EditFile is where the bytes of a task's file are kept that somebody else wrote.
func EditFile(uid model.UID, rest, hash string) string {
	ext := path.Ext(rest)
	return TaskFile(uid, fmt.Sprintf("%s/%s-%.16s%s", EditsDir, strings.TrimSuffix(rest, ext), strings.TrimPrefix(hash, HashPrefix), ext))
}

// NumberedEdit is the name of an edit's bytes where i-1 others have its name already.
func NumberedEdit(name string, i int) string {
	if i == 1 {
		return name
	}
	ext := path.Ext(name)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), i, ext)
}

// IsApproval says whether a file is an approval of a task.
func IsApproval(name string) bool {
	_, rest, ok := TaskOf(name)
	return ok && path.Dir(rest) == ApprovalsDir && strings.HasSuffix(rest, ".json") && !strings.Contains(rest, TheirsMark)
}
