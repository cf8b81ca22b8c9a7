package verdict

import (
	"bytes"
	"fmt"
	"strings"

	"vespe/ui/taskdocs"
	"vespe/ui/text"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/foresee"
	"vespe/model/lifecycle/binding"
	"vespe/model/review"
	"vespe/ui/detail"
	"vespe/ui/overlay"
)

// ReviewRows name the bytes that an acceptance binds to.
func (v Proposer) ReviewRows(docs []*taskdocs.Docs) []overlay.Affected {
	var out []overlay.Affected
	add := func(title, detail string) {
		out = append(out, overlay.Affected{Glyph: v.Styles.Glyph.Dot, Ink: v.Styles.Accent, Title: title, Detail: detail})
	}
	for _, s := range docs {
		if len(docs) > 1 {
			if s.Plan != nil {
				add(v.name(s.UID), ContentLine(s.Plan))
			}
			continue
		}
		for _, c := range []*model.Content{s.Objective, s.Plan} {
			if c != nil {
				add(labeled(string(c.Doc)), ContentLine(c))
			}
		}
		if i, ok := v.Snap.Index(s.UID); ok && foresee.Unfinished(v.Snap, i) != "" {
			add(labeled("needs"), foresee.Unfinished(v.Snap, i))
		}
		if seen := v.seen(model.AcceptPlan, s); seen != nil {
			for _, phase := range binding.AcceptedWith(v.Snap, s.UID, seen.Bound) {
				label := labeled("phase")
				for line := range strings.Lines(phase.Name + ", accepted with it:\n" + phase.Plan) {
					add(label, text.SafeLine(strings.TrimSuffix(line, "\n")))
					label = labeled("")
				}
			}
			termsRows(seen.Bound, add)
			add(labeled("approval"), v.levelLine(s.UID))
		}
	}
	return out
}

// termsRows name what an acceptance binds to beside the texts.
func termsRows(bound map[string]string, add func(title, detail string)) {
	terms, others := review.BoundWords(bound)
	add(labeled("terms"), terms)
	if others != "" {
		add(labeled("includes"), others)
	}
}

// levelLine says how sure the approval will be, and what the person asks for.
func (v Proposer) levelLine(uid model.UID) string {
	if v.Keys == nil {
		return review.LevelWords(nil, "")
	}
	return text.SafeLine(review.LevelWords(v.Keys, v.RiskOf(uid)))
}

// ContentLine is a version of a document by revision, length and hash.
func ContentLine(c *model.Content) string {
	rev := fmt.Sprintf("revision %d", c.Revision)
	if c.Revision == 0 {
		rev = "edited outside vespe"
	}
	return fmt.Sprintf("%s  %s  %s", rev, ShortHash(c.Hash), text.Plural(lineCount(c.Body), "line"))
}

// lineCount is how many lines a text has; the last needs no line feed.
func lineCount(b []byte) int {
	n := bytes.Count(b, []byte("\n"))
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}

func ShortHash(h string) string {
	return h[:min(len(h), len("sha256-")+12)]
}

// overlapWords say in sentences about a task what its files and those of other open tasks have to do with
// each other.
func (v Proposer) overlapWords(uid model.UID) []string {
	i, ok := v.Snap.Index(uid)
	if !ok {
		return nil
	}
	return foresee.Overlaps(v.Snap, i)
}

// sizeRows say in the dialog of a plan how much work the task is, which limits it is beyond, and which of
// its files other open tasks are about.
func (v Proposer) sizeRows(uid model.UID) []overlay.Affected {
	t, ok := v.Snap.Task(uid)
	if !ok {
		return nil
	}
	var out []overlay.Affected
	warn := func(label, says string) {
		row := v.FactRow(label, says)
		row.Glyph, row.Ink = v.Styles.Glyph.Warning, v.Styles.Warn
		out = append(out, row)
	}
	limits := v.Snap.Policy().SizeLimits()
	if score := t.Complexity(limits); score.Total > 0 {
		says := detail.ScoreWords(&score) + ": " + score.Advice()
		if hint := v.Hint(keymap.Decompose, "decomposes it"); score.Split && limits.AutoSplit && hint != "" && v.Allowed(model.Op{Name: model.Decompose, UID: uid, Actor: v.Actor, Args: model.Decomposition{}}) == nil {
			says += " (close this, then " + hint + ")"
		}
		if score.Split {
			warn("size", says)
		} else {
			out = append(out, v.FactRow("size", says))
		}
		for _, w := range score.Warnings {
			warn("", w.Text)
		}
	}
	label := "files"
	for _, says := range v.overlapWords(uid) {
		warn(label, says)
		label = ""
	}
	return out
}

// sizeNotes say of several plans which are too much for one task, and which files others are about, too.
func (v Proposer) sizeNotes(uids []model.UID) []string {
	const most = 6
	var out []string
	limits := v.Snap.Policy().SizeLimits()
	for _, uid := range uids {
		t, ok := v.Snap.Task(uid)
		if !ok {
			continue
		}
		if score := t.Complexity(limits); score.Split {
			out = append(out, fmt.Sprintf("%s: %s, %s", v.name(uid), detail.ScoreWords(&score), score.Advice()))
		}
		for _, says := range v.overlapWords(uid) {
			out = append(out, v.name(uid)+": "+says)
		}
	}
	if over := len(out) - most; over > 0 {
		out = append(out[:most], fmt.Sprintf("and %d more about size and files", over))
	}
	return out
}
