package uitest

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"vespe/internal/modeltest"
	"vespe/model"
	"vespe/model/review"
	"vespe/ui/drafts"
)

// Review implements ui.Store.
func (s *Store) Review(_ context.Context, uid model.UID, revision int) (*model.ReviewFile, error) {
	if err := s.failing("Review"); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.snap.Task(uid); ok && t.Status.Comments != nil && (revision == 0 || revision == t.Status.Comments.Revision) {
		b, ok := s.files[reviewsOf(uid)+t.Status.Comments.Name()]
		if !ok {
			return nil, nil
		}
		return model.DecodeReviewFile(b)
	}
	for path, b := range s.files {
		if name, in := strings.CutPrefix(path, reviewsOf(uid)); in {
			if n, _, is := model.ParseReviewName(name); is && n == revision {
				return model.DecodeReviewFile(b)
			}
		}
	}
	return nil, nil
}

func reviewsOf(uid model.UID) string { return "tasks/" + string(uid) + "/reviews/" }

// ReviewFile makes the world a model.Reviewed.
func (w world) ReviewFile(uid model.UID, known *model.CommentBook) ([]byte, error) {
	b, ok := w.files[reviewsOf(uid)+known.Name()]
	if !ok {
		return nil, model.ErrNoContent
	}
	return b, nil
}

// Revision is a recorded revision of a document.
func (w world) Revision(uid model.UID, doc model.Doc, n int) ([]byte, error) {
	b, ok := modeltest.RevisionIn(w.files, uid, doc, n)
	if !ok {
		return nil, model.ErrNoContent
	}
	return b, nil
}

// Drafts keeps drafts in memory, as a state directory would across programs.
type Drafts struct {
	Fail error         // of every Keep
	Slow time.Duration // that reading takes

	mu    sync.Mutex
	kept  map[model.UID][]review.Draft
	Saves int // how often anything was kept
}

var _ drafts.Store = (*Drafts)(nil)

// Drafts implements drafts.Store.
func (k *Drafts) Drafts(_ string, uid model.UID) ([]review.Draft, error) {
	if k.Slow > 0 {
		time.Sleep(k.Slow) // by the clock of the bubble
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.kept[uid]), nil
}

// Keep implements drafts.Store.
func (k *Drafts) Keep(_ string, uid model.UID, put []review.Draft, drop []string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.Fail != nil {
		return k.Fail
	}
	k.Saves++
	list := slices.DeleteFunc(k.kept[uid], func(d review.Draft) bool { return slices.Contains(drop, d.ID) })
	for _, d := range put {
		if i := slices.IndexFunc(list, func(o review.Draft) bool { return o.ID == d.ID }); i >= 0 {
			list[i] = d
		} else {
			list = append(list, d)
		}
	}
	if k.kept == nil {
		k.kept = map[model.UID][]review.Draft{}
	}
	k.kept[uid] = list
	return nil
}
