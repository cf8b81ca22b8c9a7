package ui

import (
	"context"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vespe/model"
	"vespe/ui/markdown"
)

// longResults is a store whose result files are large.
type longResults struct {
	Store
	body []byte
}

func (s longResults) ReadResult(context.Context, model.UID, string, int64) ([]byte, error) {
	return s.body, nil
}

// A large result file is parsed where it is read, never where keys are taken; a detail that is too long to be
// rendered is shown whole, as it was written.
func TestLongTextsAreNotParsedWhereKeysAreTaken(t *testing.T) {
	e := effects{ctx: t.Context(), Deps: &Deps{Store: longResults{body: []byte(strings.Repeat("> - a *b* [c](d)\n", 4000))}}}
	if m := e.resultFile("tsk-a", "x.md", false)().(resultFileMsg); m.parsed == nil {
		t.Error("a large result file comes without being parsed")
	}
	a := loaded(20)
	r := model.Request{ID: "r", Kind: "question", Title: "t", CreatedBy: "agent:x", Detail: strings.Repeat("a **b** c\n", markdown.MostWhole/10+1) + "the end\n"}
	a.requests.Show(r, 0, false)
	a.Update(a.requests.Lay()())
	lines := a.requests.Draw(a.screen.Layout.Right.W-4, 2*markdown.MostWhole)
	drawn := ansi.Strip(strings.Join(lines, "\n"))
	if !strings.Contains(drawn, "a **b** c") || !strings.Contains(drawn, "the end") || !strings.Contains(drawn, "because it is long") {
		t.Errorf("a long detail is not shown as it was written: %.400s", drawn)
	}
}
