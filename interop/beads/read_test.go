package beads

import (
	"encoding/json"
	"io"
	"slices"

	"vespe/interop/records"
	"vespe/model"
)

// Issues are those of a file, each with its record.
type Issues []struct {
	Issue
	records.Record
}

// Options say where they go.
type Options = records.Options

// Parse is what an import takes of a file, and what is wrong with the rest, in the order of the lines.
func Parse(name string, r io.Reader) (issues Issues, problems []model.Problem) {
	list, problems := Format().Records(records.Input{Name: name, File: r})
	_, report, err := Format().Ops(list, Options{Actor: by, Now: now()})
	if err != nil {
		panic(err)
	}
	for _, r := range list {
		if !slices.ContainsFunc(report.Problems, func(p model.Problem) bool { return p.Line == r.Line }) {
			issues = append(issues, struct {
				Issue
				records.Record
			}{issueOf(r.Fields), r})
		}
	}
	problems = append(problems, report.Problems...)
	slices.SortStableFunc(problems, func(a, b model.Problem) int { return a.Line - b.Line })
	return issues, problems
}

// Ops is what the import of issues does.
func Ops(issues Issues, o Options) ([]model.Op, records.Report) {
	var list []records.Record
	for _, issue := range issues {
		list = append(list, issue.Record)
	}
	ops, report, err := Format().Ops(list, o)
	if err != nil {
		panic(err)
	}
	return ops, report
}

// UID is the task that an issue becomes.
func UID(issue Issue) model.UID {
	b, err := json.Marshal(issue)
	if err != nil {
		panic(err)
	}
	_, fields, _ := parseIssue(b)
	return uidOf(issue.ID, fields, now())
}
