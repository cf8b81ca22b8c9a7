package binding

import (
	"slices"
	"strings"

	"vespe/model"
)

// Unmarked is what was known of a task, without the marks that its file says are gone and that are so:
// the bytes that they name are those that it was accepted with again, as after git set everything
// back. hash says what a file holds now, by the names that marks have, or "" where it is not there or
// cannot be told. It is was itself where nothing is to be taken away.
func Unmarked(was, now *model.Task, hash func(file string) (string, error)) (*model.Task, error) {
	if was == nil || !was.HasStandingAcceptance() || now.Status.AcceptedPlan == nil || !model.SameAcceptance(was.Status.AcceptedPlan, now.Status.AcceptedPlan) {
		return was, nil
	}
	var left []model.ChangeReason
	for _, c := range was.Status.ChangedBecause {
		named := slices.ContainsFunc(now.Status.ChangedBecause, func(m model.ChangeReason) bool { return m.File == c.File })
		if !named {
			is, err := isAsAccepted(was, now, c.File, hash)
			if err != nil {
				return nil, err
			}
			if is {
				continue
			}
		}
		left = append(left, c)
	}
	if len(left) == len(was.Status.ChangedBecause) {
		return was, nil
	}
	n := was.Clone()
	n.Status.ChangedBecause = left
	return n, nil
}

// isAsAccepted says whether a file that a task was accepted with is certainly what it was then.
func isAsAccepted(was, now *model.Task, file string, hash func(string) (string, error)) (bool, error) {
	a := now.Status.AcceptedPlan
	accepted := ""
	switch file {
	case string(model.Objective) + ".md":
		accepted = a.ObjectiveHash
	case string(model.Plan) + ".md":
		accepted = a.PlanHash
	case model.ApprovalsDir + a.Approval:
		accepted = a.ApprovalHash
	case model.SpecFile, model.DependenciesFile, model.BoundPolicy:
		return a.SpecHash != "", nil // whoever looks at the task compares them (model.ChangesOf)
	default:
		id, _, _ := strings.Cut(file, "/")
		for _, p := range DepParts {
			i, found := HashAt(now.Status.ParentContentHashes, id+p.Key)
			if found && file == id+p.file && slices.Contains(now.DependsOn, model.UID(id)) && slices.Contains(was.Status.ParentContentHashes, now.Status.ParentContentHashes[i]) {
				accepted = now.Status.ParentContentHashes[i].Hash
			}
		}
	}
	if accepted == "" {
		return false, nil
	}
	is, err := hash(file)
	return is == accepted, err
}
