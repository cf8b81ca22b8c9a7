package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/layout"
)

// everything is what a reader can ask of a store, beside the snapshot that it has.
func everything(t *testing.T, s *Store, snap *snapshot.Snapshot) string {
	t.Helper()
	ctx := context.Background()
	var b strings.Builder
	b.WriteString(dump(snap))
	for i := range snap.Len() {
		uid := snap.At(i).UID
		for _, doc := range []model.Doc{model.Objective, model.Plan} {
			c, err := s.Content(ctx, uid, doc)
			if err != nil && !errors.Is(err, model.ErrNoContent) {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %s %d %s\n", uid, doc, c.Revision, model.HashBytes(c.Body))
			for n := 1; ; n++ {
				r, err := s.Revision(ctx, uid, doc, n)
				if errors.Is(err, model.ErrNoContent) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&b, "%s %s %d %s\n", uid, doc, n, model.HashBytes(r.Body))
			}
		}
		results, err := s.Results(ctx, uid)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			body, err := s.ReadResult(ctx, uid, r.Path, layout.MaxDocument)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %s %s %d %q\n", uid, r.Path, r.Hash, r.Size, body)
		}
		events, ps, err := s.History(ctx, uid)
		if err != nil || len(ps) > 0 {
			t.Fatal(err, ps)
		}
		for _, e := range events {
			fmt.Fprintf(&b, "%s %s %s\n", uid, e.File, e.Name)
		}
	}
	return b.String()
}

// TestReadersSeeWhatIsCommitted cuts transactions off at each call after the commit. Readers see
// documents, revisions, results and events of the transaction with its tasks.
func TestReadersSeeWhatIsCommitted(t *testing.T) {
	t.Parallel()
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			template := initIn(t, fastDir(t), testOptions())
			ops := sc.setUp(t, template)
			want, trace := cutOff(t, template, ops, 0)
			commit := 0
			for i, call := range trace {
				if strings.HasPrefix(call, "link "+layout.LogDir+"/") {
					commit = i + 1
				}
			}
			if commit == 0 || len(trace) < commit+5 {
				t.Fatalf("no commit among %q", trace)
			}
			for k := commit + 1; k <= len(trace); k++ {
				got, _ := cutOff(t, template, ops, k)
				same(t, fmt.Sprintf("cut off at call %d (%s)", k, trace[k-1]), want, got)
			}
		})
	}
}

// cutOff is what a reader finds where a transaction ended at call k, and its calls; 0: where it
// did not end early.
func cutOff(t *testing.T, template *Store, ops []model.Op, k int) (found string, trace []string) {
	t.Helper()
	root := cloneStore(t, template)
	f := &faultFS{dead: true, err: errDead}
	s := open(t, root, Options{Now: newClock().now, Rand: entropy(7), FS: f.system})
	load(t, s)
	f.mu.Lock()
	f.calls, f.at, f.trace = 0, k, nil
	f.mu.Unlock()
	_, err := s.DoAll(context.Background(), ops)
	if k == 0 && err != nil {
		t.Fatal(err)
	}
	trace = f.trace
	must(t, s.Close())
	r := open(t, root, Options{ReadOnly: true})
	return everything(t, r, load(t, r)), trace
}
