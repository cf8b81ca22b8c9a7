package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vespe/store"
)

// A store of a newer format opens in the workbench, which says that it is only read; looking
// around in it changes nothing.
func TestPtyNewerStoreIsReadOnly(t *testing.T) {
	bin, dir := binary(t), filepath.Join(t.TempDir(), "demo")
	if out, err := exec.Command(bin, "demo", dir, "--no-open").CombinedOutput(); err != nil {
		t.Fatalf("demo: %v: %s", err, out)
	}
	path := filepath.Join(dir, store.Name, "store.json")
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	newer := strings.Replace(string(body), fmt.Sprintf(`"format":%d`, store.Format), fmt.Sprintf(`"format":%d`, store.Format+1), 1)
	if err := os.WriteFile(path, []byte(newer), 0o644); err != nil {
		t.Fatal(err)
	}
	before := listing(t, dir)
	x := openStore(t, bin, dir, 120, 40)
	x.see("READ ONLY")
	x.see(fmt.Sprint("the store has format ", store.Format+1))
	x.press("\x1b") // what was said is read: else it is by the next key if that comes late enough
	x.until("the message gone", func(s string) bool { return !strings.Contains(s, "open for reading only") })
	x.tasks()
	x.search("Parse OFX")
	x.see("Waits for a person")
	x.press("a")
	x.see("Can't ")
	x.press("q")
	if code, raw := x.end(); code != 0 {
		t.Errorf("exit code %d", code)
	} else {
		restored(t, raw)
	}
	if after := listing(t, dir); after != before {
		t.Errorf("the store was\n%s\nand is\n%s", before, after)
	}
}

// listing is every name below a directory, with sizes and times.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	if err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		in, err := e.Info()
		if err == nil {
			fmt.Fprintln(&b, path, in.Mode(), in.Size(), in.ModTime())
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
