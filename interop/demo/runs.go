package demo

import (
	"context"
	"fmt"
	"time"

	"vespe/model"
	"vespe/model/runlog"
)

// trial is an attempt of the story: what lies under persistent/runs/<run>/ of it.
type trial struct {
	key     string
	attempt int // which one at its task
	run     string
	began   time.Time
	at      time.Time // of its last event
	log     []runlog.Event
	report  *runlog.Report

	end *model.RunReport
}

// begin makes the attempt that a start of a task opens.
func (s *story) begin(key string) string {
	n := 1
	if was := s.trial(key); was != nil {
		n = was.attempt + 1
	}
	t := &trial{key: key, attempt: n, run: fmt.Sprintf("run-%s-%d", key, n), began: s.now, at: s.now}
	s.trials = append(s.trials, t)
	return t.run
}

// trial is the attempt at a task that was begun last; nil for none.
func (s *story) trial(key string) *trial {
	for i := len(s.trials) - 1; i >= 0; i-- {
		if s.trials[i].key == key {
			return s.trials[i]
		}
	}
	return nil
}

// after appends an event to the log, some seconds later than the one before.
func (t *trial) after(seconds int, e runlog.Event) *trial {
	t.at = t.at.Add(time.Duration(seconds) * time.Second)
	e.At = t.at
	t.log = append(t.log, e)
	return t
}

func (t *trial) phase(seconds int, p runlog.Phase) *trial {
	return t.after(seconds, runlog.Event{Kind: runlog.KindPhase, Phase: p})
}

func (t *trial) says(seconds int, words string) *trial {
	return t.after(seconds, runlog.Event{Kind: runlog.KindMessage, Text: words})
}

// calls is a call of a tool with its result; name "$" is a command.
func (t *trial) calls(seconds, took int, name, args, result string, exit int) *trial {
	id := fmt.Sprint(len(t.log))
	e := runlog.Event{Kind: runlog.KindTool, Tool: name, ID: id, Text: args}
	switch name {
	case "$":
		e.Kind, e.Tool = runlog.KindCommand, ""
	case "Edit":
		e = runlog.Event{Kind: runlog.KindEdit, ID: id, Path: args}
	}
	t.after(seconds, e)
	e.Done, e.Text, e.Exit, e.Failed = true, result, exit, exit != 0
	return t.after(took, e)
}

func (t *trial) costs(cost float64, in, out int64) *trial {
	return t.after(0, runlog.Event{Kind: runlog.KindCost, Cost: cost, In: in, Out: out})
}

// setUp is how every run begins.
func (t *trial) setUp(base string) *trial {
	return t.phase(0, runlog.PhaseClaim).phase(1, runlog.PhaseSetup).
		after(1, runlog.Event{Kind: runlog.KindNote, Text: "worktree from " + base}).phase(2, runlog.PhaseWork)
}

// verified is how a run ends whose result is checked, at a commit.
func (t *trial) verified(commit string, r runlog.Report) *trial {
	t.phase(8, runlog.PhaseSnapshot).after(1, runlog.Event{Kind: runlog.KindNote, Text: "committed as " + commit}).phase(1, runlog.PhaseVerify)
	for i := range r.Checks {
		c := r.Checks[i]
		t.after(1, runlog.Event{Kind: runlog.KindCheck, Check: &runlog.Evidence{Name: c.Name, Argv: c.Argv, Source: c.Source}})
		t.after(int(c.Millis/1000), runlog.Event{Kind: runlog.KindCheck, Done: true, Check: &c})
	}
	r.Commit = commit
	t.report = &r
	return t
}

// ended is how a run comes to its end, with what its run.json says.
func (t *trial) ended(outcome, why string, p model.RunReport) {
	t.after(1, runlog.Event{Kind: runlog.KindPhase, Phase: runlog.PhaseEnded, Text: outcome})
	p.Why = why
	for _, e := range t.log {
		if e.Kind == runlog.KindPhase && e.Phase != runlog.PhaseEnded {
			p.Phase = string(e.Phase)
		}
		p.Cost, p.In, p.Out = max(p.Cost, e.Cost), max(p.In, e.In), max(p.Out, e.Out)
	}
	if r := t.report; r != nil {
		p.Verified, p.Tested, p.Result = r.OK, r.Tested, r.Commit
		for i, c := range r.Criteria {
			state := map[runlog.Status]string{runlog.Pass: "passed", runlog.Fail: "failed"}[c.Status]
			if state == "" {
				state = "not_run"
			}
			p.Criteria = append(p.Criteria, model.CriterionState{Criterion: i + 1, Text: c.Text, State: state, Evidence: c.By})
		}
	}
	t.end = &p
}

func check(name string, argv []string, source string, status runlog.Status, exit int, millis int64, output string) runlog.Evidence {
	return runlog.Evidence{Name: name, Argv: argv, Source: source, Status: status, Exit: exit, Millis: millis, Output: output, Bytes: int64(len(output))}
}

func goTest(status runlog.Status, exit int, millis int64, output string) runlog.Evidence {
	return check("go test", []string{"go", "test", "./..."}, "detected: go test", status, exit, millis, output)
}

func filesThere() runlog.Evidence {
	return check("files", nil, "files", runlog.Pass, 0, 2, "")
}

// incomeRun is work that waits for a person's verdict, tested.
func (t *trial) incomeRun() {
	t.setUp("4c1f0de").
		says(6, "I read the balance sheet first: the plan says to share its printer.").
		calls(2, 1, "Read", "report/balance.go", "package report\n\n// Balance prints assets, liabilities and equity on a day.\nfunc Balance(w io.Writer, j *ledger.Journal, on time.Time) error {", 0).
		calls(3, 1, "Grep", "func printTree", "report/balance.go:88:func printTree(w io.Writer, n *node, depth int) {", 0).
		says(20, "`printTree` takes a node and a depth, so it can be shared as it is. The fold over postings is new: by account prefix, between two dates.").
		calls(9, 1, "Edit", "report/income.go", "", 0).
		calls(40, 1, "Edit", "report/income_test.go", "", 0).
		costs(0.38, 21_400, 3_900).
		calls(5, 6, "$", "go test ./report", "--- FAIL: TestIncomeEquity (0.00s)\n    income_test.go:61: total 1204.10, change in equity 1204.11\nFAIL\nFAIL\tledgerline/report\t0.031s", 1).
		says(15, "One cent: the last posting of the day was left out because the end is compared with midnight. The end of the range has to be the day after.").
		calls(4, 1, "Edit", "report/income.go", "", 0).
		calls(6, 7, "$", "go test ./report", "ok  \tledgerline/report\t0.034s", 0).
		after(20, runlog.Event{Kind: runlog.KindProgress, Text: "3 of 3 steps of the plan"}).
		costs(0.71, 44_800, 7_200).
		says(3, "Done: the total is checked against equity, and a difference is an error.").
		verified("8ad20c7", runlog.Report{
			OK: true, Tested: true,
			Checks: []runlog.Evidence{
				filesThere(),
				check("go vet", []string{"go", "vet", "./..."}, "verify", runlog.Pass, 0, 2100, ""),
				goTest(runlog.Pass, 0, 6400, "ok  \tledgerline/ledger\t0.212s\nok  \tledgerline/journal\t0.806s\nok  \tledgerline/report\t0.035s\n"),
			},
			Criteria: []runlog.Criterion{
				{Text: "Any two dates", Status: runlog.Pass, By: "go test"},
				{Text: "Totals equal the change in equity", Status: runlog.Pass, By: "go test"},
			},
		}).
		phase(1, runlog.PhaseIntegrate).
		after(2, runlog.Event{Kind: runlog.KindNote, Text: "on vespe/integration as 1b77e02; it waits there for a verdict"}).
		ended("completed", "every check passed", model.RunReport{Template: "claude", Base: "4c1f0de", Integrated: "1b77e02"})
}

// networthRun is work that nothing has tested; it was sent back since.
func (t *trial) networthRun() {
	t.setUp("8ad20c7").
		says(5, "Braille has two columns of dots in a cell, so a line of 80 cells shows 160 months.").
		calls(8, 1, "Edit", "term/spark.go", "", 0).
		calls(30, 1, "Edit", "report/networth.go", "", 0).
		costs(0.22, 12_000, 3_100).
		calls(4, 3, "$", "go build ./...", "", 0).
		says(3, "It builds, and the line looks right for the sample.").
		verified("c0ffee1", runlog.Report{
			OK: true, Why: "no test of what it changes was found",
			Checks: []runlog.Evidence{filesThere(), check("go build", []string{"go", "build", "./..."}, "verify", runlog.Pass, 0, 3300, "")},
			Criteria: []runlog.Criterion{
				{Text: "Each month's end has one number, prices of that day", Status: runlog.NotRun, Why: "nothing checks it"},
				{Text: "Twenty years are drawn in under a second", Status: runlog.NotRun, Why: "nothing checks it"},
				{Text: "`--plain` prints the numbers", Status: runlog.NotRun, Why: "nothing checks it"},
				{Text: "A month without prices should say so", Status: runlog.NotRun, Why: "nothing checks it"},
			},
		}).
		ended("completed", "no test of what it changes was found", model.RunReport{Template: "claude", Base: "8ad20c7"})
}

// fxRuns are three attempts that failed, each for another reason.
func (t *trial) fxRun(attempt int) {
	t.setUp("8ad20c7")
	if attempt > 1 {
		t.after(0, runlog.Event{Kind: runlog.KindNote, Text: fmt.Sprintf("attempt %d of 3: the prompt holds what came of those before", attempt)})
	}
	fails := []struct{ says, out, why string }{
		{"The ECB's file has one `Cube` for each day. I keep the file, and look the date up.", "--- FAIL: TestOffline (0.02s)\n    fx_test.go:88: date = 2025-03-11, want 2025-03-10\nFAIL\nFAIL\tledgerline/currency\t0.044s\n", "go test failed, exit 1: TestOffline got today's date for yesterday's rate"},
		{"The date comes from the file now, and no longer from the clock.", "--- FAIL: TestHoliday (0.00s)\n    fx_test.go:103: no rate for 2025-12-26\nFAIL\nFAIL\tledgerline/currency\t0.040s\n", "go test failed, exit 1: no rate on bank holidays"},
		{"I walk back until a day has a rate, at most ten days.", "--- FAIL: TestCache (0.01s)\n    fx_test.go:130: cached under 2025-12-27, want 2025-12-24\n--- FAIL: TestOffline (0.02s)\nFAIL\nFAIL\tledgerline/currency\t0.047s\n", "go test failed, exit 1: two of nine tests; the cache has the new date"},
	}
	f := fails[attempt-1]
	t.says(9, f.says).
		calls(4, 1, "Read", "currency/ecb.go", "package currency\n", 0).
		calls(30, 1, "Edit", "currency/ecb.go", "", 0).
		costs(0.19*float64(attempt), 9_000, 2_000).
		says(6, "I am done.").
		verified(fmt.Sprintf("fx%05d", attempt), runlog.Report{
			Tested: true, Why: f.why, Checks: []runlog.Evidence{filesThere(), goTest(runlog.Fail, 1, 4100, f.out)},
		}).
		after(0, runlog.Event{Kind: runlog.KindError, Text: f.why})
	t.ended("error", f.why, model.RunReport{Template: "codex", Base: "8ad20c7"})
}

// localeRun is under way.
func (t *trial) localeRun() {
	t.setUp("1b77e02").
		says(4, "Two readings of `03/04/2025` fit until a line has a day above 12. I guess from all lines at once.").
		calls(3, 1, "Read", "importer/csv.go", "package importer\n\n// Load reads a bank's export.\nfunc Load(r io.Reader) ([]Line, error) {", 0).
		calls(4, 1, "$", "ls testdata/banks", "ing.csv\nn26.csv\npostbank.csv\nsparkasse.csv", 0).
		says(8, "Four of the twelve samples are here; the others are made by the test.").
		calls(12, 1, "Edit", "importer/locale.go", "", 0).
		costs(0.16, 8_800, 1_700).
		after(5, runlog.Event{Kind: runlog.KindCommand, ID: "tests", Text: "go test ./importer -run Locale"})
}

// prompt is what the worker was given.
func (t *trial) prompt(task *model.Task, plan string) string {
	out := "# Task: " + task.Config.Name + "\n\nWork in this worktree. Leave the plan's limits alone, and ask where it is not clear.\n\n## The approved plan\n\n" + plan
	if task.Spec != nil && len(task.Spec.AcceptanceCriteria) > 0 {
		out += "\n## Done when\n\n"
		for _, c := range task.Spec.AcceptanceCriteria {
			out += "- " + c.Text + "\n"
		}
	}
	return out
}

// keepRuns writes the files of the attempts of the story.
func (s *story) keepRuns(ctx context.Context, to Store) error {
	snap, err := to.Refresh(ctx)
	if err != nil {
		return err
	}
	for _, t := range s.trials {
		if len(t.log) == 0 {
			continue
		}
		uid := s.uid(t.key)
		files := map[string][]byte{}
		for _, e := range t.log {
			files["output.jsonl"] = append(files["output.jsonl"], e.Line()...)
		}
		if task, ok := snap.Task(uid); ok {
			files["prompt.md"] = []byte(t.prompt(task, s.planned(uid)))
		}
		if t.report != nil {
			files["verify.json"] = t.report.Encode()
		}
		if b, err := texts.ReadFile("texts/" + t.run + ".patch"); err == nil {
			files["changes.patch"] = b
		}
		for name, b := range files {
			if err := to.WriteRunFile(ctx, uid, t.run, name, b); err != nil {
				return fmt.Errorf("%s of %s: %w", name, t.run, err)
			}
		}
	}
	return nil
}
