package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// A newcomer reads the README whole.
func TestReadmeIsShort(t *testing.T) {
	b, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(b), "\n"); lines > 200 {
		t.Errorf("README.md has %d lines; it may have 200", lines)
	}
	if words := len(strings.Fields(string(b))); words > 2000 {
		t.Errorf("README.md has %d words; it may have 2,000", words)
	}
}

var (
	mdLink  = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	mdCode  = regexp.MustCompile("`[^`\n]*`")
	mdURL   = regexp.MustCompile(`^[a-z]+:`)
	goPath  = regexp.MustCompile("`((?:[a-z0-9-]+/)+[a-z0-9_-]+\\.go)`")
	goTest  = regexp.MustCompile(`go test [^` + "`" + `]*?(\./[a-z0-9/]+) -run '?([A-Za-z][A-Za-z0-9|\\]*)`)
	docPath = regexp.MustCompile(`\bdocs/[\w/-]+\.md\b`)
)

// prose is a document without its fenced code.
func prose(text string) string {
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		mark := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(mark) >= 3:
			fence = mark
		case fence != "" && len(mark) >= len(fence):
			fence = ""
		case fence == "":
			b.WriteString(line)
		}
	}
	return b.String()
}

// anchor is what GitHub calls a heading in a link.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
}

// documents are the texts of the documents, by their paths from the root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{"README.md": "", "CONTRIBUTING.md": ""}
	err := fs.WalkDir(os.DirFS(".."), "docs", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			out[path] = ""
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for path := range out {
		b, err := os.ReadFile(filepath.Join("..", path))
		if err != nil {
			t.Fatal(err)
		}
		out[path] = prose(string(b))
	}
	return out
}

// Every link in the documents leads to a file of the repository, and to a heading where it names one.
func TestDocumentLinks(t *testing.T) {
	docs := documents(t)
	anchors := map[string]map[string]bool{}
	for path, text := range docs {
		anchors[path] = map[string]bool{}
		for line := range strings.Lines(text) {
			if heading := strings.TrimLeft(line, "#"); heading != line && strings.HasPrefix(heading, " ") {
				anchors[path][anchor(heading)] = true
			}
		}
	}
	links := 0
	for path, text := range docs {
		for _, m := range mdLink.FindAllStringSubmatch(mdCode.ReplaceAllString(text, "x"), -1) {
			if mdURL.MatchString(m[1]) {
				continue
			}
			links++
			name, heading, _ := strings.Cut(m[1], "#")
			target := path
			if name != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(path), name))
			}
			if !filepath.IsLocal(target) {
				t.Errorf("%s: %s leads out of the repository", path, m[1])
			} else if _, err := os.Stat(filepath.Join("..", target)); err != nil {
				t.Errorf("%s: %s leads nowhere: %v", path, m[1], err)
			} else if heading != "" && !anchors[target][heading] {
				t.Errorf("%s: %s has no heading #%s", path, target, heading)
			}
		}
	}
	if links < 100 {
		t.Errorf("%d links were found", links)
	}
}

// Code and documents cite documents of the repository only, and no sections by number. The project of the demo has
// documents of its own.
func TestCitedDocuments(t *testing.T) {
	root := os.DirFS("..")
	cited := 0
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if name == "testdata" || name == "bin" || path == "interop/demo" || len(name) > 1 && strings.HasPrefix(name, ".") {
				return fs.SkipDir
			}
			return nil
		}
		document := strings.HasSuffix(path, ".md") && path != "CHANGELOG.md"
		code := strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go")
		if !document && !code && path != "Makefile" {
			return nil
		}
		b, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		for _, cite := range docPath.FindAllString(string(b), -1) {
			cited++
			if _, err := fs.Stat(root, cite); err != nil {
				t.Errorf("%s cites %s: %v", path, cite, err)
			}
		}
		if strings.Contains(string(b), "\u00a7") {
			t.Errorf("%s cites a section by its number; name its title", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if cited < 20 {
		t.Errorf("%d citations were found", cited)
	}
}

// A document that names a Go file names one that there is.
func TestCitedFiles(t *testing.T) {
	cited := 0
	for path, text := range documents(t) {
		for _, m := range goPath.FindAllStringSubmatch(text, -1) {
			cited++
			if _, err := os.Stat(filepath.Join("..", m[1])); err != nil {
				t.Errorf("%s cites %s: %v", path, m[1], err)
			}
		}
	}
	if cited < 20 {
		t.Errorf("%d citations were found", cited)
	}
}

// A document that says how to run a test names one that there is.
func TestCitedTests(t *testing.T) {
	cited := 0
	for path, text := range documents(t) {
		for _, m := range goTest.FindAllStringSubmatch(text, -1) {
			files, err := filepath.Glob(filepath.Join("..", m[1], "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			var code strings.Builder
			for _, name := range files {
				b, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				code.Write(b)
			}
			for name := range strings.SplitSeq(strings.ReplaceAll(m[2], `\|`, "|"), "|") {
				if cited++; name == "NAME" {
					continue
				}
				if !regexp.MustCompile(`(?m)^func (Test|Fuzz)\w*` + strings.TrimPrefix(name, "Test")).MatchString(code.String()) {
					t.Errorf("%s: no test of %s is called %s", path, m[1], name)
				}
			}
		}
	}
	if cited < 50 {
		t.Errorf("%d citations were found", cited)
	}
}
