package records_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"vespe/internal/recordstest"
	"vespe/interop/records"
	"vespe/interop/taskspec"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store"
)

const few, many = 10_000, 100_000

// specs are n tasks of the specification as JSONL, of every status and with every member.
func specs(tb testing.TB, n int) []byte {
	tb.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for i := range n {
		err := enc.Encode(map[string]any{
			"task_id": fmt.Sprintf("t-%d", i), "created_at": "2025-06-23T03:15:00Z", "source": fmt.Sprintf("email:%d", i),
			"objective": fmt.Sprintf("Do the thing %d\nand say what came of it.", i), "context": map[string]any{"person": "Ann", "threads": []int{i, i + 1}},
			"priority": []string{"low", "med", "high", "critical"}[i%4], "status": []string{"NEW", "READY", "DONE", "WAITING_HITL", "CANCELLED"}[i%5],
			"subtasks": []any{map[string]any{"step": "first", "done": true}, map[string]any{"step": "then", "done": false}}, "assigned_agent": "ToolingAgent",
			"last_updated": "2025-06-23T03:16:10Z", "tool_output": map[string]any{"ok": true}, "result_summary": "It is done.",
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	return b.Bytes()
}

// operations reads a file and makes the operations of an import into an empty store.
func operations(b *testing.B, body []byte, n int) []model.Op {
	b.Helper()
	f := taskspec.Format()
	list, problems := f.Records(records.Input{Name: "f", File: bytes.NewReader(body)})
	ops, report, err := f.Ops(list, records.Options{Snapshot: snapshot.New(snapshot.Input{}), Actor: "human:ann", Now: time.Unix(1e9, 0)})
	if err != nil || len(problems)+len(report.Problems) > 0 || report.Created != n {
		b.Fatal(err, problems, report)
	}
	return ops
}

// BenchmarkImport imports into a store on the disk. The first ratio is of the time for a task among ten
// times as many, the other to files of the same number and sizes, written and synced once.
func BenchmarkImport(b *testing.B) {
	small, large := specs(b, few), specs(b, many)
	var slow, quick, bare time.Duration
	for b.Loop() {
		run := func(body []byte, n int) time.Duration {
			dir := b.TempDir()
			s, err := store.Init(dir, store.Options{})
			if err != nil {
				b.Fatal(err)
			}
			start := time.Now()
			if _, err := s.DoAll(b.Context(), operations(b, body, n)); err != nil {
				b.Fatal(err)
			}
			took := time.Since(start)
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
			if n == many {
				bare += recordstest.Bare(b, filepath.Join(dir, "bare"), filepath.Join(dir, store.Name))
			}
			if err := os.RemoveAll(dir); err != nil {
				b.Fatal(err)
			}
			return took
		}
		quick += run(small, few)
		slow += run(large, many)
	}
	b.ReportMetric(float64(slow)/float64(quick)*few/many, "100k/10k≤2")
	b.ReportMetric(float64(slow)/float64(bare), "x-bare-files")
	b.ReportMetric(slow.Seconds()/float64(b.N), "100k-s")
}
