package writing

import (
	"cmp"
	"slices"
	"strings"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// commentsAfter is what status.json has to say of the comments on the plan that stands after a merge; nil where there are
// none. What another clone's people said of another plan, and is not settled, is carried over to this one, as a new plan
// does: then body is what its review file is to hold.
func (s *Writer) commentsAfter(uid model.UID, st *model.StatusFile, plan string, texts map[docHash]recordedText) (book *model.CommentBook, body []byte, err error) {
	all, err := s.discussions(uid)
	if err != nil {
		return nil, nil, err
	}
	stands := &model.CommentBook{Revision: st.PlanRevision, File: model.ReviewName(st.PlanRevision, plan)}
	f := all[stands.Name()]
	now, ok := texts[docHash{model.Plan, plan}]
	asWas := func() *model.CommentBook {
		if f == nil && st.Comments != nil {
			stands = st.Comments
			f = all[stands.Name()]
		}
		if f == nil {
			return nil
		}
		return f.file.Book(f.body, stands.File, st.Comments)
	}
	if !ok { // a text that nobody recorded
		return asWas(), nil, nil
	}
	settled := map[string]bool{}
	var others []*discussion
	for name, d := range all {
		for i := range d.file.Comments {
			if c := &d.file.Comments[i]; c.Settled() {
				settled[c.ID] = true
			}
		}
		if name != stands.Name() {
			others = append(others, d)
		}
	}
	slices.SortFunc(others, func(a, b *discussion) int { // of two versions of a comment the later one is carried
		return cmp.Or(cmp.Compare(b.file.Revision, a.file.Revision), cmp.Compare(a.name, b.name))
	})
	next := &model.ReviewFile{Revision: st.PlanRevision, PlanHash: plan}
	if f != nil {
		next = f.file
	}
	before := len(next.Comments)
	for _, d := range others {
		d.file.Comments = slices.DeleteFunc(d.file.Comments, func(c model.Comment) bool { return settled[c.ID] })
		next.Carry(d.file, texts[docHash{model.Plan, d.file.PlanHash}].body, now.body)
	}
	if len(next.Comments) == before {
		return asWas(), nil, nil
	}
	slices.SortStableFunc(next.Comments, func(a, b model.Comment) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID))
	})
	body = model.EncodeReviewFile(next)
	return next.Book(body, stands.File, st.Comments), body, nil
}

// discussion is a review file of a plan.
type discussion struct {
	name string
	file *model.ReviewFile
	body []byte
}

// discussions are the review files of a task's plans by their names. One that cannot be read is a problem of the task.
func (s *Writer) discussions(uid model.UID) (map[string]*discussion, error) {
	names, err := s.Loader.Projected().Names(layout.TaskFile(uid, layout.ReviewsDir))
	if err != nil {
		return nil, err
	}
	all := map[string]*discussion{}
	for _, name := range names {
		if !strings.HasPrefix(name, "plan-") || !strings.HasSuffix(name, ".json") {
			continue
		}
		b, err := s.Disk.FS.ReadFile(layout.TaskFile(uid, layout.ReviewsDir+"/"+name), layout.MaxJSON)
		if err != nil && fsys.IsTransient(err) {
			return nil, err
		}
		if f, bad := model.DecodeReviewFile(b); err == nil && bad == nil {
			all[name] = &discussion{name, f, b}
		}
	}
	return all, nil
}
