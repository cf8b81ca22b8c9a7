package gitinternal

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vespe/interop/records"
	"vespe/model"
	"vespe/model/runlog"
)

const (
	patchFile    = "changes.patch"
	evidenceFile = "verify.json"

	maxFile  = 32 << 20 // bytes of a file of a run
	maxWords = 4 << 10  // bytes of what a check said
)

func (l *leaving) runID(r model.Run) string { return l.derived(r.Started, "run", r.ID) }

func (l *leaving) patchID(r model.Run) string { return l.derived(r.Started, "patch_set", r.ID) }

func (l *leaving) hasPatch(r model.Run) bool {
	return slices.ContainsFunc(l.out, func(o model.Extra) bool { return text(o, "object_id") == dashed(l.patchID(r)) })
}

// commit is the name of one as git-internal has it: a SHA-1 with zeros behind it.
func commit(name string) (string, bool) {
	name = strings.ToLower(name)
	if _, err := hex.DecodeString(name); err != nil || (len(name) != 40 && len(name) != 64) {
		return "", false
	}
	return name + strings.Repeat("0", 64-len(name)), true
}

// baseOf is the commit that a run began from. A run there has one; zeros are none.
func (l *leaving) baseOf(r model.Run) string {
	if r.Report != nil {
		if c, ok := commit(r.Report.Base); ok {
			return c
		}
	}
	l.lacks("runs whose first commit is unknown are exported with zeros in its place")
	return strings.Repeat("0", 64)
}

// run writes an attempt and what it left.
func (l *leaving) run(r model.Run) error {
	id, from := l.runID(r), l.baseOf(r)
	patch, err := l.patch(r, id, from)
	if err != nil {
		return err
	}
	report := cmp.Or(r.Report, new(model.RunReport))
	var patches []string
	var metrics model.Extra
	ref, why := "", ""
	if report.Result != "" {
		ref = "refs/vespe/" + r.ID + "/result"
	}
	if patch {
		patches = []string{dashed(l.patchID(r))}
	}
	if !r.Live() {
		metrics = members("outcome", r.Outcome, "attempt", report.Attempt, "exit", report.Exit, "seconds", int(r.Took().Seconds()))
	}
	if statusOf(r) == "failed" {
		why = cmp.Or(report.Why, r.Outcome)
	}
	l.add(l.head("run", id, r.Started, r.Ended, r.Worker, runID, r.ID, "vespe_result", report.Result, "vespe_result_ref", ref),
		"task", dashed(l.task), "plan", dashed(l.planAt(r.Started)), "commit", from, "status", statusOf(r), "patchsets", patches,
		"metrics", metrics, "error", why)
	if err := l.evidence(r, id, patch); err != nil {
		return err
	}
	l.provenance(r, id)
	return nil
}

func statusOf(r model.Run) string {
	switch {
	case r.Outcome == model.RunCompleted:
		return "completed"
	case !r.Live():
		return "failed"
	}
	return "patching"
}

// file is a file of a run, whole; nil where there is none, or none that can be believed.
func (l *leaving) file(r model.Run, name string) ([]byte, error) {
	b, size, err := l.s.ReadRunFile(l.ctx, l.uid(), r.ID, name, 0, maxFile)
	var refused *model.Refusal
	switch {
	case errors.Is(err, model.ErrNoContent):
		return nil, nil
	case errors.As(err, &refused):
		l.lacks(name + " changed since its run and is not exported")
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s of %s: %w", name, r.ID, err)
	case size > int64(len(b)):
		l.lacks(name + " is cut at 32 MiB")
	}
	return b, nil
}

// patch writes what a run changed, and says whether there is anything.
func (l *leaving) patch(r model.Run, run, from string) (bool, error) {
	b, err := l.file(r, patchFile)
	if err != nil || len(b) == 0 {
		return false, err
	}
	hash := strings.TrimPrefix(model.HashBytes(b), "sha256-")
	status := "proposed"
	switch t := l.x.View.Task; {
	case r.Report != nil && r.Report.Integrated != "":
		status = "applied"
	case t.Status.Review != nil && t.Status.Review.Of == "work" && t.Status.Review.Verdict == model.VerdictRejected, t.Status.CurrentState == model.Replanned:
		status = "rejected"
	}
	var touched []model.Extra
	for _, f := range touchedBy(string(b)) {
		touched = append(touched, members(model.TextField("path", f.path), "change_type", f.change,
			"lines_added", f.added, "lines_deleted", f.deleted))
	}
	l.add(l.ofRun("patch_set", l.patchID(r), r, r.Worker),
		"run", dashed(run), "commit", from, "format", "git_diff",
		"artifact", members("store", "vespe", "key", artifactDir+"/"+hash, "content_type", "text/x-diff", "size_bytes", len(b),
			"hash", hash, records.Null("expires_at")), // where an export puts it
		"touched", touched, records.Null("rationale"), "apply_status", status)
	return true, nil
}

// evidence writes the checks of a run.
func (l *leaving) evidence(r model.Run, run string, patch bool) error {
	b, err := l.file(r, evidenceFile)
	if err != nil || b == nil {
		return err
	}
	report, err := runlog.DecodeReport(b)
	if err != nil {
		l.lacks("unreadable verify.json is not exported")
		return nil //nolint:nilerr // it is said
	}
	for i, c := range report.Checks {
		ofPatch, tool := "", c.Source
		if patch {
			ofPatch = dashed(l.patchID(r))
		}
		if len(c.Argv) > 0 {
			tool = base(c.Argv[0])
		}
		var exit any
		if c.Status != runlog.NotRun {
			exit = c.Exit
		}
		words := strings.TrimSpace(strings.Join([]string{c.Name + ": " + string(c.Status), c.Why, runlog.Tail(valid(c.Output), maxWords)}, "\n"))
		l.add(l.ofRun("evidence", l.derived(r.Started, "evidence", r.ID, fmt.Sprint(i)), r, "system:vespe"),
			"run_id", dashed(run), "patchset_id", ofPatch, "kind", checkKind(c), "tool", cmp.Or(tool, "vespe"),
			"command", strings.Join(c.Argv, " "), "exit_code", exit, "summary", words)
	}
	return nil
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// checkKind is the kind of a check; what is neither test nor lint nor build is called by where it comes from.
func checkKind(c runlog.Evidence) string {
	words := strings.Fields(strings.ToLower(strings.Join(c.Argv, " ")))
	has := func(all ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(all, base(w)) })
	}
	switch {
	case strings.HasPrefix(c.Source, "detected"), has("test", "pytest", "jest", "vitest"):
		return "test"
	case has("vet", "lint", "clippy", "eslint", "ruff", "golangci-lint", "fmt"):
		return "lint"
	case has("build", "compile", "make", "tsc"):
		return "build"
	}
	return cmp.Or(c.Source, "check")
}

// provenance writes by what a run was done, as far as its report says. Which model answered, no client
// tells vespe.
func (l *leaving) provenance(r model.Run, run string) {
	p := r.Report
	if p == nil || p.Template == "" && p.Cost == 0 && p.In+p.Out == 0 {
		return
	}
	var usage model.Extra
	if p.Cost != 0 || p.In+p.Out != 0 {
		cost := records.Null("cost_usd")
		if p.Cost != 0 {
			cost.Value = float(p.Cost)
		}
		usage = members("input_tokens", int(p.In), "output_tokens", int(p.Out), "total_tokens", int(p.In+p.Out), cost)
	}
	l.add(l.ofRun("provenance", l.derived(r.Started, "provenance", r.ID), r, "system:vespe"),
		"run_id", dashed(run), "provider", cmp.Or(p.Template, r.Worker.Name(), "unknown"), "model", "unknown",
		"parameters", model.Extra{model.TextField("worker", string(r.Worker))}, "token_usage", usage)
}
