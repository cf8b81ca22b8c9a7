package fsys

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// residentOf is how many KiB of a mapped file are in memory.
func residentOf(t *testing.T, path string) (kib int) {
	t.Helper()
	b, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	found, inside := false, false
	for line := range strings.Lines(string(b)) {
		name, _, _ := strings.Cut(line, " ")
		switch {
		case !strings.HasSuffix(name, ":"):
			inside = strings.Contains(line, path)
			found = found || inside
		case inside && name == "Rss:":
			var n int
			if _, err := fmt.Sscanf(line, "Rss: %d kB", &n); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			kib += n
		}
	}
	if !found {
		t.Fatalf("%s is not mapped", path)
	}
	return kib
}

// What was mapped leaves memory when it is let go, and is there again when it is looked at, also
// when the file has lost its name meanwhile.
func TestReleaseGivesMappedMemoryBack(t *testing.T) {
	eachFS(t, func(t *testing.T, f FS, dir string) {
		body := bytes.Repeat([]byte("0123456789abcde\n"), 2*mapLeast/16)
		path := filepath.Join(dir, "large")
		if err := os.WriteFile(path, body, 0o644); err != nil {
			t.Fatal(err)
		}
		b, err := f.Map("large", int64(len(body)))
		if err != nil || !bytes.Equal(b, body) {
			t.Fatalf("%d bytes, %v", len(b), err)
		}
		if n := residentOf(t, path); n < len(body)/1024 {
			t.Fatalf("%d KiB are in memory after all were read", n)
		}
		f.Release()
		if n := residentOf(t, path); n != 0 {
			t.Errorf("%d KiB are still in memory", n)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		f.Release()
		if !bytes.Equal(b, body) {
			t.Error("it is not what it was")
		}
	})
}
