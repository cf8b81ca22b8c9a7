package model

import (
	"cmp"
	"slices"
)

// ResultFiles are the files of the result that an approval of finished work binds to; false where it
// does not list them, or they are not what is bound.
func (a *Approval) ResultFiles() ([]ResultFile, bool) {
	var list []ResultFile
	for path, hash := range a.Result {
		list = append(list, ResultFile{Path: path, Hash: hash})
	}
	bound, judged := a.Bound[BoundResult]
	return list, judged && HashResult(list) == bound
}

// Stands reports that an approval of finished work is the one that a task is reviewed by.
func (a *Approval) Stands(st *StatusFile) bool {
	r := st.Review
	return a.Verdict == approvalVerdicts[ReviewAccepted] && st.CurrentState == Completed && r != nil &&
		r.Of == "work" && r.Verdict == VerdictAccepted && r.By == a.Approver && r.At.Equal(a.At())
}

// ResultSince compares the result that an approval binds to with the files of today, one entry a file
// that differs. Where the approval lists none it is one, about the result as a whole.
func (a *Approval) ResultSince(now []ResultFile) []ChangeReason {
	if hash := HashResult(now); hash != a.Bound[BoundResult] {
		if was, known := a.ResultFiles(); known {
			return resultDiff(was, now)
		}
		return []ChangeReason{{Old: a.Bound[BoundResult], New: hash}}
	}
	return nil
}

func resultDiff(was, now []ResultFile) (out []ChangeReason) {
	at := map[string]int{}
	put := func(path string) *ChangeReason {
		i, ok := at[path]
		if !ok {
			i, at[path] = len(out), len(out)
			out = append(out, ChangeReason{File: path})
		}
		return &out[i]
	}
	for _, f := range was {
		put(f.Path).Old = f.Hash
	}
	for _, f := range now {
		put(f.Path).New = f.Hash
	}
	out = slices.DeleteFunc(out, func(c ChangeReason) bool { return c.Old == c.New })
	slices.SortFunc(out, func(a, b ChangeReason) int { return cmp.Compare(a.File, b.File) })
	return out
}
