package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/cli/core"
	"vespe/model"
	"vespe/store"
)

// call is one run of the program in a test, without a process of its own.
type call struct {
	t         testing.TB
	ctx       context.Context
	dir       string
	env       map[string]string
	stdin     string
	ticks     int // of the clock, which continues by a second each time it is read
	terminal  bool
	person    bool      // verdicts need a terminal, as without any settings
	typed     io.Reader // what is typed at a terminal, in place of stdin
	out       io.Writer // in place of the buffer that out is read from
	bench     func(context.Context, *store.Store, core.WorkbenchOptions) error
	benchArgs []string // of the call that opened the workbench
}

func at(t testing.TB, dir string) *call {
	return &call{t: t, ctx: t.Context(), dir: dir, env: map[string]string{"USER": "ann", "TERM": "xterm"}}
}

// now is when the tests begin.
func now() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }

func (c *call) run(args ...string) (code int, out, errs string) {
	c.t.Helper()
	var stdout, stderr bytes.Buffer
	var w io.Writer = &stdout
	if c.out != nil {
		w = c.out
	}
	var stdin io.Reader = strings.NewReader(c.stdin)
	if c.typed != nil {
		stdin = c.typed
	}
	bench := func(ctx context.Context, open core.OpenForWorkbench, args []string) error {
		c.benchArgs = args
		s, o, err := open()
		if err != nil {
			return err
		}
		return c.bench(ctx, s, o)
	}
	if c.bench == nil {
		bench = nil
	}
	code = Main(c.ctx, core.Deps{
		Args: args, Stdin: stdin, Stdout: w, Stderr: &stderr,
		Getenv: func(k string) string { return c.env[k] }, Dir: c.dir,
		VerdictsFromScripts: !c.person,
		Terminal:            core.Terminal{IsTerminal: c.terminal, StdinTerminal: c.typed != nil, StderrTerminal: c.typed != nil},
		Now:                 c.tick, Rand: rand.Reader, Version: "v1.2.3", Workbench: bench,
	})
	return code, stdout.String(), stderr.String()
}

func (c *call) tick() time.Time {
	c.ticks++
	return now().Add(time.Duration(c.ticks) * time.Second)
}

// must runs what has to end well.
func (c *call) must(args ...string) string {
	c.t.Helper()
	code, out, errs := c.run(args...)
	if code != core.ExitOK {
		c.t.Fatalf("vespe %q: exit code %d\n%s%s", args, code, out, errs)
	}
	return out
}

// object runs with --json and decodes the one object that is printed.
func (c *call) object(into any, args ...string) int {
	c.t.Helper()
	code, out, _ := c.run(append([]string{"--json"}, args...)...)
	dec := json.NewDecoder(strings.NewReader(out))
	if err := dec.Decode(into); err != nil {
		c.t.Fatalf("vespe %q: %v in %q", args, err, out)
	}
	if dec.More() {
		c.t.Fatalf("vespe %q: more than one value: %q", args, out)
	}
	return code
}

// fresh is a call in a new store.
func fresh(t testing.TB) *call {
	c := at(t, t.TempDir())
	c.must("init")
	return c
}

// argOf is the argument of a kind that a transition takes, if it takes one.
func argOf(t model.Transition, kind model.ArgKind) (model.Arg, bool) {
	i := slices.IndexFunc(t.Args, func(a model.Arg) bool { return a.Kind == kind })
	if i < 0 {
		return model.Arg{}, false
	}
	return t.Args[i], true
}
