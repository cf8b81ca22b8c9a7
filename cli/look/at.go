package look

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/progress"
	"vespe/model/visible"
	"vespe/store"
)

const dateLayout = "2006-01-02"

func (a *app) atVerb() *cobra.Command {
	var limit int
	c := &cobra.Command{
		Use: "at TIME ls|tree|show [ARG…]", Short: "Show tasks as they were at a given time",
		Long: "Show tasks as they were: ls with a filter, tree with or without a task, show with a task.\n\n" +
			"TIME is a date, a time, or both (2026-11-14, 15:04, \"2026-11-14 15:04\", RFC 3339), a duration\n" +
			"ago (2h, 3d, \"2h ago\"), yesterday, or a log entry (seq:42). A date alone means the end of that\n" +
			"day.\n\n" +
			"The answer comes from the log and is exact for each of its entries. Tasks from before the clone\n" +
			"was made are reconstructed from their events and revisions. Standard error says how many, and\n" +
			"as_of.pieced of --json says which. A future time means now.",
		Example: "  vespe task at yesterday tree\n  vespe task at \"2026-11-14 15:04\" show 3f9a1c\n  vespe task at 2h ls is:review\n  vespe task at seq:42 tree --json",
		GroupID: "task", Args: core.Between(2, core.AnyNumber), ValidArgsFunction: a.completeAt,
	}
	c.Flags().IntVar(&limit, "limit", 0, "with ls: maximum number of tasks; 0 means all")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if args[1] != "ls" && cmd.Flags().Changed("limit") {
			return core.Usagef("--limit works only with `vespe task at TIME ls`")
		}
		return a.at(cmd.Context(), args, limit)
	}
	return c
}

func (a *app) completeAt(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	switch {
	case len(args) == 0:
		return []string{"yesterday", "1h", "1d", "7d", "seq:"}, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	case len(args) == 1:
		return []string{"ls", "tree", "show"}, cobra.ShellCompDirectiveNoFileComp
	case args[1] == "ls":
		return core.CompleteFilter(cmd, args[2:], word)
	}
	return a.CompleteTask(1)(cmd, args[2:], word)
}

func (a *app) at(ctx context.Context, args []string, limit int) error {
	text, verb, args := args[0], args[1], args[2:]
	if most := map[string]int{"ls": core.AnyNumber, "tree": 1, "show": 1}[verb]; most == 0 {
		return core.Usagef("`vespe task at TIME` needs ls, tree or show, not %q", verb)
	} else if len(args) > most || verb == "show" && len(args) == 0 {
		return core.Usagef("`vespe task at TIME %s` takes %s; see `vespe task at --help`", verb, map[string]string{"tree": "one task or none", "show": "one task"}[verb])
	}
	now := a.Now()
	seq, when, err := parseWhen(text, now)
	if err != nil {
		return err
	}
	s, err := a.Open()
	if err != nil {
		return err
	}
	var p *store.Past
	switch {
	case seq > 0:
		p, err = s.Past().AtSeq(ctx, seq)
	case !when.Before(now): // also the end of today
		p, err = s.Past().Present(ctx)
	default:
		p, err = s.Past().At(ctx, when)
	}
	if err != nil {
		return err
	}
	a.Past = true
	if err := a.withMoment(p, func() error { return a.printPast(ctx, p, verb, args, limit) }); err != nil {
		return listedThen(err, text)
	}
	if named := strings.TrimSpace(text); when.After(p.At) && named != "today" {
		fmt.Fprintf(a.Stderr, "%s is in the future; showing the current state\n", visible.Line(named))
	}
	a.sayWhen(p)
	core.WriteProblems(a.Stderr, p.Problems)
	return nil
}

// pastObject is of when an answer is, and how sure.
type pastObject struct {
	At     time.Time `json:"at"`
	Seq    uint64    `json:"seq"`    // the last entry of the log until then; 0: before the log
	Pieced []string  `json:"pieced"` // tasks that are pieced together from their events

	Problems []core.ProblemObject `json:"problems,omitempty"` // entries that cannot be read
}

// withMoment puts of when it is before what else a JSON object says.
func (a *app) withMoment(p *store.Past, do func() error) error {
	if !a.JSON {
		return do()
	}
	o := pastObject{At: p.At.UTC(), Seq: p.Seq, Pieced: make([]string, len(p.Pieced)), Problems: core.ProblemObjects(p.Problems)}
	for i, uid := range p.Pieced {
		o.Pieced[i] = string(uid)
	}
	out := a.Stdout
	var body bytes.Buffer
	a.Stdout = &body
	err := do()
	a.Stdout = out
	if err != nil {
		return err // which is the answer: nothing half printed stands before it
	}
	rest, object := bytes.CutPrefix(body.Bytes(), []byte("{"))
	if !object {
		_, err = out.Write(body.Bytes())
		return err
	}
	moment, err := json.MarshalIndent(o, "  ", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "{\n  \"as_of\": %s,%s", moment, rest)
	return err
}

// listedThen names, to who asked for a task that is not there, the list of then.
func listedThen(err error, when string) error {
	var r *model.Refusal
	if !errors.As(err, &r) || r.Code != model.CodeNotFound {
		return err
	}
	if strings.ContainsAny(when, " \t") {
		when = strconv.Quote(when)
	}
	told := *r
	told.Hint = strings.ReplaceAll(r.Hint, "`vespe ls`", "`vespe task at "+when+" ls`")
	return &told
}

func (a *app) printPast(ctx context.Context, p *store.Past, verb string, args []string, limit int) error {
	switch verb {
	case "ls":
		_, err := a.list(p.Snapshot, args, limit)
		return err
	case "tree":
		roots, err := rootsOf(p.Snapshot, args)
		if err != nil {
			return err
		}
		return a.PrintTree(p.Snapshot, roots, nil)
	}
	uid, err := p.Snapshot.Find(args[0])
	if err != nil {
		return err
	}
	i, _ := p.Snapshot.Index(uid)
	return a.show(ctx, pastDocuments{p}, p.Snapshot, i)
}

// sayWhen says, beside the answer, of when it is and how sure.
func (a *app) sayWhen(p *store.Past) {
	line := "as of " + p.At.In(a.Now().Location()).Format("2006-01-02 15:04:05 -0700")
	switch {
	case p.Seq > 0:
		line += fmt.Sprintf(", entry %d of the log", p.Seq)
	case p.Snapshot.Len() > 0:
		line += ", before the log"
	}
	if n := len(p.Pieced); n > 0 {
		line += fmt.Sprintf("; %d of %d tasks are reconstructed from their events", n, p.Snapshot.Len())
	}
	fmt.Fprintln(a.Stderr, line)
}

// pastDocuments are the documents of then. What results there were nobody keeps.
type pastDocuments struct{ *store.Past }

// Results is nothing.
func (pastDocuments) Results(context.Context, model.UID) ([]model.ResultFile, error) { return nil, nil }

// WorkReport is the report on work that was done then.
func (p pastDocuments) WorkReport(ctx context.Context, t *model.Task) (*progress.WorkReport, error) {
	events, _, err := p.History(ctx, t.UID)
	return progress.ReportOf(t, events), err
}

// ReadResult finds nothing.
func (pastDocuments) ReadResult(context.Context, model.UID, string, int64) ([]byte, error) {
	return nil, model.ErrNoContent
}

// parseWhen reads a moment: an entry of the log, or a time in now's zone.
func parseWhen(text string, now time.Time) (seq uint64, when time.Time, err error) {
	text = strings.TrimSpace(text)
	if digits, ok := strings.CutPrefix(text, "seq:"); ok {
		if seq, err = strconv.ParseUint(digits, 10, 64); err != nil || seq == 0 {
			return 0, when, core.Usagef("%q is not a log entry: write seq: and a positive number", text)
		}
		return seq, when, nil
	}
	day := func(t time.Time) time.Time { // until its end
		return time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, t.Location()).Add(-time.Nanosecond)
	}
	switch text {
	case "now":
		return 0, now, nil
	case "today":
		return 0, day(now), nil
	case "yesterday":
		return 0, day(now.AddDate(0, 0, -1)), nil
	}
	if ago, err := core.ParseAgo(strings.TrimSpace(strings.TrimSuffix(text, "ago"))); err == nil {
		return 0, now.Add(-ago), nil
	}
	if t, err := time.ParseInLocation(dateLayout, text, now.Location()); err == nil {
		return 0, day(t), nil
	}
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04",
		"2006-01-02 15:04:05 -0700", "2006-01-02 15:04 -0700",
	} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return 0, t, nil
		}
	}
	for _, layout := range []string{"15:04:05", "15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			return 0, time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), t.Second(), 0, now.Location()), nil
		}
	}
	return 0, when, core.Usagef("%q is not a time: write 2026-11-14, \"2026-11-14 15:04\", 15:04, 2h, 3d, yesterday or seq:42", text)
}
