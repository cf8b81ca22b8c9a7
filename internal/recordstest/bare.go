package recordstest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Bare writes and syncs files of the same number and sizes as those below from: once for all, at
// the end, which is the least that a disk must be asked for.
func Bare(b *testing.B, to, from string) time.Duration {
	b.Helper()
	var sizes []int64
	err := filepath.WalkDir(from, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		in, err := d.Info()
		if err == nil {
			sizes = append(sizes, in.Size())
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := os.Mkdir(to, 0o755); err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	var last *os.File
	for i, size := range sizes {
		f, err := os.Create(filepath.Join(to, fmt.Sprint(i)))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := f.Write(make([]byte, size)); err != nil {
			b.Fatal(err)
		}
		if i+1 < len(sizes) {
			if err := f.Close(); err != nil {
				b.Fatal(err)
			}
			continue
		}
		last = f
	}
	if err := last.Sync(); err != nil {
		b.Fatal(err)
	}
	if err := last.Close(); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}
