package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/interop/records"
	"vespe/model"
	"vespe/model/visible"
)

func (a *app) exportVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "export [UID…]", Short: "Export tasks to another system",
		Long: "Print all tasks, or the ones you name, in another system's format. Imported tasks keep their\n" +
			"original form, with later changes. What the format can't hold is listed on\n" +
			"standard error.\n\n" + formatsHelp(func(f *records.Format) []string { return f.Writes }),
		Example: "  vespe store export --format tasks-spec > tasks.json\n  vespe store export --format tasks-spec --lines 3f9a1c\n" +
			"  vespe store export --format vespe-upstream --output DIR",
		GroupID: "store", Args: core.Between(0, math.MaxInt),
	}
	format := formatFlag(c, exports())
	output := c.Flags().StringP("output", "o", "", "write to a new file or directory instead of standard output")
	lines := c.Flags().Bool("lines", false, "one task per line (JSONL) instead of a list")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if *format == "" {
			return core.Usagef("--format is missing; the formats are %s", strings.Join(formatNames(exports()), ", "))
		}
		f, err := formatNamed(*format, exports())
		if err != nil {
			return err
		}
		if *lines && a.JSON {
			return core.Usagef("--lines and --json can't be combined")
		}
		if *lines && *output != "" || f.Save != nil && (*lines || *output == "") {
			if f.Save != nil {
				return core.Usagef("%s is a directory: use --output DIR without --lines", f.Name)
			}
			return core.Usagef("--lines and --output can't be combined")
		}
		return a.export(cmd.Context(), f, args, *lines, *output)
	}
	return c
}

// export prints the tasks, or writes them to a path where one is given.
func (a *app) export(ctx context.Context, f *records.Format, refs []string, lines bool, output string) error {
	s, snap, err := a.Load(ctx)
	if err != nil {
		return err
	}
	var tasks []int
	uids, err := core.FindAll(snap, refs)
	if err != nil {
		return err
	}
	for _, uid := range uids {
		i, _ := snap.Index(uid)
		tasks = append(tasks, i)
	}
	if len(refs) == 0 {
		for i := range snap.Len() {
			tasks = append(tasks, i)
		}
	}
	x, report, err := f.Export(ctx, s, snap, tasks)
	if err != nil {
		return err
	}
	if output != "" {
		if err := a.save(ctx, f, x, output); err != nil {
			return err
		}
		report.NotCarried = append(report.NotCarried, x.Lost.Finish().NotCarried...)
	}
	if a.JSON {
		out := exportObject{Format: f.Name, Output: output, Count: len(x.Records), NotCarried: append([]string{}, report.NotCarried...)}
		if output == "" {
			out.Tasks = list(x.Records)
			if f.Whole != nil {
				out.Document = f.Value(x)
			}
		}
		return core.WriteJSON(a.Stdout, out)
	}
	for _, line := range report.NotCarried {
		fmt.Fprintln(a.Stderr, "note: "+visible.Line(line))
	}
	switch {
	case output != "":
		fmt.Fprintf(a.Stdout, "Exported %s to %s\n", model.Plural(report.Created, "task", "tasks"), visible.Line(output))
		return nil
	case !lines:
		return core.WriteJSON(a.Stdout, json.RawMessage(f.Value(x)))
	}
	for _, r := range list(x.Records) {
		if _, err := fmt.Fprintln(a.Stdout, visible.JSON(string(r))); err != nil {
			return err
		}
	}
	return nil
}

type exportObject struct {
	Format     string            `json:"format"`
	Output     string            `json:"output,omitempty"`
	Count      int               `json:"count"`
	Tasks      []json.RawMessage `json:"tasks,omitzero"`
	Document   json.RawMessage   `json:"document,omitzero"` // what holds the tasks, where that is no list
	NotCarried []string          `json:"not_carried"`
}

func list(all []model.Extra) []json.RawMessage {
	out := make([]json.RawMessage, len(all))
	for i, r := range all {
		out[i] = model.ObjectField("", r).Value
	}
	return out
}

// save writes an export to a path where nothing is yet.
func (a *app) save(ctx context.Context, f *records.Format, x records.Exported, name string) error {
	file := core.Absolute(a.Dir, name)
	if _, err := os.Lstat(file); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return core.Usagef("%s already exists: choose another name, or remove it", name)
	}
	if f.Save != nil {
		return f.Save(ctx, file, x)
	}
	return records.WriteFile(file, func(w *os.File) error { return core.WriteJSON(w, json.RawMessage(f.Value(x))) })
}
