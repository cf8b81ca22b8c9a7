package admin

import (
	"bytes"
	"strings"
	"testing"

	"vespe/cli/core"
	"vespe/interop/records"
	"vespe/model"
	"vespe/model/visible"
)

// What an import says quotes files: it is shown and not obeyed.
func TestAnImportShowsHiddenText(t *testing.T) {
	const nasty = "owned \x1b[8m\x1b]0;t\a\u202eb\u200b \x9b\xff"
	problem := model.Problem{Path: nasty, Line: 3, Code: nasty, Reason: nasty, Hint: nasty}
	var out bytes.Buffer
	a := &app{core.NewApp(core.Deps{Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }})}
	if err := a.printImport(records.Report{NotCarried: []string{nasty}, Problems: []model.Problem{problem}}, false); err != nil {
		t.Fatal(err)
	}
	if err := a.Out.Flush(); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); visible.Has(got) || !strings.Contains(got, "owned") {
		t.Errorf("%q", got)
	}
}
