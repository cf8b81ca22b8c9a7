package snapshot

import (
	"errors"
	"strings"
	"testing"

	"vespe/model"
)

func named(uid model.UID, name string) *model.Task {
	return &model.Task{UID: uid, Config: model.Config{UID: uid, Name: name}}
}

func TestFind(t *testing.T) {
	s := New(Input{Tasks: []*model.Task{
		named("tsk-0195aaaa0000000000000000000000a1", "login"),
		named("tsk-0195aabb0000000000000000000000b2", "logout"),
		named("tsk-0196cccc0000000000000000000000b2", "logout"),
		named("tsk-0197dddd0000000000000000000000d4", "0195"),
		named("spec-import-7", "old spec"),
		named("tsk-beef0000000000000000000000beef00", "beef"),
		named("tsk-0198eeee0000000000000000000000e5", ""),
	}})
	const missing, several = "?", "*"
	for ref, want := range map[string]string{
		"tsk-0195aaaa0000000000000000000000a1":   "tsk-0195aaaa0000000000000000000000a1",
		" tsk-0195aaaa0000000000000000000000a1 ": "tsk-0195aaaa0000000000000000000000a1",
		"tsk-0195aaa":                            "tsk-0195aaaa0000000000000000000000a1",
		"0195aaa":                                "tsk-0195aaaa0000000000000000000000a1",
		"0195aa":                                 several,
		"0196":                                   "tsk-0196cccc0000000000000000000000b2",
		"019":                                    missing, // too short
		"tsk-":                                   missing,
		"login":                                  "tsk-0195aaaa0000000000000000000000a1",
		"Login":                                  missing, // names are exact
		"log":                                    missing,
		"logout":                                 several,
		"0195":                                   several, // one task's name, two others' uids
		"spec-import-7":                          "spec-import-7",
		"spec-i":                                 "spec-import-7",
		"import":                                 missing, // no part of a uid that somebody chose
		"sk-019":                                 missing,
		"old spec":                               "spec-import-7",
		"0000a1":                                 "tsk-0195aaaa0000000000000000000000a1",
		"0000b2":                                 several,
		"bb0000000000000000000000b2":             "tsk-0195aabb0000000000000000000000b2",
		"00a1":                                   missing, // shorter than UID.Short
		"aa0000":                                 "tsk-0195aaaa0000000000000000000000a1",
		"95aaaa":                                 "tsk-0195aaaa0000000000000000000000a1",
		"000000":                                 several,
		"5aaa":                                   missing, // too short for a part
		"":                                       missing,
		"beef":                                   "tsk-beef0000000000000000000000beef00", // by name and by uid, but one task
		"tsk-ffff":                               missing,
	} {
		uid, err := s.Find(ref)
		var r *model.Refusal
		switch {
		case want == missing || want == several:
			code := model.CodeNotFound
			if want == several {
				code = model.CodeAmbiguous
			}
			if !errors.As(err, &r) || r.Code != code || r.Hint == "" || uid != "" {
				t.Errorf("%q finds %q, %v; want %s", ref, uid, err, code)
			}
		case err != nil || string(uid) != want:
			t.Errorf("%q finds %q, %v; want %s", ref, uid, err, want)
		}
	}
}

func TestFindListsCandidates(t *testing.T) {
	s := New(Input{Tasks: []*model.Task{
		named("tsk-aaaa1", "twin"), named("tsk-aaaa2", "twin"), named("tsk-aaaa3", "other"),
		named("tsk-aaaa4", "x"), named("tsk-aaaa5", "x"), named("tsk-aaaa6", "x"), named("tsk-aaaa7", "x"),
	}})
	hint := func(ref string) string {
		_, err := s.Find(ref)
		var r *model.Refusal
		if !errors.As(err, &r) {
			t.Fatalf("%q: %v", ref, err)
		}
		return r.Hint
	}
	if h := hint("twin"); !strings.Contains(h, "aaaa1 (twin)") || !strings.Contains(h, "aaaa2 (twin)") {
		t.Errorf("hint is %q", h)
	}
	if h := hint("aaaa"); !strings.Contains(h, "and 2 more") || strings.Contains(h, "aaaa6 (x)") {
		t.Errorf("hint is %q", h)
	}
	if h := hint("tsk-aaaa"); !strings.Contains(h, "aaaa1 (twin)") {
		t.Errorf("hint is %q", h)
	}
	if h := hint("OTHE"); !strings.Contains(h, "did you mean aaaa3 (other)?") {
		t.Errorf("hint is %q", h)
	}
}

// Whatever Short shows of a task finds it, or says which others it could be.
func TestFindTakesWhatShortShows(t *testing.T) {
	s := New(Input{Tasks: benchTasks(300)})
	for i := range s.Len() {
		uid, err := s.Find(s.At(i).UID.Short())
		var r *model.Refusal
		if err == nil && uid != s.At(i).UID || err != nil && (!errors.As(err, &r) || r.Code != model.CodeAmbiguous) {
			t.Errorf("%s finds %s, %v", s.At(i).UID.Short(), uid, err)
		}
	}
}

func TestContainsFold(t *testing.T) {
	for _, c := range []struct {
		s, low string
		want   bool
	}{
		{"", "", true},
		{"abc", "", true},
		{"", "a", false},
		{"ABC", "abc", true},
		{"xxABc", "abc", true},
		{"aab", "ab", true},
		{"ab", "abc", false},
		{"ÄPFEL", "äpf", true},
		{"a-1", "-1", true},
		{"[x]", "{x}", false},
	} {
		if got := containsFold(c.s, c.low); got != c.want {
			t.Errorf("containsFold(%q, %q) = %v", c.s, c.low, got)
		}
	}
}
