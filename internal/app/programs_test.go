package app

import (
	"os"
	"path/filepath"
	"testing"

	"vespe/internal/config"
)

// The person's own score command is theirs wherever they are: a path in it never leads into a store,
// nor does the program run there; a store's own runs in the store.
func TestWhoseScoreCommandIsRun(t *testing.T) {
	root := t.TempDir()
	program := func(dir, body string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "bin", "score"), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil { //nolint:gosec // it is to be run
			t.Fatal(err)
		}
	}
	program(root, `test "$(pwd -P)" = "`+root+`" && echo 0.9`)
	for name, tt := range map[string]struct {
		config string
		own    []string
		want   float64 // -1: nothing is run
	}{
		"their own":                     {`score_command = ["bin/score"]`, nil, .5},
		"their own, before the store's": {`score_command = ["./bin/score"]`, []string{"bin/score"}, .5},
		"the store's":                   {``, []string{"bin/score"}, .9},
		"nobody's":                      {``, nil, -1},
		"a wrong one":                   {`score_command = "bin/score"`, []string{"bin/score"}, -1},
		"an empty one":                  {`score_command = []`, []string{"bin/score"}, -1},
	} {
		home := t.TempDir()
		getenv := func(k string) string { return map[string]string{"XDG_CONFIG_HOME": home}[k] }
		c := config.Load(getenv)
		program(c.Dir(), `test "$(pwd -P)" = "`+c.Dir()+`" && echo 0.5`)
		if err := os.WriteFile(filepath.Join(c.Dir(), "config.toml"), []byte(tt.config), 0o644); err != nil {
			t.Fatal(err)
		}
		s := scorer(config.Load(getenv))(tt.own, root)
		if s == nil {
			if tt.want >= 0 {
				t.Errorf("%s: nothing is run", name)
			}
			continue
		}
		if got, err := s.Score(t.Context(), nil); err != nil || got != tt.want {
			t.Errorf("%s: %v %v, want %v", name, got, err, tt.want)
		}
	}
}
