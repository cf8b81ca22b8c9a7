package ui

import (
	"fmt"
	"strings"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/detail"
	"vespe/ui/overlay"
)

// overlapWords say in sentences about a task what its files and those of other open tasks have to do with
// each other: a dependency that is missing, and files that others are about, too.
func (a *App) overlapWords(uid model.UID) []string {
	i, ok := a.snap.Index(uid)
	if !ok {
		return nil
	}
	var out []string
	needs, clashes := a.snap.FileOverlapsOf(i)
	for _, n := range needs {
		files := strings.Join(n.Files, ", ")
		if int(n.Task) == i {
			out = append(out, fmt.Sprintf("%s: %q creates it, but this doesn't wait for that", files, a.snap.Name(int(n.On))))
		} else {
			out = append(out, fmt.Sprintf("%s: %q modifies it, but doesn't wait for this", files, a.snap.Name(int(n.Task))))
		}
	}
	for _, c := range clashes {
		out = append(out, c.Said(a.snap, i))
	}
	return out
}

// sizeRows say in the sheet of a plan how much work the task is, which limits it is beyond, and which of
// its files other open tasks are about.
func (a *App) sizeRows(uid model.UID) []overlay.Affected {
	t, ok := a.snap.Task(uid)
	if !ok {
		return nil
	}
	var out []overlay.Affected
	warn := func(label, says string) {
		row := a.factRow(label, says)
		row.Glyph, row.Ink = a.st.Glyph.Warning, a.st.Warn
		out = append(out, row)
	}
	limits := a.snap.Policy().SizeLimits()
	if score := t.Complexity(limits); score.Total > 0 {
		says := detail.ScoreWords(&score) + ": " + score.Level.Advice()
		if hint := a.keyHint(keymap.Decompose, "decomposes it"); score.Split && limits.AutoSplit && hint != "" && a.allowed(model.Op{Name: model.Decompose, UID: uid, Actor: a.deps.Actor, Args: model.Decomposition{}}) == nil {
			says += " (close this, then " + hint + ")"
		}
		if score.Split {
			warn("size", says)
		} else {
			out = append(out, a.factRow("size", says))
		}
		for _, w := range score.Warnings {
			warn("", w.Text)
		}
	}
	label := "files"
	for _, says := range a.overlapWords(uid) {
		warn(label, says)
		label = ""
	}
	return out
}

// sizeNotes say of several plans which are too much for one task, and which files others are about, too.
func (a *App) sizeNotes(uids []model.UID) []string {
	const most = 6
	var out []string
	limits := a.snap.Policy().SizeLimits()
	for _, uid := range uids {
		t, ok := a.snap.Task(uid)
		if !ok {
			continue
		}
		if score := t.Complexity(limits); score.Split {
			out = append(out, fmt.Sprintf("%s: %s, %s", a.name(uid), detail.ScoreWords(&score), score.Level.Advice()))
		}
		for _, says := range a.overlapWords(uid) {
			out = append(out, a.name(uid)+": "+says)
		}
	}
	if over := len(out) - most; over > 0 {
		out = append(out[:most], fmt.Sprintf("and %d more about size and files", over))
	}
	return out
}
