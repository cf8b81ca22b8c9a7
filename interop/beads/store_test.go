package beads

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store"
)

// generated makes issues of every status, with parents, blocks and texts.
func generated(n int) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for i := range n {
		issue := map[string]any{
			"id": fmt.Sprintf("g-%d", i), "title": fmt.Sprintf("Issue %d", i), "priority": i % 5,
			"status":      []string{"closed", "closed", "closed", "open", "tombstone", "in_progress", "deferred"}[i%7],
			"description": strings.Repeat("What is to be done. ", i%40), "issue_type": []string{"task", "bug", "epic"}[i%3],
			"created_at": time.Date(2025, 1, 1, 0, i, 0, 0, time.UTC), "updated_at": time.Date(2025, 6, 1, 0, i, 0, 0, time.UTC),
			"labels": []string{"made"}, "ephemeral": i%4 == 0,
		}
		if i%3 == 0 {
			issue["design"] = "1. Do it.\n"
		}
		var deps []map[string]string
		if i > 10 && i%2 == 0 {
			deps = append(deps, map[string]string{"depends_on_id": fmt.Sprintf("g-%d", i/10), "type": "parent-child"})
		}
		if i > 0 && i%5 == 0 {
			deps = append(deps, map[string]string{"depends_on_id": fmt.Sprintf("g-%d", i-1), "type": "blocks"})
		}
		if deps != nil {
			issue["dependencies"] = deps
		}
		if err := enc.Encode(issue); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

func TestImportOfAWholeProject(t *testing.T) {
	const n = 500
	issues, problems := Parse("issues.jsonl", bytes.NewReader(generated(n)))
	if len(problems) > 0 {
		t.Fatalf("%d problems, first %+v", len(problems), problems[0])
	}
	if len(issues) != n {
		t.Fatalf("%d issues, want %d", len(issues), n)
	}
	s, err := store.Init(t.TempDir(), store.Options{Scratch: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	snap, err := s.Load(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ops, report := Ops(issues, Options{Snapshot: snap, Actor: by, Now: now()})
	again, _ := Ops(issues, Options{Snapshot: snap, Actor: by, Now: now()})
	if !reflect.DeepEqual(ops, again) {
		t.Error("the same issues give other operations")
	}
	if report.Created != n || report.Unchanged != 0 {
		t.Errorf("%d created, %d unchanged", report.Created, report.Unchanged)
	}
	applied, err := s.DoAll(t.Context(), ops)
	if err != nil {
		t.Fatal(err)
	}
	checkProject(t, issues, applied.Snapshot)

	// Nothing comes of a second import, no matter who reads the store.
	fresh, err := store.Open(s.Root(), store.Options{Scratch: true})
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	loaded, err := fresh.Load(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	checkProject(t, issues, loaded)
	ops, report = Ops(issues, Options{Snapshot: loaded, Actor: by, Now: now()})
	if len(ops) != 0 || report.Created != 0 || report.Unchanged != n || len(report.NotCarried) != 0 {
		t.Errorf("a second import: %d operations, %d unchanged, %q", len(ops), report.Unchanged, report.NotCarried)
	}
	found, err := fresh.Fsck().Doctor(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range found {
		// Only what the data itself has wrong.
		if p.Severity == model.Error || p.Code != "cycle" {
			t.Errorf("doctor: %s: %s [%s]", p.Path, p.Reason, p.Code)
		}
	}
	checkHistory(t, fresh, issues)
}

// checkProject compares a store with the issues that it is of, issue by issue.
func checkProject(t *testing.T, issues Issues, snap *snapshot.Snapshot) {
	t.Helper()
	if snap.Len() != len(issues) {
		t.Fatalf("%d tasks of %d issues", snap.Len(), len(issues))
	}
	uids := map[string]model.UID{}
	for _, issue := range issues {
		uids[issue.ID] = UID(issue.Issue)
	}
	wrong := 0
	for _, issue := range issues {
		i, ok := snap.Index(UID(issue.Issue))
		if !ok {
			t.Fatalf("%s is missing", issue.ID)
		}
		task, status := snap.At(i), snap.Status(i)
		var fine bool
		switch issue.Status {
		case "closed":
			fine = status == model.StatusDone
		case "tombstone":
			fine = status == model.StatusAborted
		case "deferred":
			fine = status == model.StatusPaused
		default:
			fine = status == model.StatusReviewPlan && issue.Design != "" || status == model.StatusPlanning || status == model.StatusCreated
		}
		blocks := 0
		for _, d := range issue.Dependencies {
			if d.Type == "blocks" {
				blocks++
			}
			if d.Type == "parent-child" && task.Config.ParentUID == "" {
				fine = false
			}
		}
		if p := parentID(issue.Issue); p != "" && task.Config.ParentUID != uids[p] {
			fine = false
		}
		fine = fine && len(task.DependsOn) <= blocks && (blocks == 0) == (len(task.DependsOn) == 0) &&
			task.HasObjective == (strings.TrimSpace(issue.Description+issue.Notes) != "") && task.HasPlan == (strings.TrimSpace(issue.Design) != "") &&
			task.Config.Name == strings.TrimSpace(issue.Title) && task.Config.CreatedAt.Truncate(time.Millisecond).Equal(issue.CreatedAt.Truncate(time.Millisecond))
		if !fine {
			if wrong++; wrong < 5 {
				t.Errorf("%s (%s, %s) became %s: %+v", issue.ID, issue.Status, issue.CreatedAt, status, task)
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d tasks are not what their issues are", wrong)
	}
	for _, item := range snap.Inbox() {
		if item.Kind == snapshot.InboxWork {
			t.Errorf("closed work waits for a review: %s", item.Title)
		}
	}
}

// checkHistory looks at one issue of each status.
func checkHistory(t *testing.T, s *store.Store, issues Issues) {
	t.Helper()
	seen := map[string]bool{}
	for _, issue := range issues {
		if seen[issue.Status] {
			continue
		}
		seen[issue.Status] = true
		events, problems, err := s.History(t.Context(), UID(issue.Issue))
		if err != nil || len(problems) > 0 {
			t.Fatal(err, problems)
		}
		if len(events) < 2 || events[0].Name != model.CreateTask || !events[0].At.Equal(issue.CreatedAt.UTC().Truncate(time.Millisecond)) {
			t.Errorf("%s: the history begins with %+v", issue.ID, events[0])
		}
		last := events[len(events)-1]
		if last.Name != model.ImportTask || last.Actor != by || time.Since(last.At) > time.Hour {
			t.Errorf("%s: the history ends with %+v", issue.ID, last)
		}
	}
}

// parentID is the first parent of an issue.
func parentID(issue Issue) string {
	for _, d := range issue.Dependencies {
		if d.Type == "parent-child" {
			return d.DependsOnID
		}
	}
	return ""
}
