package store

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/fsck"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// verified is what Verify finds, one line a problem: its severity, code and path.
var hashInName = regexp.MustCompile(`-[0-9a-f]{16}(\.json|\.md)$`)

func verified(t *testing.T, s *Store, contains string) (fsck.Verification, []string) {
	t.Helper()
	v := mustGet(s.Fsck().Verify(t.Context(), contains))(t)
	var lines []string
	for _, p := range v.Problems {
		if p.Reason == "" || p.Hint == "" {
			t.Errorf("it says too little: %+v", p)
		}
		word := "warning "
		if p.Severity == model.Error {
			word = "error "
		}
		lines = append(lines, word+p.Code+" "+hashInName.ReplaceAllString(strings.TrimPrefix(p.Path, ".vespe/"), "$1"))
	}
	return v, lines
}

// decided is a store with an accepted plan, a body in objects/ and a few entries.
func decided(t *testing.T) (*Store, model.UID) {
	t.Helper()
	s := newStore(t)
	uid := planned(t, s, "one")
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	big := create(t, s, "big", "x\n")
	do(t, s, model.Op{Name: model.DefinePlan, UID: big, Actor: robot, Args: model.NewPlan{Text: strings.Repeat("long\n", txlog.MaxInline/4)}})
	return s, uid
}

func TestVerifyFindsNothingInAGoodStore(t *testing.T) {
	s, _ := decided(t)
	v, lines := verified(t, s, "")
	if len(lines) > 0 || v.First != 1 || v.Last != 5 || v.Approvals != 1 || v.Unlogged != 0 || v.Objects != 1 || v.Files < 15 {
		t.Fatalf("%+v", v)
	}
	head := v.Head
	create(t, s, "more", "x\n")
	if _, lines := verified(t, s, head); len(lines) > 0 {
		t.Errorf("the log goes on, and an earlier entry is not found in it: %q", lines)
	}
}

// Every way to change what vespe wrote is found, and named.
func TestVerifyFindsWhatIsWrong(t *testing.T) {
	edit := func(name string, change func([]byte) []byte) func(*testing.T, *Store, string) {
		return func(t *testing.T, s *Store, dir string) {
			t.Helper()
			name := strings.ReplaceAll(name, "TASK", dir)
			found, err := filepath.Glob(vespe(s, name))
			if err != nil || len(found) == 0 {
				t.Fatal("there is no", name)
			}
			b, err := os.ReadFile(found[0])
			if err != nil {
				t.Fatal(err)
			}
			if b = change(b); b == nil {
				err = os.Remove(found[0])
			} else {
				err = os.WriteFile(found[0], b, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	more := func(b []byte) []byte { return append(b, '\n') }
	gone := func([]byte) []byte { return nil }
	swap := func(a, b string) func([]byte) []byte {
		return func(text []byte) []byte { return []byte(strings.ReplaceAll(string(text), a, b)) }
	}
	for name, c := range map[string]struct {
		spoil func(*testing.T, *Store, string)
		want  []string // prefixes, TASK for its directory
	}{
		"a status": {edit("TASK/status.json", more), []string{"error foreign-change TASK/status.json"}},
		"a plan":   {edit("TASK/plan.md", more), []string{"error foreign-change TASK/plan.md"}},
		"a revision": {edit("TASK/persistent/revisions/plan-0001-*.md", more), []string{
			"error foreign-change TASK/persistent/revisions/plan-0001.md", "error approval-differs TASK/approvals/",
		}},
		"an event that is gone": {edit("TASK/persistent/*_accept_plan-*.json", gone), []string{"error foreign-change TASK/persistent/"}},
		"an approval":           {edit("TASK/approvals/*.json", swap("human:ann", "human:bob")), []string{"error foreign-change TASK/approvals/"}},
		"a forged approval": {func(t *testing.T, s *Store, dir string) {
			b := mustGet(os.ReadFile(vespe(s, globName(t, s, dir+"/approvals/*.json"))))(t)
			write(t, vespe(s, dir+"/approvals/0099-accepted.json"), string(b))
		}, []string{"warning not-believed TASK/approvals/0099-accepted.json"}},
		"an entry": {edit("log/000000000002.json", swap("plan of one", "plan of two")), []string{"error log-broken log/000000000002.json"}},
		"an entry that is made anew": {edit("log/000000000004.json", swap(`"summary": "Created`, `"summary": "made`)), []string{
			"error log-broken log/000000000005.json",
		}},
		"an entry that is gone": {edit("log/000000000003.json", gone), []string{"error log-broken log/000000000004.json"}},
		"an object":             {edit("objects/*/*", more), []string{"error object-broken objects/"}},
		"an object that is gone": {
			edit("objects/*/*", gone), []string{"error object-broken objects/"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, uid := decided(t)
			must(t, s.Close())
			c.spoil(t, s, layout.TaskDir(uid))
			s = open(t, s.Root(), testOptions())
			_, lines := verified(t, s, "")
			if len(lines) != len(c.want) {
				t.Fatalf("found %q, want %q", lines, c.want)
			}
			for i, want := range c.want {
				if !strings.HasPrefix(lines[i], strings.ReplaceAll(want, "TASK", layout.TaskDir(uid))) {
					t.Errorf("found %q, want %q", lines[i], want)
				}
			}
		})
	}
}

func globName(t *testing.T, s *Store, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(vespe(s, pattern))
	if err != nil || len(found) != 1 {
		t.Fatal(pattern, found, err)
	}
	name := mustGet(filepath.Rel(vespe(s, ""), found[0]))(t)
	return name
}

// The end of a log can be cut off without a trace in what is left, but for approvals and
// for anyone who noted the head.
func TestVerifyFindsACutEnd(t *testing.T) {
	s, uid := decided(t)
	v, _ := verified(t, s, "")
	do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "x"}})
	if _, lines := verified(t, s, v.Head); len(lines) > 0 {
		t.Fatalf("found %q", lines)
	}
	if _, lines := verified(t, s, model.HashBytes([]byte("other"))); len(lines) != 1 || lines[0] != "error log-broken log" {
		t.Errorf("a head that never was: %q", lines)
	}
}
