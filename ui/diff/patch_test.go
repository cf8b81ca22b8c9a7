package diff

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vespe/internal/viewtest"
	"vespe/ui/style"
)

const patch = `diff --git a/importer/ofx.go b/importer/ofx.go
index 5f2d1aa..90b1c2e 100644
--- a/importer/ofx.go
+++ b/importer/ofx.go
@@ -10,6 +10,7 @@ func Parse(r io.Reader) ([]Line, error) {
 	s := newScanner(r)
 	for s.next() {
-		t := s.token()
+		t := s.lenientToken()
+		t.close()
 		out = append(out, line(t))
 	}
 	return out, s.err
@@ -40,2 +41,2 @@
-last
\ No newline at end of file
+last one
 end
diff --git a/old name.go b/new name.go
similarity index 98%
rename from old name.go
rename to new name.go
diff --git a/logo.png b/logo.png
new file mode 100644
index 0000000..1234567
Binary files /dev/null and b/logo.png differ
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1,2 +0,0 @@
-one ` + "\x1b[31m" + `
-two
`

func laid(c *Comparison, w int, split bool) (*Layout, []string) {
	s := &Layout{}
	s.Lay(viewtest.Styles(style.Options{Dark: true, NoColor: true}), c, w, split)
	var out []string
	for i := range s.Len() {
		out = append(out, strings.TrimRight(ansi.Strip(s.Draw(i)), " "))
	}
	return s, out
}

func TestAPatchIsDrawn(t *testing.T) {
	c := Patch(patch)
	_, got := laid(c, 60, false)
	want := []string{
		"importer/ofx.go  +3 -2",
		"… 10 func Parse(r io.Reader) ([]Line, error) {",
		"10 10       s := newScanner(r)",
		"11 11       for s.next() {",
		"12    -         t := s.token()",
		"   12 +         t := s.lenientToken()",
		"   13 +         t.close()",
		"13 14           out = append(out, line(t))",
		"14 15       }",
		"15 16       return out, s.err",
		"… 41",
		"40    - last",
		"   41 + last one",
		"41 42   end",
		"",
		"new name.go  +0 -0  renamed from old name.go",
		"",
		"logo.png  +0 -0  new binary",
		"",
		"gone.txt  +0 -2  deleted",
		" 1    - one ␛[31m",
		" 2    - two",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("it is drawn as\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if added, taken := c.Changes(); added != 3 || taken != 4 {
		t.Errorf("%d lines were added and %d taken away", added, taken)
	}
	if len(c.Hunks()) != 5 { // the two files without lines are differences, too
		t.Errorf("%d differences", len(c.Hunks()))
	}
}

// What a reader chooses are lines of the patch, and each is known by its file and its line there.
// What a file is that is more than its lines is said: a link, a program, another repository.
func TestAPatchSaysWhatFilesAre(t *testing.T) {
	for _, c := range []struct{ head, want string }{
		{"new file mode 120000\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n", "f  +1 -0  new symlink"},
		{"new file mode 100755\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+true\n", "f  +1 -0  new executable"},
		{"new file mode 160000\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+Subproject commit 1\n", "f  +1 -0  new submodule"},
		{"deleted file mode 120000\n", "f  +0 -0  deleted symlink"},
		{"old mode 100644\nnew mode 100755\n", "f  +0 -0  now executable"},
		{"old mode 100755\nnew mode 100644\n", "f  +0 -0  no longer executable"},
		{"old mode 100644\nnew mode 100755\nsimilarity index 100%\nrename from g\nrename to f\n", "f  +0 -0  now executable, renamed from g"},
	} {
		_, got := laid(Patch("diff --git a/f b/f\n"+c.head), 60, false)
		if got[0] != c.want {
			t.Errorf("%q is drawn as %q, want %q", c.head, got[0], c.want)
		}
	}
}

// A newline at the end that came or went is seen, though the line reads the same.
func TestAMissingNewlineIsSeen(t *testing.T) {
	_, got := laid(Patch("diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n"), 60, false)
	if want := []string{"f  +1 -1", "1   - x  (no newline at the end)", "  1 + x"}; !slices.Equal(got, want) {
		t.Errorf("it is drawn as %q, want %q", got, want)
	}
}

func TestTheLinesOfAPatch(t *testing.T) {
	lines := strings.Split(patch, "\n")
	for _, split := range []bool{false, true} {
		s, drawn := laid(Patch(patch), 130, split)
		seen := map[int]bool{}
		for i := range s.Len() {
			spot, ok := s.Spot(i)
			if !ok {
				continue
			}
			p := s.Pick(i, i)
			if p.From == 0 || p.From != p.To || len(p.Gone) > 0 {
				t.Fatalf("%q is lines %d to %d, gone %q", drawn[i], p.From, p.To, p.Gone)
			}
			seen[p.From] = true
			if at := s.Find(spot); at != i {
				t.Errorf("line %d (%+v) is found as %d", i, spot, at)
			}
		}
		for _, n := range []int{1, 6, 7, 9, 10, 19, 23, 27, 33} {
			if !seen[n] {
				t.Errorf("nobody stops at line %d of the patch, %q", n, lines[n-1])
			}
		}
	}
	c := Patch(patch)
	for at, want := range map[int]struct {
		path string
		line int
	}{1: {"importer/ofx.go", 0}, 8: {"importer/ofx.go", 12}, 9: {"importer/ofx.go", 12}, 10: {"importer/ofx.go", 13}, 17: {"importer/ofx.go", 41}, 33: {"gone.txt", 2}, 999: {"", 0}} {
		if path, line := c.Where(at); path != want.path || line != want.line {
			t.Errorf("line %d, %q, is %s:%d, want %v", at, strings.Join(lines[min(at, len(lines))-1:min(at, len(lines))], ""), path, line, want)
		}
	}
}

func TestANoteStandsUnderItsLineOfThePatch(t *testing.T) {
	for _, split := range []bool{false, true} {
		s := &Layout{}
		s.Annotate([]Note{
			{ID: "n", Line: 10, Draw: func(int) []string { return []string{"why close?"} }},
			{ID: "m", Line: 8, Draw: func(int) []string { return []string{"keep it"} }},
		}, nil, "")
		st := viewtest.Styles(style.Options{Dark: true, NoColor: true})
		s.Lay(st, Patch(patch), 130, split)
		var got []string
		for i := range s.Len() {
			got = append(got, ansi.Strip(s.Draw(i)))
		}
		text := strings.Join(got, "\n")
		if strings.Count(text, "why close?") != 1 || strings.Count(text, "keep it") != 1 {
			t.Errorf("split %v:\n%s", split, text)
		}
		if a, b := strings.Index(text, "t.close()"), strings.Index(text, "why close?"); a < 0 || b < a {
			t.Errorf("split %v: the note does not stand under its line:\n%s", split, text)
		}
	}
}

// Whatever it is given, a patch is read to its end, in lines that are there.
func FuzzPatch(f *testing.F) {
	f.Add(patch)
	f.Add("@@ -1 +1 @@\n-a\n+b\n")
	f.Add("no patch\nat all")
	f.Add("diff --git a/x b/x\n@@ -9999999999999999999,5 +1,-3 @@ x\n-a\n\\\n+b\n")
	f.Fuzz(func(t *testing.T, s string) {
		c := Patch(s)
		n := strings.Count(s, "\n") + 1
		for _, split := range []bool{false, true} {
			layout, _ := laid(c, 40, split)
			for i := range layout.Len() {
				if spot, ok := layout.Spot(i); ok && (spot.New > n || spot.Old > n) {
					t.Fatalf("line %+v of %d", spot, n)
				}
			}
		}
	})
}
