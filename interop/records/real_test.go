package records_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/internal/recordstest"
	"vespe/interop/orchestrator"
	"vespe/interop/records"
	"vespe/interop/taskspec"
)

// text is what people wrote about one task.
type text struct{ title, body, status string }

// written are the tasks of two real projects where VESPE_DATA says where they lie: issues of beads
// and the task files of Backlog.md.
func written(t *testing.T) []text {
	t.Helper()
	dir := os.Getenv("VESPE_DATA")
	if dir == "" {
		t.Skip("VESPE_DATA names no directory with tasks of real projects")
	}
	var out []text
	b, err := os.ReadFile(filepath.Join(dir, "beads-issues.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		var issue struct{ Title, Description, Status string }
		if err := json.Unmarshal(line, &issue); err != nil {
			t.Fatal(err)
		}
		out = append(out, text{issue.Title, issue.Description, issue.Status})
	}
	f, err := os.Open(filepath.Join(dir, "backlog-md.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(unpacked); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if name := filepath.Base(h.Name); !strings.HasPrefix(name, "task-") && !strings.HasPrefix(name, "back-") || !strings.HasSuffix(name, ".md") {
			continue
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, text{strings.TrimSuffix(filepath.Base(h.Name), ".md"), string(body), ""})
	}
	t.Logf("%d tasks", len(out))
	if len(out) < 3003+500 {
		t.Errorf("only %d tasks were found", len(out))
	}
	return out
}

// What people really write comes out of each format as it came, and changes nothing the second time.
func TestRealTasks(t *testing.T) {
	all := written(t)
	words := func(status, closed, open string) string {
		if status == "closed" || status == "" {
			return closed
		}
		return open
	}
	var list, tasks []any
	for i, x := range all {
		list = append(list, map[string]any{
			"task_id": fmt.Sprintf("t-%d", i), "objective": x.title + "\n\n" + x.body, "status": words(x.status, "DONE", "NEW"),
			"tool_output": x.body, "result_summary": x.body, "context": map[string]string{"status": x.status, "text": x.body},
		})
		tasks = append(tasks, map[string]any{
			"id": fmt.Sprintf("T%d", i), "title": x.title, "description": x.body, "user_story": x.body, "acceptance_criteria": []string{x.title, x.body},
			"status": words(x.status, "completed", "pending"), "implementation_notes": x.body, "dependencies": []string{}, "milestone_id": "M1",
		})
	}
	none := []string{}
	var done []string
	for i, x := range all {
		if words(x.status, "yes", "") != "" {
			done = append(done, fmt.Sprintf("T%d", i))
		}
	}
	var ids []string
	for i := range all {
		ids = append(ids, fmt.Sprintf("T%d", i))
	}
	whole := map[string]any{
		"tasks": tasks, "milestones": []any{map[string]any{"id": "M1", "name": "All", "description": "", "task_ids": ids, "status": "in_progress"}},
		"current_task_id": nil, "current_task_ids": none, "in_flight_task_ids": none, "failed_task_ids": none, "completed_task_ids": done,
	}
	for _, tt := range []struct {
		format *records.Format
		value  any
	}{{taskspec.Format(), list}, {orchestrator.Format(), whole}} {
		t.Run(tt.format.Name, func(t *testing.T) {
			in, err := json.Marshal(tt.value)
			if err != nil {
				t.Fatal(err)
			}
			s := recordstest.New(t, tt.format)
			if r := s.Import(string(in)); r.Created != len(all) {
				t.Fatalf("%d came", r.Created)
			}
			if r := s.Import(string(in)); r.Unchanged != len(all) {
				t.Errorf("the second time %d changed", r.Updated)
			}
			var was, is any
			if err := errors.Join(json.Unmarshal(in, &was), json.Unmarshal(s.Whole(), &is)); err != nil {
				t.Fatal(err)
			}
			a, _ := json.Marshal(was)
			b, _ := json.Marshal(is)
			if list, ok := is.([]any); ok { // their order is that of the store
				found := map[string]bool{}
				for _, x := range list {
					raw, _ := json.Marshal(x)
					found[string(raw)] = true
				}
				for _, x := range was.([]any) {
					if raw, _ := json.Marshal(x); !found[string(raw)] {
						t.Fatalf("does not come out: %s", raw)
					}
				}
			} else if !bytes.Equal(a, b) {
				t.Error("another state comes out")
			}
		})
	}
}
