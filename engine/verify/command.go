package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"vespe/engine/proc"
	"vespe/model/runlog"
)

// command is one check that runs a program.
type command struct {
	runlog.Evidence
	kind   kind
	dir    string // in the commit
	given  bool   // by the spec: it has to be run
	nobody bool   // nothing was there to be tested, which does not matter where something else was
}

// tested reports whether the check says anything of the commit.
func (c *command) tested() bool { return c.Status != runlog.NotRun }

// unable notes that a check says nothing, and why.
func (c *command) unable(why string) { c.Status, c.Why = runlog.NotRun, why }

func (c *command) fail(why string) { c.Status, c.Why = runlog.Fail, why }

// run runs a check. An error means that nothing can be said of the commit: it was interrupted.
func (v *verifier) run(ctx context.Context, c *command) error {
	if c.Status == runlog.NotRun { // it is known already
		v.emit(c.Evidence, false)
		v.emit(c.Evidence, true)
		return ctx.Err()
	}
	v.emit(c.Evidence, false)
	began := time.Now()
	err := v.execute(ctx, c)
	c.Millis = time.Since(began).Milliseconds()
	if err == nil {
		v.emit(c.Evidence, true)
	}
	return err
}

// checkDir and a number are the directory of a check that is at work.
const checkDir = "check-"

// clear ends and removes what is left of a verification that was interrupted.
func (v *verifier) clear(ctx context.Context) error {
	entries, err := os.ReadDir(v.in.State)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), checkDir) {
			continue
		}
		state := filepath.Join(v.in.State, entry.Name())
		_, _, e := proc.Reap(ctx, state, v.in.Run)
		if e == nil {
			e = os.RemoveAll(state)
		}
		err = errors.Join(err, e)
	}
	return err
}

func (v *verifier) execute(ctx context.Context, c *command) error {
	dir := filepath.Join(v.in.Dir, filepath.FromSlash(c.dir))
	if _, err := proc.LookPath(c.Argv[0], dir, v.in.Env); err != nil {
		if strings.ContainsRune(c.Argv[0], filepath.Separator) && !filepath.IsAbs(c.Argv[0]) {
			c.fail("the commit does not contain the program " + c.Argv[0])
		} else {
			c.unable("it is not installed: " + err.Error())
		}
		return nil
	}
	v.count++
	state := filepath.Join(v.in.State, checkDir+strconv.Itoa(v.count))
	out := filepath.Join(state, "output")
	if err := os.MkdirAll(state, 0o700); err != nil {
		return err
	}
	env := v.in.Env
	if c.kind == nodeTest && !slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "CI=") }) {
		env = append(slices.Clone(env), "CI=true") // some would wait for changes otherwise
	}
	p, err := proc.Start(ctx, proc.Spec{
		Run: v.in.Run, Argv: c.Argv, Dir: dir, Env: env, Out: out, Err: out,
		State: state, Limits: v.in.Limits, Guard: v.in.Guard,
	})
	if err != nil {
		return err
	}
	e := p.Exit()
	if err := ctx.Err(); err != nil {
		return err
	}
	switch e.Why {
	case proc.Lost, proc.Orphaned, proc.Stopped:
		return fmt.Errorf("verify: %s was interrupted: %s", c.Name, e.Detail)
	}
	c.Exit, c.Bytes, c.Output = e.Code, e.Bytes, tail(out)
	if err := c.judge(e, out); err != nil {
		return err
	}
	return os.RemoveAll(state) // what is kept of it is in the evidence
}

// judge says what the end of a program means.
func (c *command) judge(e proc.Exit, out string) error {
	f, err := os.Open(out)
	switch {
	case err == nil:
		defer f.Close()
	case !os.IsNotExist(err): // a program that was never started has printed nothing
		return err
	}
	none, unable := false, false
	if f != nil {
		none, unable = nothing(c.kind, f)
	}
	switch {
	case e.Why == proc.NotStarted:
		c.fail("it can't run: " + e.Detail)
	case e.Why != "":
		c.fail(e.Detail)
	case unable && !e.OK():
		c.unable("pytest is not installed")
	case e.OK() && none:
		c.unable("it found no tests")
		c.nobody = true
	case e.OK():
		c.Status = runlog.Pass
	case !c.given && (c.kind == pytest && e.Code == 5 || none && (c.kind == goTest || c.kind == nodeTest)):
		c.unable("it found no tests")
		c.nobody = true
	default:
		c.fail("")
		if e.Signal != "" {
			c.Why = "it was killed by a signal: " + e.Signal
		}
	}
	return nil
}

// tail is the end of what a program printed.
func tail(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return ""
	}
	const more = 4 // for a character that begins before
	from := max(0, st.Size()-runlog.MaxOutput-more)
	b := make([]byte, st.Size()-from)
	n, _ := f.ReadAt(b, from)
	return runlog.Tail(string(b[:n]), runlog.MaxOutput)
}
