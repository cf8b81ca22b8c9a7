package cli

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"vespe/interop/demo"
	"vespe/store"
)

// A demo that was interrupted is made afresh, and nothing of it is opened as one.
func TestAnInterruptedDemo(t *testing.T) {
	dir := t.TempDir()
	half, err := store.Init(filepath.Join(dir, ".vespe-demo-unfinished"), store.Options{Name: demo.Name, AllowNested: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := half.Close(); err != nil {
		t.Fatal(err)
	}
	at(t, dir).must("demo", ".", "--no-open")
	s, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	snap, err := s.Load(context.Background(), nil)
	if err != nil || snap.Len() < 30 {
		t.Fatalf("%d tasks, %v", snap.Len(), err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != store.Name {
			t.Errorf("%s is left", e.Name())
		}
	}
}
