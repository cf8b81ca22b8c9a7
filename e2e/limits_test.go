package e2e

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// limits are the most that one part may have, so that a reader can take it in. Tests are not counted.
var limits = map[string]int{
	"files":   40,   // of a package
	"lines":   8000, // of a package
	"length":  500,  // of a file, in lines
	"methods": 120,  // of a type
	"fields":  20,   // of a struct
	"func":    80,   // of a function, in lines
}

// exception is a part that is over a limit.
type exception struct {
	most int // it may not grow beyond
	why  string
}

// Why a part is over a limit.
const (
	ofFormat = "it has a field for each member of a file or record"
	ofLooks  = "it has a field for each color, style or glyph"
	ofWiring = "it is all that internal/app hands in"
)

// exceptions are the parts over a limit, by kind and name. A part that is within it again has to leave the list.
var exceptions = map[string]exception{
	"fields model.Spec":       {24, ofFormat},
	"fields model.StatusFile": {33, ofFormat},
	"fields themes.Palette":   {69, ofLooks},
	"fields ui/markdown.look": {32, ofLooks},
	"fields ui/style.Glyphs":  {24, ofLooks},
	"fields ui/style.Styles":  {63, ofLooks},
	"fields ui.Deps":          {30, ofWiring},
}

// No part of the house is larger than a reader can take in.
func TestLimits(t *testing.T) {
	found := map[string]int{}
	eachFile(t, func(fset *token.FileSet, f *ast.File, name string) { measure(fset, f, name, found) })
	for part, n := range found {
		kind, _, _ := strings.Cut(part, " ")
		most, listed := limits[kind], false
		if x, ok := exceptions[part]; ok {
			most, listed = x.most, true
			if x.why == "" {
				t.Errorf("%s: the exception has no reason", part)
			}
		}
		switch {
		case n > most:
			t.Errorf("%s: %d, at most %d", part, n, most)
		case listed && n <= limits[kind]:
			t.Errorf("%s: %d is within the limit of %d: take it off the list of exceptions", part, n, limits[kind])
		}
	}
	for part := range exceptions {
		if found[part] == 0 {
			t.Errorf("%s: there is no such part: take it off the list of exceptions", part)
		}
	}
}

// eachFile parses the module's Go files, except for tests.
func eachFile(t *testing.T, do func(fset *token.FileSet, f *ast.File, name string)) {
	t.Helper()
	fset := token.NewFileSet()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != ".." && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err == nil {
			do(fset, f, strings.TrimPrefix(filepath.ToSlash(path), "../"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// measure counts what a file has.
func measure(fset *token.FileSet, f *ast.File, name string, found map[string]int) {
	dir := filepath.ToSlash(filepath.Dir(name))
	lines := fset.File(f.Pos()).LineCount()
	found["files "+dir]++
	found["lines "+dir] += lines
	found["length "+name] = lines
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			of := dir + "." + n.Name.Name
			if n.Recv != nil {
				recv := receiver(n.Recv.List[0].Type)
				of = dir + "." + recv + "." + n.Name.Name
				found["methods "+dir+"."+recv]++
			}
			found["func "+of] = max(found["func "+of], fset.Position(n.End()).Line-fset.Position(n.Pos()).Line+1)
		case *ast.TypeSpec:
			if st, ok := n.Type.(*ast.StructType); ok {
				found["fields "+dir+"."+n.Name.Name] = st.Fields.NumFields()
			}
		}
		return true
	})
}

// receiver is the type that a method belongs to.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return fmt.Sprintf("%T", e)
}
