package priority

import (
	"errors"
	"regexp"
	"regexp/syntax"
)

// maxRegex bounds a regular expression by about how many steps it takes for each character that is
// looked at; repeats of repeats in a few characters of a rule would take minutes, and all memory.
const maxRegex = 2000

var errRegexSize = errors.New("the regular expression is too large once its repeats are written out")

// compileRegex compiles a regular expression that is looked for whatever the case.
func compileRegex(source string) (*regexp.Regexp, error) {
	if err := checkRegex(source); err != nil {
		return nil, err
	}
	return regexp.Compile("(?i)" + source)
}

// checkRegex says why a regular expression is not taken.
func checkRegex(source string) error {
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return err
	}
	if sizeOf(re) > maxRegex {
		return errRegexSize
	}
	return nil
}

// sizeOf is about the number of instructions of a regular expression, no more than just above
// maxRegex.
func sizeOf(re *syntax.Regexp) int {
	size := 1 + len(re.Rune)/4
	if re.Op == syntax.OpLiteral {
		size = len(re.Rune)
	}
	for _, sub := range re.Sub {
		if size += sizeOf(sub); size > maxRegex {
			return size
		}
	}
	if re.Op == syntax.OpRepeat {
		size *= max(re.Min, re.Max, 1)
	}
	return min(size, maxRegex+1)
}
