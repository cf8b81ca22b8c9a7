package app

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestSplitCommand(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"vim", []string{"vim"}},
		{"  code --wait  ", []string{"code", "--wait"}},
		{`"/opt/my editor/ed" -n ''`, []string{"/opt/my editor/ed", "-n", ""}},
		{`a\ b 'c\d' "e\"f"`, []string{"a b", `c\d`, `e"f`}},
		{"ed; rm -rf $HOME `x` | y", []string{"ed;", "rm", "-rf", "$HOME", "`x`", "|", "y"}},
	} {
		got, err := splitCommand(c.in)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, %v; want %q", c.in, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "  ", `"open`, `trailing\`} {
		if got, err := splitCommand(bad); err == nil {
			t.Errorf("%q became %q", bad, got)
		}
	}
}

func TestEditorPrefersVisual(t *testing.T) {
	env := map[string]string{"VISUAL": "first", "EDITOR": "second"}
	e, err := newEditor(func(k string) string { return env[k] })
	if err != nil || e.(userEditor).argv[0] != "first" {
		t.Fatalf("%v %v", e, err)
	}
	if _, err := newEditor(func(string) string { return `"open` }); err == nil {
		t.Fatal("a broken $VISUAL was taken")
	}
}

func TestEditSession(t *testing.T) {
	script := filepath.Join(t.TempDir(), "ed")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho more >> \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := userEditor{[]string{script}}.Edit("../../plan.md", []byte("one\n"))
	if err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(s.Path()); err != nil || fi.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v: others can read the copy", fi, err)
	}
	if err := s.Run(); err != nil {
		t.Fatal(err)
	}
	if b, err := s.Body(); err != nil || string(b) != "one\nmore\n" {
		t.Fatalf("%q %v", b, err)
	}
	if err := s.Discard(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(s.Path())); !os.IsNotExist(err) {
		t.Fatalf("the copy is still there: %v", err)
	}
}

// What is only to be read cannot be written by an editor, and can be removed.
func TestReadSession(t *testing.T) {
	s, err := userEditor{[]string{"true"}}.Read("notes.txt", []byte("one\n"))
	if err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(s.Path()); err != nil || fi.Mode().Perm() != 0o444 {
		t.Fatalf("%v %v: the copy can be written to", fi, err)
	}
	if fi, err := os.Stat(filepath.Dir(s.Path())); err != nil || fi.Mode().Perm() != 0o700 {
		t.Fatalf("%v %v: others can read the copy", fi, err)
	}
	if err := s.Discard(); err != nil {
		t.Fatal(err)
	}
}
