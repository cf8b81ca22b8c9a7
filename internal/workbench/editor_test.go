package workbench

import (
	"os"
	"path/filepath"
	"testing"
)

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
