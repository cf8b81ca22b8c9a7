package drafts

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/review"
)

const uid = model.UID("tsk-00000000000000000000000000000001")

func keeper(t *testing.T) *Keeper {
	t.Helper()
	state := t.TempDir()
	return Open(func(name string) string { return map[string]string{"XDG_STATE_HOME": state}[name] })
}

func draft(id, text string) review.Draft {
	return review.Draft{
		ID: id, Kind: model.Question, Doc: model.Plan, Text: text, Revision: 2, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Place: model.PlaceAt([]byte("one\ntwo\nthree\n"), 2, 2),
	}
}

func list(t *testing.T, k *Keeper) string {
	t.Helper()
	ds, err := k.Drafts("store", uid)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range ds {
		out = append(out, d.ID+"="+d.Text)
	}
	return strings.Join(out, " ")
}

func TestKeep(t *testing.T) {
	k := keeper(t)
	if got := list(t, k); got != "" {
		t.Fatalf("at first there are %s", got)
	}
	keep := func(put []review.Draft, drop ...string) {
		t.Helper()
		if err := k.Keep("store", uid, put, drop); err != nil {
			t.Fatal(err)
		}
	}
	keep([]review.Draft{draft("a", "x"), draft("b", "y")})
	keep([]review.Draft{draft("a", "longer")})
	if got := list(t, k); got != "a=longer b=y" {
		t.Errorf("kept %s", got)
	}
	ds, _ := k.Drafts("store", uid)
	if ds[0].Place.From != 2 || ds[0].Place.Quote[0] != "two" || ds[0].Kind != model.Question || ds[0].Revision != 2 {
		t.Errorf("it came back as %+v", ds[0])
	}
	for path, want := range map[string]os.FileMode{k.Path("store", uid): 0o600, filepath.Dir(k.Path("store", uid)): 0o700} {
		if in, err := os.Stat(path); err != nil || in.Mode().Perm() != want {
			t.Errorf("%s has mode %v (%v)", path, in.Mode(), err)
		}
	}
	keep(nil, "a", "b")
	if _, err := os.Stat(k.Path("store", uid)); !os.IsNotExist(err) {
		t.Errorf("a file without drafts is left: %v", err)
	}
	keep(nil, "a")
}

// Two terminals may write comments on the same plan.
func TestTwoAtOnce(t *testing.T) {
	k := keeper(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 10 {
				if err := k.Keep("store", uid, []review.Draft{draft(fmt.Sprint(i), fmt.Sprint(j))}, nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got := list(t, k)
	for i := range 8 {
		if !strings.Contains(got, fmt.Sprintf("%d=9", i)) {
			t.Errorf("the draft of writer %d is lost: %s", i, got)
		}
	}
}

// A store's name is what somebody wrote into a file.
func TestNamesLeadNowhere(t *testing.T) {
	k := keeper(t)
	for _, bad := range []string{"", "..", "../../etc", "a/b", "a\x00b", strings.Repeat("x", 4000)} {
		for _, p := range []string{k.Path(bad, uid), k.Path("store", model.UID(bad))} {
			if rel, err := filepath.Rel(k.dir, p); err != nil || strings.HasPrefix(rel, "..") || strings.Count(rel, "/") != 1 {
				t.Errorf("%q leads to %s", bad, p)
			}
		}
		if err := k.Keep(bad, uid, []review.Draft{draft("a", "x")}, nil); err != nil {
			t.Error(err)
		}
	}
	if k.Path("..", uid) == k.Path("../../etc", uid) {
		t.Error("two stores share a file")
	}
}

// What cannot be read is neither lost nor written over.
func TestAFileThatCannotBeRead(t *testing.T) {
	k := keeper(t)
	if err := k.Keep("store", uid, []review.Draft{draft("a", "x")}, nil); err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{"{", `{"format":99,"drafts":[]}`} {
		if err := os.WriteFile(k.Path("store", uid), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := k.Drafts("store", uid); err == nil {
			t.Errorf("%s is read", body)
		}
		if err := k.Keep("store", uid, []review.Draft{draft("b", "y")}, nil); err == nil {
			t.Errorf("%s is written over", body)
		}
		if b, _ := os.ReadFile(k.Path("store", uid)); string(b) != body {
			t.Errorf("%s became %s", body, b)
		}
	}
	none := Open(func(string) string { return "" })
	if err := none.Keep("store", uid, []review.Draft{draft("a", "x")}, nil); err == nil || none.Path("store", uid) != "" {
		t.Errorf("without a home it is kept at %q: %v", none.Path("store", uid), err)
	}
}

// A file of the format before opens, and what it has stays when something is added.
func TestTheFormatBefore(t *testing.T) {
	k := keeper(t)
	if err := k.Keep("store", uid, []review.Draft{draft("a", "x")}, nil); err != nil {
		t.Fatal(err)
	}
	name := k.Path("store", uid)
	const before = `{
  "format": 1,
  "drafts": [
    {"id": "d-1", "kind": "question", "blocking": true, "doc": "plan", "place": {"from": 2, "to": 2, "quote": ["two"]}, "text": "why?", "revision": 3, "at": "2026-01-02T03:04:05Z"},
    {"id": "words-reject_plan", "for": "reject_plan", "text": "not yet", "at": "2026-01-02T03:04:05Z"}
  ],
  "later": {"kept": true}
}
`
	if err := os.WriteFile(name, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := list(t, k); got != "d-1=why? words-reject_plan=not yet" {
		t.Errorf("it has %s", got)
	}
	answer := review.Draft{ID: "words-answer-r", For: model.AnswerRequest, Request: "r", Decision: model.DecideEdit, Of: "sha256-00", Text: "{"}
	if err := k.Keep("store", uid, []review.Draft{answer}, nil); err != nil {
		t.Fatal(err)
	}
	ds, err := k.Drafts("store", uid)
	if err != nil || len(ds) != 3 || !reflect.DeepEqual(ds[2], answer) || ds[0].Place.Quote[0] != "two" || ds[1].For != model.RejectPlan {
		t.Errorf("it has %+v, %v", ds, err)
	}
	if b, err := os.ReadFile(name); err != nil || !strings.Contains(string(b), `"later"`) || !strings.Contains(string(b), `"format": 2`) {
		t.Errorf("it is %s, %v", b, err)
	}
}
