package snapshot

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"vespe/model"
)

// A valid uid is one element of a path, in no case but one. What
// people type for one finds the task that it names and no other.
func FuzzUID(f *testing.F) {
	uids := []model.UID{
		"tsk-019ca8a03e837415b2473a311de85bcd", "tsk-019ca8a03e837415b2473a311de85bce", "tsk-019ca8a03e867009b0f8eecd9222ee3b",
		"a", "0", "legacy-task", "tsk-legacy",
	}
	var in Input
	for _, uid := range uids {
		in.Tasks = append(in.Tasks, &model.Task{UID: uid, Config: model.Config{UID: uid, Name: "name of " + string(uid[:1])}})
		f.Add(string(uid))
	}
	for _, s := range []string{"", "-a", "A", "..", "a/b", "a\x00", "tsk-", "tsk-019c", "019c", "e85bcd", "name of t", strings.Repeat("a", 64), strings.Repeat("a", 65), "ä", "tsk-019CA8A03E837415B2473A311DE85BCD"} {
		f.Add(s)
	}
	snap := New(in)
	pattern := regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}\z`)
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := model.UID(s).Valid(), pattern.MatchString(s); got != want {
			t.Fatalf("UID(%q).Valid() = %v", s, got)
		}
		if short := model.UID(s).Short(); !strings.HasSuffix(s, short) {
			t.Fatalf("%q is short for %q", short, s)
		}
		got, err := snap.Find(s)
		var r *model.Refusal
		if err != nil {
			if !errors.As(err, &r) || r.Hint == "" {
				t.Fatalf("Find(%q): %v", s, err)
			}
			return
		}
		if want := strings.TrimSpace(s); !strings.Contains(string(got), want) && "name of "+string(got[:1]) != want {
			t.Fatalf("Find(%q) is %s", s, got)
		}
	})
}
