package lifecycle

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// confirmVerb is `vespe plan confirm`: one command, and one question, for any number of acceptances.
func (a *app) confirmVerb() *cobra.Command {
	var dryRun bool
	c := &cobra.Command{
		Use: "confirm [UID...]", Short: "Confirm unsigned acceptances from another clone",
		Long: "Confirm acceptances that were given in another clone without a signature that you trust.\n\n" +
			"Without UID it confirms all of them. Tasks with medium or high risk are confirmed one at a time,\n" +
			"by UID. Each becomes an acceptance by you, of the same bytes. If the bytes have changed since, it\n" +
			"fails.\n\n" +
			"Who:  a person at a terminal\n\n" +
			"An acceptance signed with a key of your allowed signers needs no confirmation.",
		Example: "  vespe plan confirm\n  vespe plan confirm 3f9a1c", GroupID: "plan", Args: cobra.ArbitraryArgs,
		ValidArgsFunction: a.CompleteTask(1),
	}
	c.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "show what would happen, without changes")
	c.RunE = func(cmd *cobra.Command, args []string) error { return a.confirmUnsigned(cmd.Context(), args, dryRun) }
	return c
}

func (a *app) confirmUnsigned(ctx context.Context, args []string, dryRun bool) error {
	actor, s, snap, err := a.Begin(ctx)
	if err != nil {
		return err
	}
	uids, alone := snap.ToConfirm()
	if len(args) > 0 {
		uids, alone = nil, nil
		for _, arg := range args {
			uid, err := snap.Find(arg)
			if err != nil {
				return err
			}
			t, _ := snap.Task(uid)
			if why := snapshot.OneAtATime(t); why != "" && len(args) > 1 {
				return &model.Refusal{
					Code: model.CodeRefused, UID: uid, Task: t.Config.Name, Guard: "elsewhere", Why: why,
					Hint: "vespe plan confirm " + uid.Short() + "; nothing was changed",
				}
			}
			uids = append(uids, uid)
		}
	}
	if len(uids) > 0 {
		t, _ := snap.Task(uids[0])
		if err := a.GuardPerson("confirm", uids[0], t.Config.Name, dryRun); err != nil {
			return err
		}
	}
	ops, refused := a.confirmations(ctx, s, snap, uids, actor)
	if len(refused) > 0 && len(args) > 0 {
		return refused[0]
	}
	if err := a.confirmAll(ctx, s, snap, ops, dryRun); err != nil {
		return err
	}
	for _, err := range refused {
		fmt.Fprintln(a.Stderr, "not confirmed: "+visible.Line(core.Explain(err)))
	}
	for _, uid := range alone {
		t, _ := snap.Task(uid)
		fmt.Fprintf(a.Stderr, "not confirmed: %s: %s: vespe plan confirm %s\n", visible.Line(core.Title(t)), visible.Line(snapshot.OneAtATime(t)), uid.Short())
	}
	if len(refused) > 0 {
		return &core.Shown{Code: core.ExitCode(refused[0])}
	}
	return nil
}

// confirmations are the operations that confirm tasks, each tried on the bytes of now; refused says why others aren't.
func (a *app) confirmations(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, uids []model.UID, by model.Actor) (ops []model.Op, refused []error) {
	for _, uid := range uids {
		op, err := s.Confirmation(ctx, uid)
		if err == nil {
			op.Actor, op.At = by, a.Now()
			_, err = lifecycle.Apply(a.World(ctx, snap, s), op)
		}
		if err != nil {
			refused = append(refused, err)
			continue
		}
		ops = append(ops, op)
	}
	return ops, refused
}

// confirmAll asks, signs each where the person has a key, and does all of them in one transaction.
func (a *app) confirmAll(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, ops []model.Op, dryRun bool) error {
	if len(ops) == 0 {
		fmt.Fprintln(a.Stdout, "Nothing to confirm.")
		return nil
	}
	out := a.Stdout
	acceptances := model.Plural(len(ops), "acceptance", "acceptances")
	asks := !dryRun && a.Asks()
	if asks {
		out = a.Stderr
	}
	if dryRun || asks {
		for i := range ops {
			t, _ := snap.Task(ops[i].UID)
			what := "plan"
			if ops[i].Name == model.ReviewAccepted {
				what = "work"
			}
			fmt.Fprintf(out, "  %s  %s  %s: %s\n", t.UID.Short(), what, visible.Line(core.Title(t)), t.ElsewhereWords())
		}
	}
	if dryRun {
		return nil
	}
	if asks {
		if err := a.Confirm("confirm", "Confirm "+acceptances+"?"); err != nil {
			return err
		}
	}
	id := make([]byte, 16)
	if _, err := io.ReadFull(a.Rand, id); err != nil {
		return err
	}
	for i := range ops {
		ops[i].ID = fmt.Sprintf("op-%s.%d", hex.EncodeToString(id), i)
		if err := a.Sign(ctx, s, snap, &ops[i]); err != nil {
			return err
		}
	}
	applied, err := s.DoAll(ctx, ops)
	if err != nil {
		return err
	}
	a.Wrote = true
	if a.JSON {
		return a.Report(applied, ops[0].UID)
	}
	fmt.Fprintln(a.Stdout, "Confirmed "+acceptances+".")
	a.PrintWarnings(core.WarningsOf(applied))
	return nil
}
