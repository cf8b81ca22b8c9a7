package write

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/distill"
	"vespe/model/reflection"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// reflectObject is `reflect --json`.
type reflectObject struct {
	Days        int                `json:"days"`
	Runs        int                `json:"runs"`     // that ended in these days
	Verdicts    int                `json:"verdicts"` // that were given
	Suggestions []suggestionObject `json:"suggestions"`
	Hash        string             `json:"hash"` // of all this: what --seen names
	Warnings    []string           `json:"warnings,omitempty"`
	// What was done, with --apply or --decline.
	Seq      uint64 `json:"seq,omitempty"`
	Applied  int    `json:"applied"`
	Declined int    `json:"declined"`
}

// suggestionObject is one change that is proposed; Diff is what it alone would change.
type suggestionObject struct {
	N     int    `json:"n"`
	Key   string `json:"key"`
	Title string `json:"title"`
	Why   string `json:"why"`
	Diff  string `json:"diff"`
}

// maxDays is how far back --days reaches.
const maxDays = 3650

type reflectFlags struct {
	days           int
	apply, decline []string
	seen           string
}

// reflecting is what one call of reflect is about.
type reflecting struct {
	guidelines, rules []byte
	list              []distill.Suggestion
	obj               reflectObject
}

func (a *app) reflectVerb() *cobra.Command {
	var f reflectFlags
	c := &cobra.Command{
		Use: "reflect", Short: "Suggest guidelines and rules from rejections and failures",
		Long: "Suggest changes from rejected reviews and failed runs: lines for .vespe/guidelines.txt, which\n" +
			"workers and planners read, and rules for .vespe/rules/priority.yml. Reasons with the same words,\n" +
			"commands that failed, and labels whose tasks were escalated count from the third time on.\n\n" +
			"Nothing changes without a person's approval: a terminal asks about each one, and scripts name what\n" +
			"they saw. Accepted and declined proposals are not made again.",
		Example: "  vespe store reflect\n  vespe store reflect --days 7 --json\n  vespe store reflect --apply 1,3 --decline 2 --seen sha256-3b1f",
		GroupID: "store", Args: core.Between(0, 0),
	}
	c.Flags().IntVar(&f.days, "days", 30, "how many days to look back")
	c.Flags().StringSliceVar(&f.apply, "apply", nil, "accept these proposals by number, or all")
	c.Flags().StringSliceVar(&f.decline, "decline", nil, "decline these proposals by number, or all; they are not proposed again")
	c.Flags().StringVar(&f.seen, "seen", "", "the hash of the proposals that you saw, from --json; fails if they have changed")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		decides := len(f.apply)+len(f.decline) > 0
		switch {
		case f.days < 1 || f.days > maxDays:
			return core.Usagef("--days must be a number from 1 to %d", maxDays)
		case decides && f.seen == "":
			return core.Usagef("--seen is missing: the numbers of the proposals may have changed")
		case !decides && f.seen != "":
			return core.Usagef("--seen needs --apply or --decline")
		}
		return a.reflect(cmd.Context(), f)
	}
	return c
}

func (a *app) reflect(ctx context.Context, f reflectFlags) error {
	s, snap, err := a.Load(ctx)
	if err != nil {
		return err
	}
	r, err := a.reflections(ctx, s, snap, f.days)
	if err != nil {
		return err
	}
	asks := a.StdinTerminal && a.StderrTerminal && !a.JSON && len(f.apply)+len(f.decline) == 0 && s.ReadOnly() == ""
	var accept, decline []int
	switch {
	case len(f.apply)+len(f.decline) > 0:
		if err := a.GuardPerson(model.EditGuidance, "", "", false); err != nil {
			return err
		}
		if f.seen != r.obj.Hash {
			return &model.Refusal{
				Code: model.CodeConflict, Op: model.EditGuidance, Guard: model.GuardGuidance, Why: "the proposals have changed since they were seen", Hint: "`vespe store reflect` shows them",
			}
		}
		if accept, err = numbers("apply", f.apply, len(r.list)); err != nil {
			return err
		}
		if decline, err = numbers("decline", f.decline, len(r.list)); err != nil {
			return err
		}
	case asks && len(r.list) > 0:
		if err := a.GuardPerson(model.EditGuidance, "", "", false); err != nil {
			return err
		}
		if accept, decline = a.askEach(r); len(accept)+len(decline) == 0 {
			fmt.Fprintln(a.Stdout, "Nothing was changed.")
			return nil
		}
	default:
		return a.printReflect(r)
	}
	return a.decide(ctx, s, r, accept, decline)
}

// reflections gathers what happened, and proposes.
func (a *app) reflections(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, days int) (*reflecting, error) {
	all, problems, err := s.Reflections(ctx, a.Now().Add(-time.Duration(days)*24*time.Hour))
	if err != nil {
		return nil, err
	}
	r := &reflecting{obj: reflectObject{Days: days, Suggestions: []suggestionObject{}}}
	for _, p := range problems {
		r.obj.Warnings = append(r.obj.Warnings, fmt.Sprintf("%s: line %d: %s", p.Path, p.Line, p.Reason))
	}
	for i := range all {
		if all[i].Kind == reflection.OfRun {
			r.obj.Runs++
		} else {
			r.obj.Verdicts++
		}
	}
	if r.guidelines, err = s.GuidanceFile(ctx, model.GuidelinesFile); err != nil {
		return nil, err
	}
	if r.rules, err = s.GuidanceFile(ctx, model.PriorityFile); err != nil {
		return nil, err
	}
	decided, err := s.Decided(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", model.ProposalsFile, err)
	}
	var keys []string
	for _, d := range decided {
		keys = append(keys, d.Key)
	}
	if err := r.count(ctx, s, snap, all, keys); err != nil {
		return nil, err
	}
	r.describe()
	return r, nil
}

// count proposes by counting.
func (r *reflecting) count(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, all []reflection.Line, decided []string) error {
	failed, err := s.FailedChecks(ctx, all)
	if err != nil {
		return err
	}
	list := distill.Suggest(distill.Input{
		Reflections: all, Failed: failed, Guidelines: r.guidelines, Rules: r.rules, Decided: decided,
		Task: func(uid model.UID) *model.Task {
			t, _ := snap.Task(uid)
			return t
		},
	})
	for _, one := range list {
		if _, _, err := distill.Apply(r.guidelines, r.rules, []distill.Suggestion{one}); err != nil {
			r.obj.Warnings = append(r.obj.Warnings, fmt.Sprintf("not proposed: %s: %v", one.Title, err))
			continue
		}
		r.list = append(r.list, one)
	}
	return nil
}

// describe fills in what is printed.
func (r *reflecting) describe() {
	whole := string(r.guidelines) + "\x00" + string(r.rules)
	for i := range r.list {
		one := &r.list[i]
		g, p, err := distill.Apply(r.guidelines, r.rules, r.list[i:i+1])
		if err != nil {
			continue // it was tried before
		}
		r.obj.Suggestions = append(r.obj.Suggestions, suggestionObject{
			N: i + 1, Key: one.Key, Title: one.Title, Why: one.Why, Diff: r.diff(g, p),
		})
		whole += "\x00" + one.Key
	}
	r.obj.Hash = model.HashBytes([]byte(whole))
}

func (r *reflecting) diff(guidelines, rules []byte) string {
	name := func(prefix, file string) string { return prefix + "/" + store.Name + "/" + file }
	var out string
	for _, f := range []struct {
		file    string
		was, is []byte
	}{{model.GuidelinesFile, r.guidelines, guidelines}, {model.PriorityFile, r.rules, rules}} {
		out += core.Unified(name("a", f.file), name("b", f.file), string(f.was), string(f.is))
	}
	return out
}

// numbers are those of a flag, from 0.
func numbers(flag string, given []string, n int) ([]int, error) {
	var out []int
	for _, word := range given {
		if word == "all" {
			for i := range n {
				out = append(out, i)
			}
			continue
		}
		k, err := strconv.Atoi(word)
		if err != nil || k < 1 || k > n {
			return nil, core.Usagef("--%s %s: there are %d proposals, numbered from 1", flag, word, n)
		}
		out = append(out, k-1)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func (a *app) printReflect(r *reflecting) error {
	if a.JSON {
		return core.WriteJSON(a.Stdout, r.obj)
	}
	fmt.Fprintln(a.Stdout, r.summary())
	for i := range r.obj.Suggestions {
		fmt.Fprintln(a.Stdout)
		a.printSuggestion(&r.obj.Suggestions[i])
	}
	if len(r.list) > 0 {
		fmt.Fprintf(a.Stdout, "\n"+
			"Accept or decline them at a terminal, or with --apply, --decline and --seen %s\n", r.obj.Hash)
	}
	a.PrintWarnings(r.obj.Warnings)
	return nil
}

func (r *reflecting) summary() string {
	what := core.Counted(len(r.list), "proposal", "proposals")
	if len(r.list) == 0 {
		what = "no proposals"
	}
	return fmt.Sprintf("%s and %s in %s: %s", core.Counted(r.obj.Verdicts, "verdict", "verdicts"), core.Counted(r.obj.Runs, "run", "runs"),
		core.Counted(r.obj.Days, "day", "days"), what)
}

func (a *app) printSuggestion(s *suggestionObject) {
	fmt.Fprintf(a.Stdout, "%d. %s\n   %s\n", s.N, visible.Line(s.Title), visible.Line(s.Why))
	for line := range strings.Lines(s.Diff) {
		fmt.Fprintln(a.Stdout, "   "+visible.Line(strings.TrimRight(line, "\r\n")))
	}
}

// askEach shows each proposal as a diff and asks what is to become of it.
func (a *app) askEach(r *reflecting) (accept, decline []int) {
	out := a.Stdout
	a.Stdout = a.Stderr
	defer func() { a.Stdout = out }()
	fmt.Fprintln(a.Stderr, r.summary())
	in := bufio.NewReader(a.Stdin)
	for i := range r.obj.Suggestions {
		fmt.Fprintln(a.Stderr)
		a.printSuggestion(&r.obj.Suggestions[i])
		fmt.Fprint(a.Stderr, "Accept it? y(es)/d(ecline for good)/N ")
		answer, err := in.ReadString('\n')
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes":
			accept = append(accept, i)
		case "d", "decline":
			decline = append(decline, i)
		}
		if err != nil {
			fmt.Fprintln(a.Stderr)
			break
		}
	}
	return accept, decline
}

// decide writes what was accepted, and remembers all that was decided.
func (a *app) decide(ctx context.Context, s *store.Store, r *reflecting, accept, decline []int) error {
	actor, err := a.Writer()
	if err != nil {
		return err
	}
	g := &model.Guidance{}
	var chosen []distill.Suggestion
	for _, i := range accept {
		if slices.Contains(decline, i) {
			return core.Usagef("%d is both accepted and declined", i+1)
		}
		chosen = append(chosen, r.list[i])
		g.Decided = append(g.Decided, model.Proposed{Key: r.list[i].Key, Title: r.list[i].Title, Accepted: true})
	}
	for _, i := range decline {
		g.Decided = append(g.Decided, model.Proposed{Key: r.list[i].Key, Title: r.list[i].Title})
	}
	if len(g.Decided) == 0 {
		return core.Usagef("there are no proposals to accept or decline")
	}
	guidelines, rules, err := distill.Apply(r.guidelines, r.rules, chosen)
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name    string
		was, is []byte
	}{{model.GuidelinesFile, r.guidelines, guidelines}, {model.PriorityFile, r.rules, rules}} {
		if string(f.was) == string(f.is) {
			continue
		}
		file := model.GuidanceFile{Name: f.name, Body: f.is}
		if f.was != nil {
			file.Was = model.HashBytes(f.was)
		}
		g.Files = append(g.Files, file)
	}
	applied, err := s.Do(ctx, model.Op{Name: model.EditGuidance, Actor: actor, Args: *g})
	if err != nil {
		return err
	}
	a.Wrote = true
	r.obj.Seq, r.obj.Applied, r.obj.Declined = applied.Seq, len(accept), len(decline)
	r.obj.Warnings = append(r.obj.Warnings, core.WarningsOf(applied)...)
	if a.JSON {
		return core.WriteJSON(a.Stdout, r.obj)
	}
	fmt.Fprintf(a.Stdout, "%s: %d accepted, %d declined\n", visible.Line(applied.Change.Summary), len(accept), len(decline))
	a.PrintWarnings(r.obj.Warnings)
	return nil
}
