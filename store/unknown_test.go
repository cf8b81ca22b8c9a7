package store

import (
	"os"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// Files where only vespe writes, that it did not write.
func TestVerifyFindsWhatTheLogDidNotWrite(t *testing.T) {
	event := `{"event": "accept_plan", "at": "2026-03-01T09:00:00Z", "actor": "human:ann", "seq": `
	for name, c := range map[string]struct{ file, body, want string }{
		"an event of an entry": {"persistent/20260301090000_900_accept_plan.json", event + "2}", "error not-logged"},
		"an event of none":     {"persistent/20260301090000_900_accept_plan.json", event + "99}", "warning not-logged"},
		"a revision":           {"persistent/revisions/plan-0002.md", "forged\n", "warning not-logged"},
		"a review":             {"reviews/plan-0001.json", `{"of": "plan", "verdict": "accepted"}`, "warning not-logged"},
		"nothing":              {"notes.txt", "mine", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			uid := planned(t, s, "one")
			if _, lines := verified(t, s, ""); len(lines) > 0 {
				t.Fatal(lines)
			}
			write(t, vespe(s, layout.TaskFile(uid, c.file)), c.body)
			opt := testOptions()
			opt.Trusted = true
			n := open(t, s.Root(), opt)
			want := []string{c.want + " " + layout.TaskFile(uid, c.file)}
			if c.want == "" {
				want = nil
			}
			if _, lines := verified(t, n, ""); !slices.Equal(lines, want) {
				t.Errorf("%q, want %q", lines, want)
			}
			// In a clone they are the history that it began with.
			if v, err := cloned(t, s, newClock(), 3).Fsck().Verify(t.Context(), ""); err != nil || len(v.Problems) > 0 {
				t.Errorf("in a clone: %+v, %v", v.Problems, err)
			}
		})
	}
}

// A store with a log has an identity, which its approvals name.
func TestVerifyLooksAtTheIdentity(t *testing.T) {
	s, uid := decided(t)
	must(t, os.Remove(vespe(s, layout.StoreFile)))
	if _, lines := verified(t, open(t, s.Root(), testOptions()), ""); !slices.Contains(lines, "error missing-file store.json") {
		t.Errorf("without one: %q", lines)
	}
	write(t, vespe(s, layout.StoreFile), `{"format":1,"store_id":"another","created_at":"2026-01-01T00:00:00Z"}`)
	n := open(t, s.Root(), testOptions())
	do(t, n, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "x"}})
	_, lines := verified(t, n, "")
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "error approval-differs "+layout.TaskFile(uid, layout.ApprovalsDir)) {
		t.Errorf("with another: %q", lines)
	}
}
