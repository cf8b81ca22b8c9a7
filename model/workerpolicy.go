package model

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The keys of .vespe/config.json under which stands what the store says of the loop.
const (
	workerKey   = "worker"
	parallelKey = "parallel_workers" // an older place of worker.parallel
)

var workerFormat = formatOf[WorkerPolicy]()

// NoLimit is a limit that somebody took away.
const NoLimit = -1

// The words of worker.integrate: when verified work comes onto the branch that it is for.
const (
	IntegrateReviewed = "reviewed" // once a person has accepted it
	IntegrateVerified = "verified" // at once
	IntegrateNever    = "never"    // a person brings it there
)

// The words of worker.untested: what becomes of work for which no test was found.
const (
	UntestedAsk    = "ask"    // a person decides
	UntestedAccept = "accept" // it counts as verified
)

// WorkerPolicy is what somebody has said of the loop: a store in worker of its config.json, a person in
// [worker] of their config.toml. What is not said is 0 or "".
type WorkerPolicy struct {
	Use      string `file:"use,as=worker-name"` // the name of a worker
	Parallel int    `file:"parallel,as=from-1"` // workers at a time
	// Wall is how long a worker may take, Silence how long it may print nothing; NoLimit for ever.
	Wall      time.Duration `file:"wall,as=wall"`
	Silence   time.Duration `file:"silence,as=silence"`
	Output    int64         `file:"output,as=bytes"`        // bytes that it may print; NoLimit
	MaxCost   float64       `file:"max_cost,as=cost"`       // US dollars that it may cost, where its client can be told; NoLimit
	MaxTurns  int           `file:"max_turns,as=turns"`     // turns that it may take, likewise; NoLimit
	Branch    string        `file:"branch,as=branch"`       // where verified work is gathered
	Target    string        `file:"target,as=branch"`       // the branch that it is for
	Integrate string        `file:"integrate,as=integrate"` // one of the Integrate constants
	Untested  string        `file:"untested,as=untested"`   // one of the Untested constants

	// What of a store counts only as it was when the store was trusted.
	Argv   []string   `file:"argv,as=argv"`            // how a worker is started
	Format string     `file:"format,as=worker-format"` // what that prints
	Setup  [][]string `file:"setup,as=setup"`          // commands that make a worktree ready
	// Unread says why what a store says of the loop cannot be read, with the file and what to do; "" where it can.
	// A limit that is written wrong must not mean none.
	Unread string
}

// Worker is what the store says of the loop. What it does not say, or does not say in a way that can be
// read, is not said; an integrate that cannot be read is IntegrateNever.
func (p Policy) Worker() WorkerPolicy {
	w := WorkerPolicy{Unread: p.Unread}
	if raw, ok := p.Extra.Get(workerKey); ok && raw[0] != 'n' {
		problems := rulesIn(workerKey, raw, func(r *reader, m *members) { r.workerIn(m, &w) })
		w.Unread = cmp.Or(w.Unread, firstOf(PolicyPath, problems))
	}
	if raw, ok := p.Extra.Get(parallelKey); ok {
		r := reader{src: slices.Concat([]byte(`{"n":`), raw, []byte("}"))}
		n := 0
		if m, ok := r.document(); ok && m.next() {
			r.atLeast(m, &n, 1, "")
		}
		if n == 0 && raw[0] != 'n' && w.Unread == "" {
			w.Unread = PolicyPath + ": " + QuoteKey(parallelKey) + " is not a positive whole number; fix it"
		}
		if n > 0 && (w.Parallel == 0 || n < w.Parallel) {
			w.Parallel = n
		}
	}
	return w
}

// workerIn reads worker, and says what of it cannot be used. The object is kept as it is.
func (r *reader) workerIn(m *members, w *WorkerPolicy) {
	r.rules(m, `an object such as {"parallel": 2}`, func(sub *reader, in *members) {
		workerFormat().read(sub, in, reflect.ValueOf(w).Elem())
	})
}

// parallelIn is workerIn for parallel_workers.
func (r *reader) parallelIn(m *members) {
	n, problems := 0, len(r.problems)
	r.atLeast(m, &n, 1, "a positive whole number")
	if len(r.problems) == problems {
		r.keep(m)
	}
}

// workerNamed is valueNamed for the members of worker, which are only read.
func workerNamed(name string) func(*reader, *members, reflect.Value) {
	switch name {
	case "worker-name":
		return textThat(ValidWorker, "the name of a worker (lowercase letters, digits and dashes)")
	case "branch":
		return textThat(ValidBranch, "the name of a branch")
	case "wall":
		return limit(ParseWait, `a time such as "45m", or "none"`)
	case "silence":
		return limit(ParseWait, `a time such as "10m", or "none"`)
	case "bytes":
		return limit(ParseBytes, `bytes such as 1000000 or "64MiB", or "none"`)
	case "cost":
		return limit(ParseCost, `US dollars above 0, or "none"`)
	case "turns":
		return limit(ParseTurns, `a positive whole number, or "none"`)
	case "integrate":
		return reads(func(r *reader, m *members, dst *string) {
			if !r.choice(m, dst, IntegrateReviewed, IntegrateVerified, IntegrateNever) {
				*dst = IntegrateNever // whoever wrote something wanted to decide about it
			}
		})
	case "untested":
		return choice(UntestedAsk, UntestedAccept)
	case "worker-format":
		return choice(WorkerFormats()...)
	case "argv":
		return reads((*reader).program)
	case "setup":
		return reads(func(r *reader, m *members, dst *[][]string) {
			r.commands(m, dst)
			if slices.ContainsFunc(*dst, func(argv []string) bool { return len(argv) == 0 || argv[0] == "" }) {
				*dst = nil
				r.wrong(m, "a list of argument lists that begin with a program")
			}
		})
	}
	panic("no form of a value is called " + name)
}

// program reads an argument list that names a program.
func (r *reader) program(m *members, dst *[]string) {
	var argv []string
	switch {
	case !readTexts(r, m, &argv) || m.val[0] == 'n':
	case len(argv) == 0 || argv[0] == "" || isString(m.val):
		r.wrong(m, `a list of arguments that begins with a program, like ["claude", "-p"]`)
	default:
		*dst = argv
	}
}

// WorkerFormats are the formats that a worker may print.
func WorkerFormats() []string { return []string{"claude", "codex", "opencode", "text"} }

// textThat reads a text that is valid.
func textThat(valid func(string) bool, want string) func(*reader, *members, reflect.Value) {
	return reads(func(r *reader, m *members, dst *string) {
		switch {
		case m.val[0] == 'n':
		case isString(m.val) && valid(unquote(m.val)):
			*dst = unquote(m.val)
		default:
			r.wrong(m, want)
		}
	})
}

// limit reads a limit from a text, or from a number as a text.
func limit[T any](parse func(string) (T, bool), want string) func(*reader, *members, reflect.Value) {
	return reads(func(r *reader, m *members, dst *T) {
		text := string(m.val)
		if isString(m.val) {
			text = unquote(m.val)
		}
		if m.val[0] == 'n' {
			return
		}
		var ok bool
		if *dst, ok = parse(text); !ok {
			r.wrong(m, want)
		}
	})
}

// choice reads one of some words.
func choice(words ...string) func(*reader, *members, reflect.Value) {
	return reads(func(r *reader, m *members, dst *string) { r.choice(m, dst, words...) })
}

// choice reads one of some words, and reports that it is none.
func (r *reader) choice(m *members, dst *string, words ...string) bool {
	switch {
	case m.val[0] == 'n':
	case isString(m.val) && slices.Contains(words, unquote(m.val)):
		*dst = unquote(m.val)
	default:
		r.wrong(m, quotedWords(words))
		return false
	}
	return true
}

// none is the word for no limit.
const none = "none"

// ParseWait reads how long something may take, of a second at least, such as "45m" or "1h30m"; "none"
// is NoLimit.
func ParseWait(s string) (time.Duration, bool) {
	if s == none {
		return NoLimit, true
	}
	d, err := time.ParseDuration(s)
	return max(d, 0), err == nil && d >= time.Second
}

// ParseBytes reads a number of bytes from 1 up, also with KiB, MiB or GiB after it; "none" is NoLimit.
func ParseBytes(s string) (int64, bool) {
	if s == none {
		return NoLimit, true
	}
	unit := int64(1)
	for i, name := range []string{"KiB", "MiB", "GiB"} {
		if rest, ok := strings.CutSuffix(s, name); ok {
			s, unit = strings.TrimSpace(rest), 1<<(10*(i+1))
			break
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64/unit {
		return 0, false
	}
	return n * unit, true
}

// ParseCost reads an amount above 0; "none" is NoLimit.
func ParseCost(s string) (float64, bool) {
	if s == none {
		return NoLimit, true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f > 0) || math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// ParseTurns reads a positive whole number; "none" is NoLimit.
func ParseTurns(s string) (int, bool) {
	if s == none {
		return NoLimit, true
	}
	n, err := strconv.ParseInt(s, 10, 32)
	return int(max(n, 0)), err == nil && n >= 1
}

// ValidWorker reports whether a worker may have a name: it is part of an actor.
func ValidWorker(s string) bool { return UID(s).Valid() }

// ValidBranch reports whether a branch may have a name; of those that git takes only plain ones.
func ValidBranch(s string) bool {
	if s == "" || len(s) > 200 || strings.HasSuffix(s, ".lock") || strings.Contains(s, "..") || strings.Contains(s, "//") {
		return false
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || part[0] == '.' || part[0] == '-' || strings.HasSuffix(part, ".") || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return !strings.ContainsFunc(s, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("._-/+#", c))
	})
}
