package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vespe/cli/core"
)

// oldNames are texts that may name verbs as they were before there were groups: what is stored or stands in settings,
// and what is about the old names.
var oldNames = map[string][]string{
	"agents/install/section.go":     {"prime"},
	"engine/advance.go":             {"integrate"},
	"engine/lost.go":                {"stop"},
	"model/schedule/deadlock.go":    {"doctor"},
	"docs/agents.md":                {"hook claude-code EVENT", "hook codex EVENT"},
	"docs/architecture.md":          {"merge %O"},
	"docs/cli.md":                   {"history"},
	"docs/format/merging.md":        {"merge"},
	"interop/gitinternal/places.go": {"export"},
	"cli/admin/export.go":           {"runs git"}, // a sentence
	"docs/format/commits.md":        {"runs git"},
}

// named is where a text names a command line: in backquotes, at the beginning of a line, and at the end of a hint.
var named = regexp.MustCompile("(?m)(?:(`)|^[ \t]*\\$? ?|[:;,|] )vespe( [^`\n]+)")

// Every command line that a text of the program or of its documents names is one, by its name of today.
func TestEveryCommandThatATextNames(t *testing.T) {
	root := newRoot(core.NewApp(core.Deps{Getenv: func(string) string { return "" }, Stdout: &strings.Builder{}}))
	calls := 0
	check := func(file, text string) {
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			words := strings.Fields(m[2])
			if len(words) == 0 {
				continue
			}
			cmd, rest, err := root.Find(words)
			rest = slices.DeleteFunc(rest, func(w string) bool { return strings.HasPrefix(w, "-") })
			unknown := err != nil || cmd == root || cmd.GroupID != "" && !strings.Contains(cmd.Use, " ") && len(rest) > 0
			switch {
			case unknown && (m[1] == "" || len(rest) == 0 || rest[0] != strings.ToLower(rest[0]) || strings.Trim(rest[0], "…%|") == ""):
				continue // prose, flags only, or a placeholder
			case unknown:
				t.Errorf("%s: `vespe%s` is no command", file, m[2])
				continue
			}
			calls++
			first := root
			for i := 1; first == root && i <= len(words); i++ {
				first, _, _ = root.Find(words[:i])
			}
			allowed := func(old string) bool { return strings.HasPrefix(strings.Join(words, " "), old) }
			if first.Hidden && !slices.ContainsFunc(oldNames[file], allowed) {
				t.Errorf("%s: `vespe%s` is an old name", file, m[2])
			}
		}
	}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		file := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(os.PathSeparator)))
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if d.Name() == "testdata" || d.Name() == ".git" {
				return fs.SkipDir
			}
		case file == "CHANGELOG.md": // names what was
		case strings.HasSuffix(path, ".md"):
			body, err := os.ReadFile(path)
			check(file, string(body))
			return err
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if text, err := strconv.Unquote(lit.Value); err == nil {
						check(file, text)
					}
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if calls < 300 {
		t.Errorf("only %d command lines were found", calls)
	}
}
