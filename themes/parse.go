package themes

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"vespe/internal/tomltext"
)

// ParseError is something wrong with a theme file.
type ParseError struct {
	Line int // 1-based; 0 when no one line is to blame
	Why  string
	Hint string // "" when there is nothing to suggest
}

func (e *ParseError) Error() string {
	var b strings.Builder
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", e.Line)
	}
	b.WriteString(e.Why)
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// setting is one value of the file and where it stands.
type setting struct {
	value string
	line  int
}

// Parse reads a theme file (see the package comment for the format). The error is a
// *ParseError and speaks of the first thing wrong.
func Parse(src []byte) (Theme, error) {
	var t Theme
	tables := map[string]map[string]setting{"": {}, "dark": {}, "light": {}}
	if err := scan(src, tables); err != nil {
		return Theme{}, err
	}
	for key, s := range tables[""] {
		switch key {
		case "name":
			t.Name = s.value
		case "title":
			t.Title = s.value
		default:
			return Theme{}, &ParseError{s.line, fmt.Sprintf("unknown key %q", key), "a theme has name, title, [dark] and [light]"}
		}
	}
	if t.Name == "" {
		return Theme{}, &ParseError{0, "the theme has no name", `add name = "…" at the top`}
	}
	for _, mode := range []struct {
		name string
		p    *Palette
	}{{"dark", &t.Dark}, {"light", &t.Light}} {
		if err := mode.p.fill(mode.name, tables[mode.name]); err != nil {
			return Theme{}, err
		}
	}
	return t, nil
}

// scan reads the TOML into tables, with the line of each value.
func scan(src []byte, tables map[string]map[string]setting) error {
	var p unstable.Parser
	p.Reset(src)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		key, line := tomltext.Key(&p, e)
		if e.Kind == unstable.Table {
			if _, ok := tables[key]; !ok || key == "" {
				return &ParseError{line, fmt.Sprintf("unknown table [%s]", key), "a theme has [dark] and [light]"}
			}
			table = key
			continue
		}
		if e.Kind != unstable.KeyValue {
			return &ParseError{line, fmt.Sprintf("unexpected [[%s]]", key), "a theme has [dark] and [light]"}
		}
		in := table
		if in == "" { // dark.bg = "…" at the top
			if head, rest, ok := strings.Cut(key, "."); ok && (head == "dark" || head == "light") {
				in, key = head, rest
			}
		}
		v := e.Value()
		if v.Kind != unstable.String {
			return &ParseError{line, fmt.Sprintf("%s must be a string", key), `write "#rrggbb" or the name of a token`}
		}
		if old, ok := tables[in][key]; ok {
			return &ParseError{line, fmt.Sprintf("%s is set twice", key), fmt.Sprintf("first on line %d", old.line)}
		}
		tables[in][key] = setting{string(v.Data), line}
	}
	var bad *unstable.ParserError
	switch err := p.Error(); {
	case errors.As(err, &bad):
		return &ParseError{tomltext.Line(&p, bad.Highlight), bad.Message, ""}
	case err != nil:
		return &ParseError{0, err.Error(), ""}
	}
	return nil
}

// fill resolves one palette: colors, names of other tokens, defaults.
func (p *Palette) fill(mode string, set map[string]setting) error {
	fields := p.fields()
	byName := make(map[string]field, len(fields))
	names := make([]string, len(fields))
	for i, f := range fields {
		byName[f.Name], names[i] = f, f.Name
	}
	given := make([]string, 0, len(set))
	for k := range set {
		given = append(given, k)
	}
	sort.Slice(given, func(i, j int) bool { return set[given[i]].line < set[given[j]].line })
	for _, k := range given {
		if _, ok := byName[k]; !ok {
			return &ParseError{set[k].line, fmt.Sprintf("unknown token %q in [%s]", k, mode), suggest(k, names)}
		}
	}
	for _, f := range fields {
		v, err := resolve(f.Token, mode, set, byName, names)
		if err != nil {
			return err
		}
		*f.value = v
	}
	return nil
}

// resolve follows names of tokens until it comes to a color.
func resolve(t Token, mode string, set map[string]setting, byName map[string]field, names []string) (string, error) {
	start, line := t, set[t.Name].line
	for range len(byName) + 1 {
		s, ok := set[t.Name]
		if !ok {
			if t.Default == "" {
				return "", &ParseError{0, fmt.Sprintf("[%s] does not set %s", mode, t.Name), "only tokens with a default may be left out"}
			}
			t = byName[t.Default].Token
			continue
		}
		if strings.HasPrefix(s.value, "#") {
			if _, _, _, ok := rgb(s.value); !ok {
				return "", &ParseError{s.line, fmt.Sprintf("%s = %q is not a color", t.Name, s.value), `write "#rrggbb"`}
			}
			return strings.ToLower(s.value), nil
		}
		next, ok := byName[s.value]
		if !ok {
			return "", &ParseError{s.line, fmt.Sprintf("%s = %q is neither a color nor a token", t.Name, s.value), suggest(s.value, names)}
		}
		t = next.Token
	}
	return "", &ParseError{line, fmt.Sprintf("%s refers to itself", start.Name), "a chain of tokens must end in a color"}
}

// suggest names the known word nearest to a mistyped one.
func suggest(word string, known []string) string {
	best := tomltext.Nearest(word, known, len(word)/2+1)
	if best == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", best)
}
