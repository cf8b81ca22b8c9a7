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
	for name, left := range map[string]func(t *testing.T, dir string){
		"while it was written": func(t *testing.T, dir string) {
			s, err := store.Init(filepath.Join(dir, ".vespe-demo-unfinished"), store.Options{Name: demo.Name, AllowNested: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		},
		"while it was put in its place": func(t *testing.T, dir string) {
			at(t, dir).must("demo", "made", "--no-open")
			if err := os.Mkdir(filepath.Join(dir, ".vespe-demo-finished"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(dir, "made", store.Name), filepath.Join(dir, ".vespe-demo-finished", store.Name)); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(filepath.Join(dir, "made")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			left(t, dir)
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
		})
	}
}
