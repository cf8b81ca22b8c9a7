package store

import (
	"fmt"
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
	storeFile      = "store.json"
	policyFile     = "config.json"
	ignoreFile     = ".gitignore"
	milestonesFile = "milestones.json"
	lockFile       = "lock"
	logDir         = "log"
	objectsDir     = "objects"
	tmpDir         = "tmp"
	cacheDir       = "cache"
	doubtFile      = "cache/doubt"
	tasksDir       = "tasks"
	requestsDir    = "hitl_queue"
	projectedTip   = "cache/projected"

	projectConfig = ".project-config.json" // beside .vespe
)

// Names in a task's directory.
const (
	configFile       = "config.json"
	statusFile       = "status.json"
	dependenciesFile = "dependencies.json"
	specFile         = "spec.json"
	persistentDir    = "persistent"
	memoryDir        = "memory" // of the original, which wrote what agents said there
	resultDir        = "result"
	revisionsDir     = "persistent/revisions"
	editsDir         = "persistent/edits"
	approvalsDir     = "approvals"
	reviewsDir       = "reviews"
	theirsMark       = ".theirs-"
)

// Size caps, in bytes: what is larger is a problem, never read.
const (
	maxJSON     = 8 << 20   // any JSON file of a task, a request, the policy
	maxDocument = 32 << 20  // objective.md, plan.md and their revisions
	maxResult   = 1 << 30   // one file under result/, hashed as a stream
	maxEntry    = 512 << 20 // one log entry
	maxObject   = 512 << 20 // one body kept apart from its log entry
)

func taskDir(uid model.UID) string { return tasksDir + "/" + string(uid) }

func taskFile(uid model.UID, name string) string { return tasksDir + "/" + string(uid) + "/" + name }

func docFile(doc model.Doc) string { return string(doc) + ".md" }

func entryFile(seq uint64) string { return fmt.Sprintf("%s/%012d.json", logDir, seq) }

// parseEntryName is the inverse of entryFile for a bare file name.
func parseEntryName(name string) (uint64, bool) {
	digits, ok := strings.CutSuffix(name, ".json")
	if !ok || len(digits) < 12 {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil && n > 0 && entryFile(n) == logDir+"/"+name
}

func objectFile(hash string) string {
	hex := strings.TrimPrefix(hash, hashPrefix)
	return objectsDir + "/" + hex[:2] + "/" + hex
}

func requestFile(id string) string { return requestsDir + "/" + id + ".json" }

// shown is how a path is written for people: relative to the repository root.
func shown(name string) string { return path.Join(Name, name) }

// taskOf is the task that a path belongs to.
func taskOf(name string) (uid model.UID, rest string, ok bool) {
	s, ok := strings.CutPrefix(name, tasksDir+"/")
	if !ok {
		return "", "", false
	}
	u, rest, ok := strings.Cut(s, "/")
	return model.UID(u), rest, ok && model.UID(u).Valid()
}

// checkTarget says whether a transaction may write a path: files of tasks and requests,
// the policy and the milestones; never the machinery. It guards against a damaged or hostile log as well
// as against our own mistakes.
func checkTarget(name string) error {
	bad := func(why string) error { return fmt.Errorf("path %q %s", name, why) }
	if !validName(name) || strings.Contains(name, "\\") || strings.Contains(name, theirsMark) {
		return bad("is not a clean path below .vespe")
	}
	for _, r := range name {
		if r < ' ' || r == 0x7f {
			return bad("holds a control character")
		}
	}
	top, rest, _ := strings.Cut(name, "/")
	switch top {
	case tasksDir:
		if _, file, ok := taskOf(name); !ok || file == "" {
			return bad("names no file of a task")
		}
		return nil
	case requestsDir:
		if id, ok := strings.CutSuffix(rest, ".json"); !ok || id == "" || id[0] == '.' || strings.Contains(id, "/") {
			return bad("names no request")
		}
		return nil
	case policyFile, milestonesFile:
		return nil
	}
	if isGuidance(name) {
		return nil
	}
	return bad("is not a file that a transaction writes")
}

// rank orders a projection: content first, then what describes it, then the events, and
// status.json last, so that a state is never seen without what it stands for.
func rank(name string) int {
	_, rest, ok := taskOf(name)
	if !ok {
		return 1
	}
	switch rest {
	case statusFile:
		return 3
	case configFile, dependenciesFile, specFile:
		return 1
	}
	if isEventFile(rest) {
		return 2
	}
	return 0
}

// isEventFile: persistent/<anything>.json, a direct child.
func isEventFile(rest string) bool {
	name, ok := strings.CutPrefix(rest, persistentDir+"/")
	return ok && !strings.Contains(name, "/") && strings.HasSuffix(name, ".json")
}

// readLimit is how large a file may be to be read back.
func readLimit(name string) int {
	_, rest, ok := taskOf(name)
	switch {
	case ok && strings.HasPrefix(rest, resultDir+"/"):
		return maxObject
	case strings.HasSuffix(name, ".json"):
		return model.MaxJSON
	}
	return maxDocument
}
