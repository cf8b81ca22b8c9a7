package fsys

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// stuck is how long a test waits before it reports that something never came. It says nothing about speed.
const stuck = 3 * time.Minute

func write(t testing.TB, path, body string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
}
