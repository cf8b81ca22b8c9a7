package lifecycle

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"vespe/model"
)

// foreignFiles are the files that a run of another system may bring.
func foreignFiles() []string { return []string{"changes.patch", "output.jsonl", "verify.json"} }

// checkForeignRuns refuses runs that vespe would take for its own, or could not read again.
func checkForeignRuns(s *step, runs []model.ForeignRun) *model.Refusal {
	seen := map[string]bool{}
	for _, f := range runs {
		bad := func(why, hint string) *model.Refusal {
			return s.refuse(model.CodeRefused, model.GuardImport, fmt.Sprintf("the run %s %s", model.Quote(f.Run.ID), why), hint)
		}
		from, _ := f.Run.Extra.Text(model.ForeignKey)
		p := f.Run.Report
		switch {
		case !model.ValidRun(f.Run.ID) || seen[f.Run.ID]:
			return bad("has no id, or the id of another run", "give each an id of letters, digits, `.`, `_` and `-`")
		case from == "":
			return bad("doesn't name the system it comes from", "set "+model.ForeignKey)
		case f.Run.Live():
			return bad("has not ended", "leave it out until it ends")
		case p != nil && (p.Base+p.Result+p.Integrated+p.Session+p.Template != "" || p.Tested || p.Verified):
			return bad("claims commits or verification", "put that into its extra keys: nothing was checked here")
		}
		seen[f.Run.ID] = true
		for _, name := range slices.Sorted(maps.Keys(f.Files)) {
			if b := f.Files[name]; !slices.Contains(foreignFiles(), name) || len(b) > maxDocument || !utf8.Valid(b) {
				return bad("brings "+model.Quote(name)+", which is too large or not allowed for a run of another system", "leave it out")
			}
		}
		if _, problems := model.DecodeRun(runPath(s.op.UID, f.Run.ID), model.EncodeRun(f.Run)); hasError(problems) {
			return bad("can't be read back: "+problems[0].Reason, problems[0].Hint)
		}
	}
	return nil
}

// checkMoreRuns refuses runs of another system for a task that somebody works on here: they would stand
// among the attempts that a person judges.
func checkMoreRuns(s *step) *model.Refusal {
	runs := model.ArgsOf[model.FieldEdit](&s.op).Runs
	if len(runs) == 0 {
		return nil
	}
	st := &s.task.Status
	if !slices.Contains([]model.State{model.Created, model.ObjectiveDefined, model.PlanDefined}, st.CurrentState) || st.AcceptedPlan != nil || st.CurrentRun != "" {
		return s.refuse(model.CodeRefused, model.GuardImport, "work on it has started here", "runs of other systems must come before the first vespe run")
	}
	return checkForeignRuns(s, runs)
}

// writeForeignRuns writes runs of another system. None of them is later than now, so that a run of
// vespe comes after them.
func writeForeignRuns(s *step, t *model.Task, runs []model.ForeignRun) *model.Refusal {
	past := func(at time.Time) time.Time {
		if at.After(s.op.At) {
			return s.op.At
		}
		return at
	}
	for _, f := range runs {
		b, err := s.o.RunFile(t.UID, f.Run.ID)
		if err != nil && !errors.Is(err, model.ErrNoContent) {
			return s.refuse(model.CodeRefused, model.GuardImport, fmt.Sprintf("can't read the run %s: %v", model.Quote(f.Run.ID), err), "fix its run.json")
		}
		known := err == nil
		if known {
			was, _ := model.DecodeRun(runPath(t.UID, f.Run.ID), b)
			if from, _ := was.Extra.Text(model.ForeignKey); from == "" {
				return s.refuse(model.CodeRefused, model.GuardImport, fmt.Sprintf("the run %s is a vespe run", model.Quote(f.Run.ID)), "give the imported run another id")
			}
		}
		run := f.Run
		run.Started, run.Ended = past(run.Started), past(run.Ended)
		report := new(model.RunReport)
		if run.Report != nil {
			report = boundedReport(run.Report)
		}
		for _, name := range slices.Sorted(maps.Keys(f.Files)) {
			s.write(runFilePath(t.UID, run.ID, name), f.Files[name], false)
		}
		if b, ok := f.Files["changes.patch"]; ok {
			report.Patch = model.HashBytes(b)
		}
		if b, ok := f.Files["verify.json"]; ok {
			report.Evidence = model.HashBytes(b)
		}
		run.Report = report
		s.write(runPath(t.UID, run.ID), model.EncodeRun(run), false)
		if !known {
			t.Status.Runs++
			t.Status.RunSeconds += int(run.Took() / time.Second)
		}
	}
	return nil
}
