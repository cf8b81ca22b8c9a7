//go:build torture && linux && amd64

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vespe/model"
	"vespe/store"
)

// stamp is which files there are and which bytes they hold, as far as the file system tells.
// Hints and the lock, which everyone may touch, are left out.
func stamp(dir string) string {
	var b strings.Builder
	_ = filepath.WalkDir(filepath.Join(dir, ".vespe"), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // it is not there any more, which is told by its absence
		}
		if d.IsDir() && d.Name() == "cache" {
			return fs.SkipDir
		}
		if in, err := d.Info(); err == nil && d.Name() != "lock" {
			st, _ := in.Sys().(*syscall.Stat_t)
			fmt.Fprintln(&b, path, st.Ino, st.Size, st.Mtim, st.Nlink)
		}
		return nil
	})
	return b.String()
}

// check looks at a store after a run that may have failed.
func (s *sweep) check(t testing.TB, where, dir string, o outcome, killed bool) {
	where += ": " + o.String()
	before, after := s.may[0], s.may[len(s.may)-1]
	for _, torn := range tornFiles(dir) {
		s.fail("%s: %s is torn", where, torn)
	}
	now, _, err := holding(dir)
	if err != nil {
		s.fail("%s: a reader: %v", where, err)
		return
	}
	s.count(o.code)
	switch {
	case killed, o.code == 7:
	case o.code == 0 && s.keep != "" && now != after && strings.Contains(now, putOff) && strings.Contains(where, "EACCES at "):
		// A document that may not be read does not keep its task from being worked on.
		s.takenOverLater(where, dir)
		return
	case o.code == 0:
		if now != after {
			s.fail("%s: it is acknowledged and not there: %s", where, firstDifference(after, now))
		}
	case refusal(o.code):
		if now != before {
			s.fail("%s: it says that nothing happened: %s", where, firstDifference(before, now))
		}
	default:
		s.fail("%s: it should not end so", where)
	}
	if now != before && now != after {
		s.fail("%s: half of it is there: %s", where, firstDifference(after, now))
	}
	if s.keep != "" && !inSomeFile(dir, s.keep) {
		s.fail("%s: what a person wrote is lost", where)
	}
	// Anyone who comes next finishes it, and the same id does it once.
	if again := called(dir, s.args...); again.code != 0 {
		s.fail("%s: repeated: %s", where, again)
	}
	if now, _, err := holding(dir); err != nil || now != after {
		s.fail("%s: repeated: %v, %s", where, err, firstDifference(after, now))
	}
	if s.keep != "" && !inSomeFile(dir, s.keep) {
		s.fail("%s: repeated: what a person wrote is lost", where)
	}
	s.checkup(where, dir)
}

// takenOverLater checks an edit that was put off.
func (s *sweep) takenOverLater(where, dir string) {
	s.putOff.Add(1)
	if later := called(dir, "set", "Planned", "source=later"); later.code != 0 {
		s.fail("%s: later: %s", where, later)
	}
	if now, _, err := holding(dir); err != nil || strings.Contains(now, putOff) {
		s.fail("%s: an edit that was put off is never taken over: %v", where, err)
	}
	s.checkup(where, dir)
}

// checkup has the store's own doctor look for what is wrong, and for what was left behind.
func (s *sweep) checkup(where, dir string) {
	left, err := os.ReadDir(filepath.Join(dir, ".vespe", "tmp"))
	if err != nil {
		s.fail("%s: %v", where, err)
	}
	st, err := store.Open(dir, store.Options{})
	if err != nil {
		s.fail("%s: %v", where, err)
		return
	}
	defer st.Close()
	v, err := st.Fsck().Verify(context.Background(), "")
	if err != nil || len(v.Problems) > 0 {
		s.fail("%s: verify: %v, %+v", where, err, v.Problems)
	}
	ps, err := st.Fsck().Doctor(context.Background())
	if err != nil {
		s.fail("%s: doctor: %v", where, err)
	}
	told := map[string]bool{}
	for _, p := range ps {
		if told[p.Path] = true; p.Severity == model.Error {
			s.fail("%s: doctor: %+v", where, p)
		}
	}
	for _, e := range left {
		if !told[".vespe/tmp/"+e.Name()] {
			s.fail("%s: %s is left in tmp/, and doctor does not say so", where, e.Name())
		}
	}
	s.left.Add(int64(len(left)))
}

// tornFiles are those that are no whole JSON although their names say so.
func tornFiles(dir string) (torn []string) {
	_ = filepath.WalkDir(filepath.Join(dir, ".vespe"), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // it was taken away while we walked
		case d.IsDir() && d.Name() == "tmp":
			return fs.SkipDir
		case strings.HasSuffix(path, ".json"):
			if b, err := os.ReadFile(path); err == nil && !json.Valid(b) {
				torn = append(torn, path)
			}
		}
		return nil
	})
	return torn
}

func inSomeFile(dir, text string) bool {
	found := false
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			b, _ := os.ReadFile(path)
			found = found || strings.Contains(string(b), text)
		}
		return nil
	})
	return found
}
