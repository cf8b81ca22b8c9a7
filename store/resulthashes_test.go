package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// readingFS counts the files below result/ that are opened.
type readingFS struct {
	hookFS
	opened atomic.Int64
}

func reading(plain fsys.FS) *readingFS {
	f := &readingFS{}
	f.hookFS = hookFS{FS: plain, deep: true, before: func(call, name string) error {
		if call == callOpenFile && strings.Contains(name, "/"+layout.ResultDir+"/") {
			f.opened.Add(1)
		}
		return nil
	}}
	return f
}

// hashed is the hash of a task's result, and how many files were read for it.
func hashed(t testing.TB, s *Store, f *readingFS, uid model.UID) (string, int64) {
	t.Helper()
	f.opened.Store(0)
	files := mustGet(s.Results(t.Context(), uid))(t)
	return model.HashResult(files), f.opened.Load()
}

// restful hashes until nothing has to be read anymore: files that were written just now are read again.
func restful(t testing.TB, s *Store, f *readingFS, uid model.UID) string {
	t.Helper()
	for until := time.Now().Add(stuck); time.Now().Before(until); {
		if sum, n := hashed(t, s, f, uid); n == 0 {
			return sum
		}
	}
	t.Fatal("files are read again and again that nobody writes")
	return ""
}

// wholeHash reads everything.
func wholeHash(t testing.TB, s *Store, uid model.UID) string {
	t.Helper()
	files := mustGet(s.loader.Results.List(uid, true))(t)
	return model.HashResult(files)
}

// resultOf makes n files below a task's result, and is the store with a count of what is read.
func resultOf(t testing.TB, n int) (*Store, *readingFS, model.UID, string) {
	t.Helper()
	s := initIn(t, fastDir(t), testOptions())
	uid := create(t, s, "one", "x\n")
	dir := vespe(s, layout.TaskFile(uid, layout.ResultDir))
	for k := range n {
		if k%100 == 0 {
			must(t, os.MkdirAll(filepath.Join(dir, fmt.Sprint(k/100)), 0o755))
		}
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(k/100), fmt.Sprint("f", k)), fmt.Appendf(nil, "file %d", k), 0o644))
	}
	f := reading(s.disk.FS)
	s.setFS(f)
	return s, f, uid, dir
}

func TestTouchingOneResultFileHashesOne(t *testing.T) {
	const n = 10_000
	s, f, uid, dir := resultOf(t, n)
	first, read := hashed(t, s, f, uid)
	if read != n {
		t.Fatalf("%d files are read at first", read)
	}
	if sum := restful(t, s, f, uid); sum != first || sum != wholeHash(t, s, uid) {
		t.Error("the same files have another hash")
	}
	write(t, dir+"/42/f4217", "file 4218")
	sum, read := hashed(t, s, f, uid)
	if read != 1 || sum == first || sum != wholeHash(t, s, uid) {
		t.Errorf("%d files are read for one that was touched, the hash is another: %v", read, sum != first)
	}
}

// An edit of the same length that puts the time of the file back is seen, so is a file that takes the
// place of another, and so are names.
func TestResultsThatLookAlikeAreRead(t *testing.T) {
	s, f, uid, dir := resultOf(t, 3)
	was := restful(t, s, f, uid)
	name := dir + "/0/f1"
	in := mustGet(os.Stat(name))(t)
	write(t, name, "FILE 1")
	must(t, os.Chtimes(name, in.ModTime(), in.ModTime()))
	if sum, n := hashed(t, s, f, uid); sum == was || n != 1 {
		t.Errorf("%d files read, the hash is the same: %v", n, sum == was)
	}
	was = restful(t, s, f, uid)
	must(t, os.Rename(dir+"/0/f2", dir+"/0/f3"))
	if sum, _ := hashed(t, s, f, uid); sum == was || sum != wholeHash(t, s, uid) {
		t.Error("a file of another name gives the same hash")
	}
}

// What is remembered decides nothing: a verdict and a start read every byte.
func TestAVerdictReadsTheWholeResult(t *testing.T) {
	s, f, uid, _ := resultOf(t, 40)
	do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: "agent:claude", Args: model.NewPlan{Text: "p"}})
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: "human:ann"})
	do(t, s, model.Op{Name: model.Start, UID: uid, Actor: "agent:claude"})
	restful(t, s, f, uid)
	f.opened.Store(0)
	do(t, s, model.Op{Name: model.WorkCompleted, UID: uid, Actor: "agent:claude", Args: model.Completion{Summary: "done"}})
	if n := f.opened.Load(); n != 0 {
		t.Errorf("completing reads %d files that are known", n)
	}
	restful(t, s, f, uid)
	f.opened.Store(0)
	do(t, s, model.Op{Name: model.ReviewAccepted, UID: uid, Actor: "human:ann"})
	if n := f.opened.Load(); n < 40 {
		t.Errorf("the verdict on the work reads %d files", n)
	}
}

// Whatever is done to a result, what is remembered and what was read give the same hash.
func TestRememberedHashesAreTheRealOnes(t *testing.T) {
	s, _, uid, dir := resultOf(t, 20)
	rng := rand.New(rand.NewPCG(3, 5))
	name := func() string { return filepath.Join(dir, fmt.Sprint(rng.IntN(2)), fmt.Sprint(rng.IntN(12))) }
	for k := range 300 {
		var err error
		switch rng.IntN(5) {
		case 0:
			err = os.Remove(name())
		case 1:
			err = os.Rename(name(), name())
		case 2:
			to := name()
			in, serr := os.Stat(to)
			if err = os.WriteFile(to, []byte(strings.Repeat("x", 6)), 0o644); serr == nil && err == nil {
				err = os.Chtimes(to, in.ModTime(), in.ModTime())
			}
		default:
			_ = os.MkdirAll(filepath.Join(dir, "1"), 0o755)
			err = os.WriteFile(name(), fmt.Appendf(nil, "file %d", rng.IntN(9)), 0o644)
		}
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		files := mustGet(s.Results(t.Context(), uid))(t)
		if got, want := model.HashResult(files), wholeHash(t, s, uid); got != want {
			t.Fatalf("after %d edits it is %s, and reading it all gives %s", k+1, got, want)
		}
	}
}

// BenchmarkResultTouched hashes a result of 10,000 files, of which one was written since the last time,
// against reading all of it.
func BenchmarkResultTouched(b *testing.B) {
	const n = 10_000
	s, f, uid, dir := resultOf(b, n)
	restful(b, s, f, uid)
	whole := time.Duration(1 << 62)
	for range 3 {
		start := time.Now()
		wholeHash(b, s, uid)
		whole = min(whole, time.Since(start))
	}
	k, read := 0, int64(0)
	for b.Loop() {
		k++
		write(b, dir+"/42/f4217", fmt.Sprint("file ", k))
		_, files := hashed(b, s, f, uid)
		read += files
	}
	b.ReportMetric(float64(whole)*float64(b.N)/float64(b.Elapsed()), "×faster-than-whole")
	b.ReportMetric(float64(read)/float64(b.N), "files-read≤1")
}
