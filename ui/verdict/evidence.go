package verdict

import (
	"cmp"
	"strings"

	"vespe/model/runlog"
	"vespe/ui/overlay"
	"vespe/ui/style"
	"vespe/ui/taskdocs"
)

// evidenceRows are the evidence in a dialog for finished work: each check, then each criterion.
func (v Proposer) evidenceRows(s *taskdocs.Docs) []overlay.Affected {
	st := v.Styles
	signs := map[runlog.Status]string{runlog.Pass: "✓", runlog.Fail: "✗"}
	if st.Options.ASCII {
		signs = map[runlog.Status]string{runlog.Pass: "+", runlog.Fail: "X"}
	}
	inks := map[runlog.Status]style.Ink{runlog.Pass: st.Good, runlog.Fail: st.Bad}
	var out []overlay.Affected
	for _, f := range s.Work().Findings() {
		ink, ok := inks[f.Status]
		if !ok {
			ink = st.Warn
		}
		sign := cmp.Or(signs[f.Status], map[bool]string{true: "-", false: "○"}[st.Options.ASCII])
		out = append(out, overlay.Affected{Glyph: sign, Ink: ink, Title: f.Title, Detail: strings.TrimSuffix(f.Status.Words()+", "+f.Detail, ", ")})
	}
	if len(out) > 0 {
		out = append(out, overlay.Affected{})
	}
	return out
}
