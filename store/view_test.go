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
			body := mustGet(s.ReadResult(ctx, uid, r.Path, layout.MaxDocument))(t)
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
