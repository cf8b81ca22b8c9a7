package foresee

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/decompose"
	"vespe/model/snapshot"
)

// PlanDoubts are Doubts in words.
func PlanDoubts(s *snapshot.Snapshot, i int, said *model.ReviewFile, unasked int, shows string, notes []string) []string {
	return model.Texts(Doubts(s, i, said, unasked, shows, notes))
}

// Doubts are what should make a person hesitate who accepts a plan, the gravest first. said is the review of it, nil
// for none. unasked is how many changes no comment asked for, shows how to see them. notes are what was not seen, and those
// of the preview.
func Doubts(s *snapshot.Snapshot, i int, said *model.ReviewFile, unasked int, shows string, notes []string) []model.Effect {
	t := s.At(i)
	var out []model.Effect
	risk := model.RiskSaid(t)
	if risk == model.RiskHigh {
		out = append(out, Doubt("risk", risk+" risk"))
	}
	if unasked > 0 {
		out = append(out, Doubt("unasked_changes", model.Plural(unasked, "change", "changes")+" that no comment asked for"+shows))
	}
	out = append(out, Warned(notes)...)
	if said != nil {
		settled := func(c model.Comment) bool { return c.Settled() }
		if open := slices.DeleteFunc(slices.Clone(said.Comments), settled); len(open) > 0 {
			out = append(out, Doubt("open_comments", model.Plural(len(open), "open comment", "open comments")))
		}
	}
	for _, says := range Overlaps(s, i) {
		out = append(out, Doubt("shared_files", says))
	}
	if risk != "" && risk != model.RiskLow && risk != model.RiskHigh {
		out = append(out, Doubt("risk", risk+" risk"))
	}
	if sp := t.Spec; sp != nil && len(sp.TestFiles)+len(sp.Verify) == 0 {
		files := slices.Concat(sp.FilesToCreate, sp.FilesToModify)
		if len(files) > 0 && !slices.ContainsFunc(files, decompose.IsTest) {
			out = append(out, Doubt("no_tests", "it names no tests and no checks"))
		}
	}
	return out
}

// Doubt is one thing that should make a person hesitate.
func Doubt(code, says string) model.Effect {
	return model.Effect{Code: code, Text: model.Capital(says)}
}

// Warned are the warnings of an operation as doubts.
func Warned(warnings []string) (out []model.Effect) {
	for _, says := range warnings {
		out = append(out, Doubt("warning", says))
	}
	return out
}

// Overlaps say what the files of a task and those of other open tasks have to do with each other: a dependency that is
// missing, and files that others are about, too.
func Overlaps(s *snapshot.Snapshot, i int) []string {
	var out []string
	needs, clashes := s.FileOverlapsOf(i)
	for _, n := range needs {
		files := strings.Join(n.Files, ", ")
		if int(n.Task) == i {
			out = append(out, fmt.Sprintf("%s: created by %q, which this task doesn't depend on", files, s.Name(int(n.On))))
		} else {
			out = append(out, fmt.Sprintf("%s: modified by %q, which doesn't depend on this task", files, s.Name(int(n.Task))))
		}
	}
	for _, c := range clashes {
		out = append(out, c.Said(s, i))
	}
	return out
}

// Effect says in a sentence or two what a verdict on task i does to it and to others. after and requests are those of
// its preview.
func Effect(s *snapshot.Snapshot, i int, after []*model.Task, requests []model.Request) string {
	var says []string
	others := 0
	for _, x := range ImpactOf(s, s.UID(i), after, requests).Tasks {
		switch {
		case x.UID != s.UID(i):
			others++
		case x.To == model.StatusReady:
			says = append(says, "It can start.")
		case x.To == model.StatusDone && !x.Voided && !x.Stops:
			says = append(says, "The task is then done.")
		case x.To == model.StatusBlocked && Unfinished(s, i) != "":
			says = append(says, "It waits for "+Unfinished(s, i)+".")
		default:
			says = append(says, "It "+x.Becomes()+".")
		}
	}
	if others > 0 {
		says = append(says, model.Plural(others, "other task changes", "other tasks change")+" status with it.")
	}
	if on := s.Waiting(i); on != "" {
		says = append(says, "It blocks "+on+".")
	}
	return strings.Join(says, " ")
}

// Unfinished are the dependencies that a task still has to wait for.
func Unfinished(s *snapshot.Snapshot, i int) string {
	var names []string
	for _, d := range s.DependsOn(i) {
		if s.At(int(d)).Status.CurrentState != model.Completed {
			names = append(names, model.Quote(s.Name(int(d)))+" ("+s.StatusWord(int(d))+")")
		}
	}
	if more := len(names) - 3; more > 0 {
		names = append(names[:3], fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
