package verify

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"vespe/engine/proc"
	"vespe/model"
	"vespe/model/runlog"
)

const (
	// DefaultWall is how long a check may take where Limits do not say.
	DefaultWall = 30 * time.Minute
	// DefaultOutput is how many bytes a check may print where Limits do not say.
	DefaultOutput = 64 << 20
)

// sourceSetup is the source of commands that make the checkout ready.
const sourceSetup = "set-up"

// Input is a commit to be verified.
type Input struct {
	Dir    string      // a clean checkout of the commit, its top
	Commit string      // its whole name
	Task   *model.Task // whose spec says what is checked
	Run    string      // "": as Env says, by proc.RunVar
	Env    []string    // of every command, and of git
	Limits proc.Limits // of every command
	// Setup are commands that make the checkout ready, such as those that install packages.
	Setup [][]string
	State string   // a directory for the guards, nobody else's
	Guard []string // proc.Spec.Guard
	// Emit is told when a check begins and ends; it may be nil.
	Emit func(runlog.Event)
	// Changed are the files that the commit changes; runners are looked for near them. nil: those in which it
	// differs from its first parent.
	Changed []string
}

// verifier is one verification at work.
type verifier struct {
	in    *Input
	tree  *tree
	names map[string]bool
	count int
}

// Run verifies a commit. An error means that it could not be done, and says nothing of the commit; what was
// found until then is in the report.
func Run(ctx context.Context, in Input) (runlog.Report, error) {
	r := runlog.Report{Commit: in.Commit, Checks: []runlog.Evidence{}}
	if in.Task == nil {
		return r, errors.New("verify: no task")
	}
	for _, kv := range in.Env {
		if run, ok := strings.CutPrefix(kv, proc.RunVar+"="); ok && in.Run == "" {
			in.Run = run
		}
	}
	if in.Limits.Wall == 0 {
		in.Limits.Wall = DefaultWall
	}
	if in.Limits.Output == 0 {
		in.Limits.Output = DefaultOutput
	}
	t, err := open(ctx, &in)
	if err != nil {
		return r, err
	}
	v := &verifier{in: &in, tree: t, names: map[string]bool{}}
	r.Tree = t.oid
	if err := v.clear(ctx); err != nil {
		return r, err
	}
	spec := in.Task.Spec
	if spec == nil {
		spec = new(model.Spec)
	}
	files := v.files(spec, &r)
	unready, err := v.setUp(ctx, &r)
	if err != nil {
		return r, err
	}
	commands := v.commands(spec)
	for _, c := range commands {
		if unready != "" {
			c.unable(unready)
		}
		if err := v.run(ctx, c); err != nil {
			return r, err
		}
		r.Checks = append(r.Checks, c.Evidence)
	}
	v.conclude(spec, files, commands, &r)
	return r, nil
}

// setUp makes the checkout ready, and says why it is not.
func (v *verifier) setUp(ctx context.Context, r *runlog.Report) (unready string, err error) {
	for _, argv := range v.in.Setup {
		c := &command{Evidence: runlog.Evidence{Argv: argv, Source: sourceSetup}, dir: "."}
		c.Name = v.name(words("set up: "+strings.Join(argv, " ")), ".")
		if len(argv) == 0 || argv[0] == "" {
			c.unable("it has no program")
		}
		if err := v.run(ctx, c); err != nil {
			return "", err
		}
		r.Checks = append(r.Checks, c.Evidence)
		if c.Status != runlog.Pass {
			return "can't set up the checkout: " + c.Name, nil
		}
	}
	return "", nil
}

// name is the name of a check that no other has.
func (v *verifier) name(s, dir string) string {
	if dir != "." {
		s += " in " + dir
	}
	for name, n := s, 2; ; n++ {
		if !v.names[name] {
			v.names[name] = true
			return name
		}
		name = fmt.Sprintf("%s (%d)", s, n)
	}
}

func (v *verifier) emit(e runlog.Evidence, done bool) {
	if v.in.Emit == nil {
		return
	}
	v.in.Emit(runlog.Event{
		At: time.Now(), Kind: runlog.KindCheck, ID: e.Name, Text: e.Name, Done: done,
		Failed: done && e.Status == runlog.Fail, Exit: e.Exit, Check: &e,
	})
}

// files looks for the files that a task was to create, and for its tests. Those of the latter that are not
// there are returned.
func (v *verifier) files(spec *model.Spec, r *runlog.Report) (untested []string) {
	check := func(what string, names []string, absent runlog.Status) (missing []string) {
		if len(names) == 0 {
			return nil
		}
		e := runlog.Evidence{Name: v.name(what, "."), Source: "files", Status: runlog.Pass}
		v.emit(e, false)
		if missing = v.tree.missing(names); len(missing) > 0 {
			e.Status, e.Why = absent, "not in the commit: "+some(missing)
		}
		v.emit(e, true)
		r.Checks = append(r.Checks, e)
		return missing
	}
	r.Missing = check("files to create", spec.FilesToCreate, runlog.Fail)
	tests := slices.DeleteFunc(slices.Clone(spec.TestFiles), func(f string) bool { return slices.Contains(spec.FilesToCreate, f) })
	return check("test files", tests, runlog.NotRun)
}

// commands are the checks that run something, in their order.
func (v *verifier) commands(spec *model.Spec) (out []*command) {
	for _, argv := range spec.Verify {
		c := &command{Evidence: runlog.Evidence{Argv: argv, Source: "verify"}, kind: kindOf(argv), dir: ".", given: true}
		c.Name = v.name(words(strings.Join(argv, " ")), ".")
		if len(argv) == 0 || argv[0] == "" {
			c.unable("it has no program")
		}
		out = append(out, c)
	}
	if len(spec.Verify) == 0 {
		for _, r := range v.tree.detect(slices.Concat(v.in.Changed, spec.TestFiles)) {
			argv, narrowed := v.tree.narrow(r, spec.TestFiles)
			c := &command{Evidence: runlog.Evidence{Argv: argv, Source: "detected: " + string(r.kind)}, kind: r.kind, dir: r.dir}
			c.Name = v.name(strings.Join(argv, " "), r.dir)
			if narrowed {
				c.Why = "only the files in test_files"
			}
			if r.cannot != "" {
				c.unable(r.cannot)
			}
			out = append(out, c)
		}
	}
	return out
}

// conclude makes of the checks what they say of the commit.
func (v *verifier) conclude(spec *model.Spec, absent []string, commands []*command, r *runlog.Report) {
	var failed, unable []string
	tested, wrong := false, false
	for _, e := range r.Checks {
		if e.Source == sourceSetup && e.Status == runlog.Fail {
			failed = append(failed, said(e))
		}
	}
	if len(r.Missing) > 0 {
		failed = append(failed, "not in the commit: "+some(r.Missing))
	}
	if len(absent) > 0 {
		unable = append(unable, "tests that are not in the commit: "+some(absent))
	}
	var nobody []string
	for _, c := range commands {
		switch {
		case c.Status == runlog.Fail:
			failed = append(failed, said(c.Evidence))
			wrong = true
		case c.tested():
			tested = true
		case c.nobody && !c.given:
			nobody = append(nobody, said(c.Evidence))
		default:
			unable = append(unable, said(c.Evidence))
		}
	}
	switch {
	case len(commands) == 0:
		unable = append(unable, "no verify command is set and no test runner was found"+v.findDeleted())
	case !tested && len(unable) == 0:
		unable = nobody
	}
	r.OK, r.Tested = len(failed) == 0, wrong || tested && len(unable) == 0
	switch {
	case !r.OK:
		r.Why = strings.Join(failed, "; ")
	case !r.Tested:
		r.Why = strings.Join(unable, "; ")
	}
	r.Why = words(r.Why)
	r.Criteria = criteria(spec.AcceptanceCriteria, commands, r)
}

// said is a check and why it did not pass.
func said(e runlog.Evidence) string {
	if e.Why == "" {
		return fmt.Sprintf("%s: exit code %d", e.Name, e.Exit)
	}
	return e.Name + ": " + e.Why
}

// findDeleted says that the commit removes what tests would be found by.
func (v *verifier) findDeleted() string {
	var gone []string
	for _, f := range v.in.Changed {
		if slices.Contains(markers, path.Base(f)) && !v.tree.files[f] {
			gone = append(gone, f)
		}
	}
	if len(gone) == 0 {
		return ""
	}
	return ", and the commit removes " + some(gone)
}

// some are names for a line, the first few of many.
func some(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
