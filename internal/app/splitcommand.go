package app

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// SplitCommand splits a command into its arguments: words, with single quotes, double
// quotes and backslashes as a shell reads them, and nothing else of a shell.
func SplitCommand(line string) ([]string, error) {
	var (
		argv    []string
		word    strings.Builder
		inWord  bool
		quote   rune
		escaped bool
	)
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case unicode.IsSpace(r):
			if inWord {
				argv = append(argv, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 || escaped {
		return nil, fmt.Errorf("%q has an unclosed quote", line)
	}
	if inWord {
		argv = append(argv, word.String())
	}
	if len(argv) == 0 {
		return nil, errors.New("it is empty")
	}
	return argv, nil
}
