package keymap

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"vespe/internal/tomltext"
)

// ParseError is something wrong with the [keys] table of a configuration.
type ParseError struct {
	Line int // 1-based; 0 when no one line is to blame
	Why  string
}

func (e *ParseError) Error() string {
	if e.Line == 0 {
		return e.Why
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Why)
}

// Parse reads the [keys] table of a configuration file and passes over its other tables:
//
//	[keys]
//	task.accept = "a"                # one key
//	move.top = ["g g", "home"]       # several; a chord is keys with spaces between
//	task.abort = []                  # none
//
// The error is a *ParseError and speaks of the first thing wrong: unknown actions and keys
// are errors with a suggestion. Clashes are found by Keymap.With.
func Parse(src []byte) (map[Action][]string, error) {
	known := map[Action]bool{}
	var names []string
	for _, s := range Actions() {
		known[s.Action] = true
		names = append(names, string(s.Action))
	}
	out := map[Action][]string{}
	lines := map[Action]int{}
	var p unstable.Parser
	p.Reset(src)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		key, line := tomltext.Key(&p, e)
		if e.Kind != unstable.KeyValue {
			table = key
			if h := hint(key, []string{"keys"}); key != "keys" && !strings.HasPrefix(key, "keys.") && h != "" {
				return nil, &ParseError{line, fmt.Sprintf("unknown table [%s]%s", key, h)}
			}
			continue
		}
		if table != "" {
			key = table + "." + key
		}
		name, ok := strings.CutPrefix(key, "keys.")
		if !ok {
			if known[Action(key)] {
				return nil, &ParseError{line, fmt.Sprintf("%s belongs into the table [keys]", key)}
			}
			continue
		}
		a := Action(name)
		if !known[a] {
			return nil, &ParseError{line, fmt.Sprintf("unknown action %q%s", name, hint(name, names))}
		}
		if at, twice := lines[a]; twice {
			return nil, &ParseError{line, fmt.Sprintf("%s is set twice, first on line %d", name, at)}
		}
		keys, err := values(e.Value())
		if err != nil {
			return nil, &ParseError{line, fmt.Sprintf("%s: %s", name, err)}
		}
		out[a], lines[a] = keys, line
	}
	var bad *unstable.ParserError
	switch err := p.Error(); {
	case errors.As(err, &bad):
		return nil, &ParseError{tomltext.Line(&p, bad.Highlight), bad.Message}
	case err != nil:
		return nil, &ParseError{0, err.Error()}
	}
	return out, nil
}

// values reads a string or a list of strings, normalised.
func values(v *unstable.Node) ([]string, error) {
	one := func(n *unstable.Node) (string, error) {
		if n.Kind != unstable.String {
			return "", errors.New(`a key is a string, such as "ctrl+p"`)
		}
		return Normalize(string(n.Data))
	}
	keys := []string{}
	if v.Kind != unstable.Array {
		k, err := one(v)
		if err != nil {
			return nil, err
		}
		return append(keys, k), nil
	}
	for it := v.Children(); it.Next(); {
		if it.Node().Kind == unstable.Comment {
			continue
		}
		k, err := one(it.Node())
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return keys, nil
}
