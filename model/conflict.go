package model

import (
	"bytes"
	"fmt"
	"strings"

	"vespe/model/visible"
)

// CodeConflictMarks is the code of the problem of a file with both sides of a merge in it.
const CodeConflictMarks = "merge-conflict"

// Conflict finds what a version control system leaves where two sides of a merge changed
// the same lines: a line of "<<<<<<< ours", then "=======", then ">>>>>>> theirs". line is
// that of the first, from 1.
func Conflict(text []byte) (line int, ours, theirs string, found bool) {
	const begin, middle, end = "<<<<<<< ", "=======", ">>>>>>> "
	state, n := 0, 0
	for l := range bytes.Lines(text) {
		n++
		l = bytes.TrimRight(l, "\r\n")
		switch {
		case state == 0 && bytes.HasPrefix(l, []byte(begin)):
			state, line, ours = 1, n, string(l[len(begin):])
		case state == 1 && string(l) == middle:
			state = 2
		case state == 2 && bytes.HasPrefix(l, []byte(end)):
			return line, ours, string(l[len(end):]), true
		}
	}
	return 0, "", "", false
}

// ConflictSides are the two texts of which a version control system left both, with conflicts or without; false where one
// has no end.
func ConflictSides(text []byte) (ours, theirs []byte, ok bool) {
	const both, first, base, second = 0, 1, 2, 3
	state := both
	for l := range bytes.Lines(text) {
		mark := string(bytes.TrimRight(l, "\r\n"))
		switch {
		case state == both && strings.HasPrefix(mark, "<<<<<<< "):
			state = first
		case state == first && strings.HasPrefix(mark, "|||||||"):
			state = base
		case (state == first || state == base) && mark == "=======":
			state = second
		case state == second && strings.HasPrefix(mark, ">>>>>>> "):
			state = both
		default:
			if state == both || state == first {
				ours = append(ours, l...)
			}
			if state == both || state == second {
				theirs = append(theirs, l...)
			}
		}
	}
	return ours, theirs, state == both
}

// ConflictProblem is what to say of a file with a conflict in it; false when it has none.
func ConflictProblem(uid UID, path string, text []byte) (Problem, bool) {
	line, ours, theirs, found := Conflict(text)
	if !found {
		return Problem{}, false
	}
	return Problem{
		UID: uid, Path: path, Line: line, Severity: Error, Code: CodeConflictMarks,
		Reason: fmt.Sprintf("unresolved merge conflict: %s and %s", visible.Line(ours), visible.Line(theirs)),
		Hint:   conflictHint(path),
	}, true
}

// ContinueHint is the hint of a conflict that vespe resolves.
const ContinueHint = "run `vespe store merge --continue`"

// conflictHint says how the conflict in a file is resolved: vespe merges those that it writes itself.
func conflictHint(path string) string {
	for _, part := range []string{"tasks/", "hitl_queue/", "milestones.json"} {
		if strings.HasPrefix(path, ".vespe/"+part) {
			return ContinueHint
		}
	}
	return "resolve the conflict: keep one side and remove the lines with <<<<<<<, ======= and >>>>>>>"
}
