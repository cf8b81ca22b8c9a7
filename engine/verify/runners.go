package verify

import (
	"bufio"
	"bytes"
	"io"
	"path"
	"slices"
	"strings"

	"vespe/internal/lazyregexp"
)

// kind is a test runner whose words are known.
type kind string

const (
	goTest    kind = "go test"
	pytest    kind = "pytest"
	cargoTest kind = "cargo test"
	nodeTest  kind = "package.json"
	makeTest  kind = "make test"
)

var python = lazyregexp.New(`^python[0-9.]*$`)

// kindOf is the runner that a command calls, "" for any other command.
func kindOf(argv []string) kind {
	if len(argv) == 0 {
		return ""
	}
	arg := func(i int) string {
		if i < len(argv) {
			return argv[i]
		}
		return ""
	}
	switch name := path.Base(argv[0]); {
	case name == "go" && arg(1) == "test":
		return goTest
	case name == "pytest" || name == "py.test" || python.Get().MatchString(name) && arg(1) == "-m" && arg(2) == "pytest":
		return pytest
	case name == "cargo" && slices.Contains(argv[1:], "test"):
		return cargoTest
	case slices.Contains([]string{"npm", "pnpm", "yarn"}, name) && slices.ContainsFunc(argv[1:], func(a string) bool { return strings.HasPrefix(a, "test") }):
		return nodeTest
	case name == "make" || name == "gmake":
		return makeTest
	}
	return ""
}

// heard is what the lines of a runner's output say, and what a runner says where nothing was there to run.
type heard struct{ ran, none *lazyregexp.Regexp }

var hearing = map[kind]heard{
	goTest: {
		lazyregexp.New(`^ok  \t|^\s*--- (PASS|FAIL): |^FAIL\b|"Action":"(pass|fail)".*"Test":`),
		lazyregexp.New(`\[no test files\]|\[no tests to run\]|matched no packages|^no packages to test|no Go files`),
	},
	pytest: {
		lazyregexp.New(`\b[1-9][0-9]* (passed|failed|errors?|xpassed)\b`),
		lazyregexp.New(`\bno tests ran\b|\b[1-9][0-9]* (skipped|deselected|xfailed)\b`),
	},
	cargoTest: {
		lazyregexp.New(`^test result: .*\b[1-9][0-9]* (passed|failed)|tests? run: [1-9]`),
		lazyregexp.New(`^running 0 tests|^test result: .*\b0 passed; 0 failed`),
	},
	nodeTest: {
		lazyregexp.New(`^\s*Tests:?\s+.*[1-9][0-9]* (passed|failed)|\b[1-9][0-9]* (passing|failing|passed|failed)\b|^(#|ℹ) tests [1-9]`),
		lazyregexp.New(`^No tests? (files? )?found|\b0 passing\b|^(#|ℹ) tests 0\b|[Cc]ould(n.t| not) find any (test )?files`),
	},
	makeTest: {
		nil,
		lazyregexp.New(`^g?make(\[[0-9]+\])?: ('test' is up to date|Nothing to be done for 'test')`),
	},
}

var (
	noPytest = lazyregexp.New(`^\S*python[0-9.]*: No module named pytest$`)
	escapes  = lazyregexp.New(`\x1b\[[0-9;]*m`)
)

// maxTold is how much of a line counts, in bytes.
const maxTold = 4 << 10

// nothing reports whether a runner says that it had no test to run, or needs what is not installed.
func nothing(k kind, output io.Reader) (none, unable bool) {
	h, known := hearing[k]
	if !known {
		return false, false
	}
	lines, ran := 0, false
	each(output, func(line string) {
		lines++
		if k == pytest && lines == 1 {
			unable = noPytest.Get().MatchString(line)
		} else {
			unable = false
		}
		isNone := h.none.Get().MatchString(line)
		switch {
		case isNone && (k == goTest || k == makeTest): // "ok" is said beside it
			none = true
		case h.ran == nil: // whatever a rule prints
			ran = true
		case h.ran.Get().MatchString(line):
			ran = true
		default:
			none = none || isNone
		}
	})
	return none && !ran, unable
}

// each calls f with the lines of an output, without colors, and with the beginning of those that are too
// long.
func each(output io.Reader, f func(line string)) {
	r := bufio.NewReaderSize(output, maxTold)
	for {
		b, more, err := r.ReadLine()
		if err != nil {
			return
		}
		f(string(escapes.Get().ReplaceAll(bytes.TrimRight(b, "\r"), nil)))
		for more && err == nil {
			_, more, err = r.ReadLine()
		}
	}
}
