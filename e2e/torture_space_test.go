//go:build torture

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestTortureFullFileSystem has each transition meet a file system with every small amount of space
// that may be left. What did not fit has not happened, and happens once there is space again.
func TestTortureFullFileSystem(t *testing.T) {
	needRoot(t)
	const page = 4096
	refused, unsure, done := 0, 0, 0
	for _, tr := range transitions(t) {
		t.Run(tr.name, func(t *testing.T) {
			mount := mountTmpfs(t, "size=4m,mode=0755")
			for free := 0; ; free++ {
				dir := prepared(t, tr, filepath.Join(mount, "store"))
				before, _ := mustHold(t, dir)
				filler := fillUp(t, mount, free*page)
				args := tr.once()
				o := vespe(t, dir, args...)
				after, _ := mustHold(t, dir)
				ls := vespe(t, dir, "ls")
				if ls.code != 0 {
					t.Fatalf("%d pages free: ls: %s", free, ls)
				}
				switch o.code {
				case 0:
					done++
				case 1:
					refused++
					if after != before {
						t.Fatalf("%d pages free: %s, and %s", free, o, firstDifference(before, after))
					}
					if !strings.Contains(o.err, "no space left on device") || !strings.Contains(o.err, "nothing was changed") {
						t.Fatalf("%d pages free: it does not say why: %s", free, o)
					}
				case 7:
					unsure++
				default:
					t.Fatalf("%d pages free: %s", free, o)
				}
				if err := os.Remove(filler); err != nil {
					t.Fatal(err)
				}
				must(t, dir, args...)
				text, snap := mustHold(t, dir)
				if snap.Seq() != seqOf(before)+1 || text == before {
					t.Fatalf("%d pages free: repeated with space it is entry %d:\n%s", free, snap.Seq(), text)
				}
				must(t, dir, "doctor")
				enough := o.code == 0 && o.err == ""
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
				if enough {
					if free < 3 {
						t.Fatalf("%d pages were enough: is the file system full?", free)
					}
					return
				}
			}
		})
	}
	t.Logf("%d runs refused, %d in doubt, %d done", refused, unsure, done)
}

// fillUp leaves so many bytes of a file system free.
func fillUp(t *testing.T, mount string, free int) (filler string) {
	t.Helper()
	var st unix.Statfs_t
	if err := unix.Statfs(mount, &st); err != nil {
		t.Fatal(err)
	}
	filler = filepath.Join(mount, "filler")
	f, err := os.Create(filler)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Fallocate(int(f.Fd()), 0, 0, int64(st.Bfree)*st.Bsize-int64(free)); err != nil {
		t.Fatal(err)
	}
	return filler
}

// TestTortureReadOnlyFileSystem: everything can be read, and nothing changes anything.
func TestTortureReadOnlyFileSystem(t *testing.T) {
	needRoot(t)
	for _, tr := range transitions(t) {
		t.Run(tr.name, func(t *testing.T) {
			mount := mountTmpfs(t, "size=16m,mode=0755")
			dir := prepared(t, tr, filepath.Join(mount, "store"))
			before, _ := mustHold(t, dir)
			if err := unix.Mount("", mount, "", unix.MS_REMOUNT|unix.MS_RDONLY, "size=16m"); err != nil {
				t.Fatal(err)
			}
			o := vespe(t, dir, tr.once()...)
			if o.code != 1 || !strings.Contains(o.err, "read-only file system") || !strings.Contains(o.err, "nothing was changed") {
				t.Errorf("a transition: %s", o)
			}
			for _, args := range readingVerbs {
				if o := vespe(t, dir, args...); o.code != 0 || o.err != "" {
					t.Errorf("%q: %s", args, o)
				}
			}
			x := openStore(t, binary(t), dir, 100, 30, vespeEnv(mount)...)
			x.see("Running")
			x.press("q")
			if code, _ := x.end(); code != 0 {
				t.Errorf("the workbench: exit code %d", code)
			}
			if after, _ := mustHold(t, dir); after != before {
				t.Errorf("it changed: %s", firstDifference(before, after))
			}
		})
	}
}

// readingVerbs are the calls that only read.
var readingVerbs = [][]string{
	{"ls"},
	{"ls", "--json", "--fresh"},
	{"tree"},
	{"show", "Running"},
	{"show", "Planned", "--json"},
	{"next"},
	{"inbox"},
	{"history"},
	{"history", "Running", "--json"},
	{"dep", "ls", "Running"},
	{"doctor"},
}
