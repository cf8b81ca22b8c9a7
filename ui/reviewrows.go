package ui

import (
	"bytes"
	"fmt"
	"strings"

	"vespe/model"
	"vespe/ui/overlay"
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
			for _, phase := range model.AcceptedWith(a.snap, s.uid, seen.Bound) {
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
	terms, others := model.BoundWords(bound)
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
		return model.LevelWords(nil, "")
	}
	return safeLine(model.LevelWords(a.deps.Keys, a.riskOf(uid)))
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
		return listed(waiting, 3)
	case len(done) > 0:
		return listed(done, 3) + ": done"
	}
	return ""
}
