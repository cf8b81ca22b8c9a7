package beads

import (
	"slices"
	"strings"
	"testing"

	"vespe/internal/recordstest"
	"vespe/model"
)

// A second import brings what changed there, and leaves what was changed here.
func TestUpdates(t *testing.T) {
	s := recordstest.New(t, Format())
	s.Import(`{"id":"a","title":"A","description":"Do.","priority":2,"status":"open","owner":"raj",` + dates + `}
{"id":"p","title":"P","status":"deferred",` + dates + `}
{"id":"c","title":"C","status":"closed",` + dates + `}`)
	uid := s.Task("a").UID
	s.Do(model.Op{Name: model.SetFields, Args: model.FieldEdit{Set: []model.Assignment{{Key: "requester", Value: "eva"}}}}, "a")
	r := s.Import(`{"id":"a","title":"A2","description":"Do more.","priority":1,"status":"blocked","owner":"raj","x":1,"comments":[{"text":"now"}],"created_at":"2024-12-24T10:00:00Z","updated_at":"2024-12-24T10:00:00Z","dependencies":[{"depends_on_id":"p","type":"blocks"}]}
{"id":"p","title":"P","status":"open",` + dates + `}
{"id":"c","title":"C2","status":"closed",` + dates + `}`)
	if r.Created != 0 || r.Updated != 2 || r.Unchanged != 1 {
		t.Fatalf("%+v", r)
	}
	a := s.Task("a")
	if a.UID != uid || a.Config.Name != "A2" || s.Objective("a") != "Do more.\n" || a.Spec.Priority != model.High || a.Spec.Requester != "eva" ||
		!slices.Equal(a.DependsOn, []model.UID{s.Task("p").UID}) {
		t.Errorf("%+v %+v", a, a.Spec)
	}
	external := model.Extra(a.Spec.External)
	status, _ := external.Text("beads_status")
	if x, _ := external.Get("beads_x"); status != "blocked" || string(x) != "1" {
		t.Errorf("%+v", external)
	}
	if s.Task("p").Status.IsPaused || s.Task("c").Config.Name != "C" {
		t.Errorf("%+v, %+v", s.Task("p").Status, s.Task("c").Config)
	}
	all := strings.Join(r.NotCarried, "\n")
	for _, want := range []string{"the comments changed there", "changed there, but ended or unreadable here"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not reported: %s", want, all)
		}
	}
	// A link to an issue that came with another file finds its task.
	s.Import(`{"id":"later","dependencies":[{"depends_on_id":"a","type":"blocks"}],` + dates + `}`)
	if got := s.Task("later").DependsOn; !slices.Equal(got, []model.UID{uid}) {
		t.Errorf("depends on %v", got)
	}
}

// A task of an import that kept no record is left alone, and what changed there since is reported.
func TestNoRecordKept(t *testing.T) {
	s := recordstest.New(t, Format())
	const first, second = `{"id":"a","title":"A","status":"open",` + dates + `}`, `{"id":"a","title":"B","status":"blocked",` + dates + `}`
	s.Import(first)
	s.Do(model.Op{Name: model.SetFields, Args: model.FieldEdit{Set: []model.Assignment{{Key: "external." + Format().Key}}}}, "a")
	if r := s.Import(first); r.Unchanged != 1 || len(r.NotCarried) != 0 {
		t.Errorf("%+v", r)
	}
	if r := s.Import(second); r.Unchanged != 1 || len(r.NotCarried) != 1 || !strings.Contains(r.NotCarried[0], "kept no record") {
		t.Errorf("%+v", r)
	}
}
