//go:build torture && linux && amd64

package e2e

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// mistakes are what a build with the tag `faults` can be made to do wrong (store/fault_on.go).
var mistakes = []string{"unsynced", "unnamed", "retried", "in-place", "torn"}

// TestTortureSweepIsNoticed: a program that leaves out a sync, asks again for one that failed,
// writes over a file or commits in two steps is found by the sweep.
func TestTortureSweepIsNoticed(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "vespe")
	if out, err := exec.Command("go", "build", "-tags", "faults", "-o", bin, "vespe").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var accept transition
	for _, tr := range transitions(t) {
		if tr.name == "accept" {
			accept = tr
		}
	}
	for _, mistake := range append(mistakes, "") {
		t.Run(mistake, func(t *testing.T) {
			s := &sweep{name: accept.name, bin: bin, args: accept.once(), make: func(t testing.TB, dir string) { prepared(t, accept, dir) }}
			if mistake != "" {
				s.env = []string{"VESPE_FAULT=" + mistake}
			}
			s.learn(t)
			if len(s.bad) == 0 {
				s.all(t, jobs(changing(s.calls), false))
			}
			if (len(s.bad) > 0) != (mistake != "") {
				t.Errorf("%d runs found %d bad states: %q", s.runs.Load(), len(s.bad), s.bad)
			}
			if len(s.bad) > 0 {
				t.Logf("found, for example: %s", s.bad[0])
			}
		})
	}
}
