package ui

import (
	"bytes"
	"fmt"
	"strings"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/review"
	"vespe/ui/detail"
	"vespe/ui/overlay"
	"vespe/ui/text"
)

// reviewRows name the bytes that an acceptance binds to.
func (a *App) reviewRows(sheets []*sheet) []overlay.Affected {
	var out []overlay.Affected
	add := func(title, detail string) {
		out = append(out, overlay.Affected{Glyph: a.st.Glyph.Dot, Ink: a.st.Accent, Title: title, Detail: detail})
	}
	for _, s := range sheets {
		if len(sheets) > 1 {
			if s.plan != nil {
				add(a.name(s.uid), contentLine(s.plan))
			}
			continue
		}
		for _, c := range []*model.Content{s.objective, s.plan} {
			if c != nil {
				add(labelled(string(c.Doc)), contentLine(c))
			}
		}
		if deps := a.dependencyLine(s.uid); deps != "" {
			add(labelled("needs"), deps)
		}
		if seen := a.seen(model.AcceptPlan, s); seen != nil {
			for _, phase := range binding.AcceptedWith(a.snap, s.uid, seen.Bound) {
				label := labelled("phase")
				for line := range strings.Lines(phase.Name + ", accepted with it:\n" + phase.Plan) {
					add(label, safeLine(strings.TrimSuffix(line, "\n")))
					label = labelled("")
				}
			}
			termsRows(seen.Bound, add)
			add(labelled("approval"), a.levelLine(s.uid))
		}
	}
	return out
}

// termsRows name what an acceptance binds to beside the texts.
func termsRows(bound map[string]string, add func(title, detail string)) {
	terms, others := review.BoundWords(bound)
	add(labelled("terms"), terms)
	if others != "" {
		add(labelled("includes"), others)
	}
}

// unruled is why nobody knows what an approval needs, so that nothing can be accepted; nil where that is
// known.
func (a *App) unruled() error {
	if a.deps.Keys == nil {
		return nil
	}
	_, err := a.deps.Keys.Required("")
	return err
}

// levelLine says how sure the approval will be, and what the person asks for.
func (a *App) levelLine(uid model.UID) string {
	if a.deps.Keys == nil {
		return review.LevelWords(nil, "")
	}
	return safeLine(review.LevelWords(a.deps.Keys, a.riskOf(uid)))
}

// contentLine is a version of a document by revision, length and hash.
func contentLine(c *model.Content) string {
	rev := fmt.Sprintf("revision %d", c.Revision)
	if c.Revision == 0 {
		rev = "edited outside vespe"
	}
	return fmt.Sprintf("%s  %s  %s", rev, shortHash(c.Hash), plural(lineCount(c.Body), "line"))
}

// lineCount is how many lines a text has; the last needs no line feed.
func lineCount(b []byte) int {
	n := bytes.Count(b, []byte("\n"))
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}

func shortHash(h string) string {
	return h[:min(len(h), len("sha256-")+12)]
}

// dependencyLine says what the task would still have to wait for.
func (a *App) dependencyLine(uid model.UID) string {
	i, ok := a.snap.Index(uid)
	if !ok {
		return ""
	}
	var waiting, done []string
	for _, d := range a.snap.DependsOn(i) {
		t := a.snap.At(int(d))
		if t.Status.CurrentState == model.Completed {
			done = append(done, a.name(t.UID))
		} else {
			waiting = append(waiting, a.name(t.UID)+" ("+a.snap.StatusWord(int(d))+")")
		}
	}
	switch {
	case len(waiting) > 0:
		return text.Listed(waiting, 3)
	case len(done) > 0:
		return text.Listed(done, 3) + ": done"
	}
	return ""
}

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
