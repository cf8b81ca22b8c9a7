package admin

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/store"
)

func (a *app) gcVerb() *cobra.Command {
	var keep string
	var dryRun bool
	c := &cobra.Command{
		Use: "gc", Short: "Compact the log: old entries, their bodies, leftovers",
		Long: "Replace old log entries with a base that records what they did to each file. Tasks,\n" +
			"history and revisions stay as they are. Operations can no longer be repeated with\n" +
			"an old id. `vespe task at` stays exact from the base on. Earlier states are reconstructed\n" +
			"from the events of the tasks, and the output says so. The last hundred entries always stay.",
		Example: "  vespe store gc --dry-run\n  vespe store gc --keep 30d\n  vespe store gc --keep 0 --json",
		GroupID: "store", Args: core.Between(0, 0),
	}
	c.Flags().StringVar(&keep, "keep", "90d", "keep entries newer than this: 90d, 12h, 0")
	c.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "show what would be removed, without changes")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		young, err := parseKeep(keep)
		if err != nil {
			return err
		}
		return a.gc(cmd.Context(), store.GCOptions{Keep: young, DryRun: dryRun})
	}
	return c
}

// parseKeep reads a duration as Go does, or in days.
func parseKeep(text string) (time.Duration, error) {
	d, err := core.ParseAgo(text)
	if err != nil {
		return 0, core.Usagef("--keep is %q; it must be a duration such as 90d, 12h or 0", text)
	}
	return d, nil
}

func (a *app) gc(ctx context.Context, o store.GCOptions) error {
	s, err := a.Open()
	if err != nil {
		return err
	}
	ctx, stop := core.Interruptible(ctx)
	defer stop()
	if !o.DryRun {
		a.PrintWarnings(s.RecordGit(ctx)) // what is not recorded yet could not be anymore
	}
	r, err := s.GC(ctx, o)
	if err != nil {
		return err
	}
	if a.JSON {
		return core.WriteJSON(a.Stdout, struct {
			Entries   int    `json:"entries"`
			Through   uint64 `json:"through"`
			Objects   int    `json:"objects"`
			Leftovers int    `json:"leftovers"`
			Bytes     int64  `json:"bytes"`
			DryRun    bool   `json:"dry_run,omitempty"`
		}{r.Entries, r.Through, r.Objects, r.Leftovers, r.Bytes, o.DryRun})
	}
	if r.Entries+r.Objects+r.Leftovers == 0 {
		fmt.Fprintln(a.Stdout, "Nothing to remove.")
		return nil
	}
	verb := "removed"
	if o.DryRun {
		verb = "would remove"
	}
	fmt.Fprintf(a.Stdout, "%s %d log entries, %d bodies and %d leftovers: %s\n", verb, r.Entries, r.Objects, r.Leftovers, size(r.Bytes))
	return nil
}

// size is a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
