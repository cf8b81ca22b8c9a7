package model

import (
	"encoding/hex"
	"fmt"
	"path"
	"strconv"
	"strings"

	"vespe/internal/lazyregexp"
)

// Files that never change are named by what they hold, so that two clones of a repository give one name to
// two contents only where the contents are the same, and git merges them without a conflict. The number in
// the name of a revision, and of its review, is for people and for the order; it is no identity: two clones
// may both have a revision 3. Names without a hash, which older versions wrote, are read.

// nameHash is how many hexadecimal digits of a hash stand in a name.
const nameHash = 16

// hashName is the part of a hash that stands in names; "" for no hash.
func hashName(hash string) string {
	digits, ok := strings.CutPrefix(hash, HashPrefix)
	if !ok || len(digits) < nameHash {
		return ""
	}
	return digits[:nameHash]
}

// numbered is "STEM-NNNN-HASH", and without the last part where there is no hash.
func numbered(stem string, n int, hash string) string {
	name := fmt.Sprintf("%s-%04d", stem, n)
	if h := hashName(hash); h != "" {
		name += "-" + h
	}
	return name
}

var numberedName = lazyregexp.New(`^(objective|plan|work)-([0-9]{4,9})(?:-([0-9a-f]{16}))?$`)

func parseNumbered(name string) (stem string, n int, hash string, ok bool) {
	m := numberedName.Get().FindStringSubmatch(name)
	if m == nil {
		return "", 0, "", false
	}
	n, err := strconv.Atoi(m[2])
	return m[1], n, m[3], err == nil && numbered(m[1], n, "") == m[1]+"-"+m[2]
}

// RevisionName is the name, below persistent/revisions, of a revision of a document with a hash. Without a
// hash it is the name that older versions gave.
func RevisionName(doc Doc, n int, hash string) string { return numbered(string(doc), n, hash) + ".md" }

// ParseRevisionName reads the name of a revision's file. hash is the beginning of the hash, in digits; it
// is "" in a name that an older version gave.
func ParseRevisionName(name string) (doc Doc, n int, hash string, ok bool) {
	base, ok := strings.CutSuffix(name, ".md")
	stem, n, hash, is := parseNumbered(base)
	return Doc(stem), n, hash, ok && is && (Doc(stem) == Plan || Doc(stem) == Objective)
}

// ReviewName is the name, below reviews, of what was said about a revision of a plan with a hash.
func ReviewName(revision int, planHash string) string {
	return numbered(string(Plan), revision, planHash) + ".json"
}

// ParseReviewName reads the name of a file of ReviewName, as ParseRevisionName does.
func ParseReviewName(name string) (revision int, hash string, ok bool) {
	base, ok := strings.CutSuffix(name, ".json")
	stem, revision, hash, is := parseNumbered(base)
	return revision, hash, ok && is && stem == string(Plan)
}

// Name is the file of the comments, below reviews.
func (b *CommentBook) Name() string {
	if n, _, ok := ParseReviewName(b.File); ok && n == b.Revision {
		return b.File
	}
	return ReviewName(b.Revision, "") // as older versions named it
}

// SealedName is the name of a file that never changes, by its bytes.
func SealedName(stem string, body []byte) string {
	return stem + "-" + hashName(HashBytes(body)) + ".json"
}

// eventHash is how many hexadecimal digits of the hash of an operation's id stand in the names of its events.
const eventHash = 8

// eventSuffix tells an event's file from one that another clone wrote at the same moment; "" where no
// operation has an id.
func eventSuffix(opID string) string {
	if opID == "" {
		return ""
	}
	return "-" + strings.TrimPrefix(HashBytes([]byte(opID)), HashPrefix)[:eventHash]
}

// withoutSuffix is the name of an event's file, without ".json" and what eventSuffix put there.
func withoutSuffix(name string) string {
	i := len(name) - eventHash - 1
	if i <= 0 || name[i] != '-' {
		return name
	}
	if _, err := hex.DecodeString(name[i+1:]); err != nil || strings.ToLower(name) != name {
		return name
	}
	return name[:i]
}

// ApprovalsDir is where approvals lie, below a task's directory.
const ApprovalsDir = "approvals/"

// runPattern is what may name a directory under persistent/runs/.
var runPattern = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// TaskFile is a path inside a task's directory, relative to .vespe.
func TaskFile(uid UID, name string) string { return path.Join("tasks", string(uid), name) }

// RevisionPath is the file of a revision of a document with a hash, relative to .vespe.
func RevisionPath(uid UID, d Doc, n int, hash string) string {
	return TaskFile(uid, path.Join("persistent/revisions", RevisionName(d, n, hash)))
}

// ReviewPath is a file below reviews by its name, relative to .vespe.
func ReviewPath(uid UID, name string) string { return TaskFile(uid, path.Join("reviews", name)) }

// RunPath is a file of a run by its name, such as run.json, relative to .vespe.
func RunPath(uid UID, run, name string) string {
	return TaskFile(uid, "persistent/runs/"+run+"/"+name)
}

// The files by which people guide planners, workers and priorities, below .vespe.
const (
	GuidelinesFile = "guidelines.txt"
	PriorityFile   = "rules/priority.yml"
)

// SpecFile is the name of spec.json in a task's directory, and as a file that is bound.
const SpecFile = "spec.json"
