package e2e

import (
	"bytes"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// stringsFile lists what people may read, so that a reviewer can read it in one sitting. UPDATE_GOLDEN=1 rewrites it.
const stringsFile = "testdata/strings.golden"

// The list has every string in which this looks like a sentence, a phrase or a title, and nothing that looks like code.
var (
	readable = regexp.MustCompile(`\pL.*[ \n]|[ \n].*\pL|^\pL.*[.?!:…]$|^[A-Z][a-z]+$`)
	codelike = regexp.MustCompile(`\b2006\b|\b15:04|\{"|": |</?\w+[ >]|^(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|PRAGMA|BEGIN|VACUUM)\b`)

	// glued is a value that runs into the word behind it.
	glued = regexp.MustCompile(`%[qsvd]\p{Ll}{2,} |^…(?:is|has|was|are|can|could|must|does|did)\b`)

	unseen = regexp.MustCompile(`^(panic|(lazy)?regexp\..*)$`) // calls whose strings nobody reads
)

// Every string that people may read is in the list.
func TestStringsAreListed(t *testing.T) {
	found := map[string]map[string]bool{} // by package
	eachFile(t, func(_ *token.FileSet, f *ast.File, file string) {
		dir := path.Dir(file)
		if strings.HasSuffix(dir, "test") {
			return
		}
		if found[dir] == nil {
			found[dir] = map[string]bool{}
		}
		collect(f, found[dir])
	})
	var out bytes.Buffer
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		if len(found[dir]) == 0 {
			continue
		}
		out.WriteString("\n== " + dir + "\n")
		for _, s := range slices.Sorted(maps.Keys(found[dir])) {
			if glued.MatchString(s) {
				t.Errorf("%s: a space is missing in %q", dir, s)
			}
			out.WriteString(strings.ReplaceAll(strings.ReplaceAll(s, "\n", "\n\t"), "\t\n", "\n") + "\n")
		}
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(stringsFile, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want, err := os.ReadFile(stringsFile); err != nil || !bytes.Equal(out.Bytes(), want) {
		t.Errorf("%s lists other strings than the source has: make golden rewrites it (%v)", stringsFile, err)
	}
}

// collect adds what people may read in a part of a file.
func collect(part ast.Node, found map[string]bool) {
	ast.Inspect(part, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			n.Tag = nil
		case *ast.CallExpr:
			return !unseen.MatchString(callee(n.Fun))
		case *ast.BinaryExpr:
			if n.Op == token.ADD {
				addString(joined(n.X, found)+joined(n.Y, found), found)
				return false
			}
		case *ast.BasicLit:
			addString(joined(n, found), found)
		}
		return true
	})
}

// joined is the text of a concatenation, with … for each part that is no literal.
func joined(e ast.Expr, found map[string]bool) string {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return joined(e.X, found) + joined(e.Y, found)
		}
	case *ast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return s
		}
		return "…"
	}
	collect(e, found)
	return "…"
}

func addString(s string, found map[string]bool) {
	s = strings.TrimSpace(s)
	control := func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' } // a protocol's, and not for people
	if readable.MatchString(s) && !codelike.MatchString(s) && !strings.ContainsFunc(s, control) {
		found[s] = true
	}
}

// callee is the name of what is called: panic, regexp.MustCompile.
func callee(fun ast.Expr) string {
	switch fun := fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return callee(fun.X) + "." + fun.Sel.Name
	}
	return ""
}
