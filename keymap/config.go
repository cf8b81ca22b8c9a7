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
//	accept = "a"                     # what a key means, wherever it works
//	task.accept = "ctrl+y"           # one action
//	move.top = ["g g", "home"]       # several; a chord is keys with spaces between
//	task.abort = []                  # none
//
// What is wrong with an entry is reported, with a suggestion for unknown actions and keys, and the others count. In a
// file that is not TOML none does. Clashes are found by Keymap.With.
func Parse(src []byte) (given map[Action][]string, wrong []*ParseError) {
	names := names()
	known := map[Action]bool{}
	for _, n := range names {
		known[Action(n)] = true
	}
	given = map[Action][]string{}
	lines := map[Action]int{}
	bad := func(line int, format string, args ...any) {
		wrong = append(wrong, &ParseError{line, fmt.Sprintf(format, args...)})
	}
	var p unstable.Parser
	p.Reset(src)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		key, line := tomltext.Key(&p, e)
		if e.Kind != unstable.KeyValue {
			table = key
			if h := hint(key, []string{"keys"}); key != "keys" && !strings.HasPrefix(key, "keys.") && h != "" {
				bad(line, "unknown table [%s]%s", key, h)
			}
			continue
		}
		if table != "" {
			key = table + "." + key
		}
		name, ok := strings.CutPrefix(key, "keys.")
		a := Action(name)
		at, twice := lines[a]
		switch {
		case !ok && known[Action(key)]:
			bad(line, "%s belongs in the table [keys]", key)
		case !ok:
		case !known[a]:
			bad(line, "unknown action %q%s", name, hint(name, names))
		case twice:
			bad(line, "%s is set twice, first on line %d", name, at)
		default:
			keys, err := values(e.Value())
			if err != nil {
				bad(line, "%s: %s", name, err)
				continue
			}
			given[a], lines[a] = keys, line
		}
	}
	var syntax *unstable.ParserError
	switch err := p.Error(); {
	case errors.As(err, &syntax):
		return nil, []*ParseError{{tomltext.Line(&p, syntax.Highlight), syntax.Message + "; the file is ignored"}}
	case err != nil:
		return nil, []*ParseError{{0, err.Error() + "; the file is ignored"}}
	}
	return given, wrong
}

// Read is the keymap with the keys of a configuration file, and what is wrong there. Of actions that clash, one that the
// file sets keeps its own keys.
func (k *Keymap) Read(src []byte) (*Keymap, []*ParseError) {
	given, wrong := Parse(src)
	for {
		own, err := k.With(given)
		if err == nil {
			return own, wrong
		}
		var clash *ClashError
		before := len(given)
		if errors.As(err, &clash) {
			lines := tomltext.Lines(src)
			for _, c := range clash.Clashes {
				for _, a := range []Action{c.First, c.Other} {
					if _, ok := given[a]; ok {
						delete(given, a)
						wrong = append(wrong, &ParseError{lines["keys."+string(a)], c.String() + ": give one of them another key, or [] for none"})
						break
					}
				}
			}
		}
		if len(given) == before {
			return k, append(wrong, &ParseError{0, err.Error()})
		}
	}
}

// values reads a string or a list of strings, normalized.
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
