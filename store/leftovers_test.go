package store

import (
	"os"
	"strings"
	"testing"
	"time"
)

// What others put into tmp/ is not vespe's to remove, nor what may be in use.
func TestOnlyOwnLeftoversGo(t *testing.T) {
	t.Parallel()
	const random = "0123456789abcdef01234567"
	s, _ := decided(t)
	old := time.Now().Add(-2 * gcLeftover)
	for name, c := range map[string]struct{ stays, gone bool }{
		"notes.md":                              {stays: true},
		"entry-1":                               {stays: true},
		"entry-" + random + ".md":               {stays: true},
		"entry-" + strings.ToUpper(random):      {stays: true},
		"mine-" + random:                        {stays: true},
		"drafts/plan.md":                        {stays: true},
		"entry-" + random[2:] + "00/plan.md":    {stays: true},
		"entry-" + random:                       {gone: true},
		"task-" + random + "/status.json":       {gone: true},
		"git-" + random:                         {},
		"checkpoint-" + random:                  {},
		"task-" + random[2:] + "00":             {stays: true},
		"f-" + random:                           {stays: true}, // bytes that nobody else has
		"object-" + random + "/objects/of/mine": {stays: true},
	} {
		for _, aged := range []bool{false, true} {
			path := vespe(s, tmpDir+"/"+name)
			write(t, path, "bytes of "+name)
			top := vespe(s, tmpDir+"/"+strings.Split(name, "/")[0])
			if aged {
				if err := os.Chtimes(top, old, old); err != nil {
					t.Fatal(err)
				}
			}
			for what, clean := range map[string]func() error{
				"fix": func() error { _, err := s.Fix(t.Context(), false); return err },
				"gc":  func() error { _, err := s.GC(t.Context(), GCOptions{}); return err },
			} {
				if what == "gc" && !aged {
					continue
				}
				if err := clean(); err != nil {
					t.Fatal(err)
				}
				_, err := os.Stat(path)
				if stays := c.stays || !c.gone && !aged; stays != (err == nil) {
					t.Errorf("%s, an hour old %v, %s: %v", name, aged, what, err)
				}
			}
			if _, err := os.Stat(path); err == nil {
				ps, err := s.Doctor(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				wantProblem(t, ps, "leftover", strings.Split(name, "/")[0])
			}
			if err := os.RemoveAll(top); err != nil {
				t.Fatal(err)
			}
		}
	}
}
