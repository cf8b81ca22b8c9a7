package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"vespe/agents/desk"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
)

// Whatever a string holds, the JSON of it shows everything and means the same.
func FuzzWriteJSON(f *testing.F) {
	for _, s := range []string{"", "a", "\x1b[31m", "a\u202eb\U000e0041", "\x00\x7f\u2028", "👩\u200d💻 \u200d", "\xff\xfe", `"\<>&`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var b bytes.Buffer
		if err := WriteJSON(&b, map[string]string{"v": s}); err != nil {
			t.Fatal(err)
		}
		if visible.Has(b.String()) {
			t.Errorf("%q: something is hidden in %q", s, b.String())
		}
		var back map[string]string
		if err := json.Unmarshal(b.Bytes(), &back); err != nil {
			t.Fatalf("%q: %v", b.String(), err)
		}
		if utf8.ValidString(s) && back["v"] != s {
			t.Errorf("%q came back as %q", s, back["v"])
		}
	})
}

// The keys of what --json prints are a promise: a new one may come, none goes.
func TestObjectKeys(t *testing.T) {
	for _, tt := range []struct {
		object any
		keys   string
	}{
		{ErrorObject{}, "code message guard hint uid cycle changed"},
		{changedObject{}, "doc seen now"},
		{ChangeObject{}, "seq op_id replayed dry_run summary task changed warnings"},
		{TaskObject{}, "uid name status state parent_uid depends_on priority labels created_by created_at updated_at paused pause_reason error retries agent run objective_revision plan_revision plan_accepted revision leaves problems"},
		{ProgressObject{}, "done total"},
		{ProblemObject{}, "uid path line severity code reason hint"},
		{treeObject{}, "depth children"},
		{InboxObject{}, "kind uid name request title reason since behind agents"},
		{EventObject{}, "event at actor from to reason summary op_id seq cause details file"},
		{ReasonObject{}, "uid name status text depth"},
		{DocumentObject{}, "revision hash text"},
	} {
		var keys []string
		for _, f := range reflect.VisibleFields(reflect.TypeOf(tt.object)) {
			if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); key != "" {
				keys = append(keys, key)
			}
		}
		for _, want := range strings.Fields(tt.keys) {
			if !slices.Contains(keys, want) {
				t.Errorf("%T has lost its key %q: %v", tt.object, want, keys)
			}
		}
	}
}

// chain is a snapshot of n tasks, each below the one before.
func chain(n int) *snapshot.Snapshot {
	tasks := make([]*model.Task, n)
	for i := range tasks {
		uid := model.UID(fmt.Sprintf("tsk-%032x", i))
		tasks[i] = &model.Task{UID: uid, HasStatus: true, Config: model.Config{UID: uid, Name: fmt.Sprint("level ", i)}}
		tasks[i].Status.CurrentState = model.Created
		if i > 0 {
			tasks[i].Config.ParentUID = tasks[i-1].UID
		}
	}
	return snapshot.New(snapshot.Input{Tasks: tasks})
}

// A tree as deep as somebody likes costs a line for each task, not a line as long as the
// tree is deep.
func TestDeepTree(t *testing.T) {
	const n = 10_000
	snap := chain(n)
	for _, asJSON := range []bool{false, true} {
		var b bytes.Buffer
		a := NewApp(Deps{Stdout: &b, Getenv: func(string) string { return "" }, Now: time.Now})
		a.JSON = asJSON
		if err := a.PrintTree(snap, snap.Roots(), func(*model.Task) *desk.WorkReport { return nil }); err != nil {
			t.Fatal(err)
		}
		if err := a.Out.Flush(); err != nil {
			t.Fatal(err)
		}
		if b.Len() > n*800 {
			t.Errorf("json %v: %d bytes for %d tasks", asJSON, b.Len(), n)
		}
		if !asJSON {
			lines := strings.Split(b.String(), "\n")
			for line, want := range map[int]string{
				0:     "◦ level 0  New  0/1  000000",
				1:     "└─ ◦ level 1  New  0/1  000001",
				2:     "   └─ ◦ level 2  New  0/1  000002",
				n - 1: strings.Repeat("   ", maxIndent) + fmt.Sprintf("⋯ %d ◦ level %d  New  %06x", n-1, n-1, n-1),
			} {
				if lines[line] != want {
					t.Errorf("line %d is %q, want %q", line, lines[line], want)
				}
			}
			continue
		}
		var obj struct{ Tree []treeObject }
		if err := json.Unmarshal(b.Bytes(), &obj); err != nil {
			t.Fatal(err)
		}
		if len(obj.Tree) != n || obj.Tree[n-1].Depth != n-1 || len(obj.Tree[n-2].Children) != 1 {
			t.Errorf("%d rows, the last at depth %d", len(obj.Tree), obj.Tree[len(obj.Tree)-1].Depth)
		}
	}
}

// Every status has its color; what people can tell apart by word they can
// tell apart without color, too.
func TestPaint(t *testing.T) {
	a := NewApp(Deps{Stdout: &bytes.Buffer{}, Terminal: Terminal{IsTerminal: true}, Getenv: func(string) string { return "" }})
	for _, s := range model.Statuses() {
		painted := a.Paint(s, "x")
		if !strings.HasPrefix(painted, "\x1b[") || !strings.HasSuffix(painted, "x\x1b[0m") || strings.HasPrefix(painted, "\x1b[39m") {
			t.Errorf("%s is painted %q", s, painted)
		}
	}
	a.NoColor = true
	if got := a.Paint(model.StatusDone, "x"); got != "x" {
		t.Errorf("--no-color paints %q", got)
	}
}
