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
	"vespe/store"
	"vespe/store/git"
)

func (a *app) exportVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "export [UID…]", Short: "Export tasks to another system",
		Long: "Print all tasks, or the ones you name, in another system's format. Imported tasks keep their\n" +
			"original form, with later changes. What the format can't hold is listed on\n" +
			"standard error.\n\n" + formatsHelp(func(f *records.Format) []string { return f.Writes }),
		Example: "  vespe store export --format tasks-spec > tasks.json\n  vespe store export --format tasks-spec --lines 3f9a1c\n" +
			"  vespe store export --format git-internal --output objects\n" +
			"  vespe store export --format git-internal --ref refs/libra/intent",
		GroupID: "store", Args: core.Between(0, math.MaxInt),
	}
	format := formatFlag(c)
	output := c.Flags().StringP("output", "o", "", "write to a new file or directory instead of standard output")
	ref := c.Flags().String("ref", "", "write to this ref of the store's git repository (git-internal)")
	lines := c.Flags().Bool("lines", false, "one task per line (JSONL) instead of a list")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if *format == "" {
			return core.Usagef("--format is missing; the formats are %s", strings.Join(formatNames(), ", "))
		}
		f, err := formatNamed(*format)
		if err != nil {
			return err
		}
		if *lines && a.JSON {
			return core.Usagef("--lines and --json can't be combined")
		}
		if *lines && *output != "" || f.Dir && (*lines || *output == "") {
			if f.Dir {
				return core.Usagef("%s is a directory: use --output DIR without --lines", f.Name)
			}
			return core.Usagef("--lines and --output can't be combined")
		}
		if *ref != "" {
			switch {
			case f.SaveRef == nil:
				return core.Usagef("--ref works only with git-internal, not with %s", f.Name)
			case *lines || *output != "":
				return core.Usagef("--ref can't be combined with --lines or --output")
			}
		}
		return a.export(cmd.Context(), f, args, exportTo{lines: *lines, output: *output, ref: *ref})
	}
	return c
}

// exportTo is where an export goes: the standard output, a path, or a reference of git.
type exportTo struct {
	lines       bool
	output, ref string
}

// untrusted: what a repository says of git counts only for who trusts it.
func untrusted() error {
	return &model.Refusal{Code: model.CodeRefused, Guard: "trust", Why: "vespe runs git only for trusted stores", Hint: "run `vespe store trust` to trust this store"}
}

// saveRef writes an export into the repository that the store lies in, and says whether that changed anything.
func (a *app) saveRef(ctx context.Context, f *records.Format, s *store.Store, ref string, x records.Exported) (bool, error) {
	if !s.Trusted() {
		return false, untrusted()
	}
	changed, err := f.SaveRef(ctx, a.environ(), s.Root(), ref, x)
	if errors.Is(err, records.ErrRef) || errors.Is(err, git.ErrNoRepo) || errors.Is(err, git.ErrNoGit) {
		err = core.Usagef("%s", err)
	}
	return changed, err
}

func (a *app) export(ctx context.Context, f *records.Format, refs []string, to exportTo) error {
	s, snap, err := a.Load(ctx)
	if err != nil {
		return err
	}
	var tasks []int
	for _, ref := range refs {
		uid, err := snap.Find(ref)
		if err != nil {
			return err
		}
		if i, ok := snap.Index(uid); ok {
			tasks = append(tasks, i)
		}
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
	changed := true
	switch {
	case to.ref != "":
		changed, err = a.saveRef(ctx, f, s, to.ref, x)
	case to.output != "":
		err = a.save(ctx, f, x, to.output)
		report.NotCarried = append(report.NotCarried, x.Lost.Finish().NotCarried...)
	}
	if err != nil {
		return err
	}
	if a.JSON {
		out := exportObject{Format: f.Name, Output: to.output, Ref: to.ref, Count: len(x.Records), NotCarried: append([]string{}, report.NotCarried...)}
		if to.output+to.ref == "" {
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
	case to.output+to.ref != "":
		others, same := "", ""
		if n := len(x.Records) - report.Created; n > 0 {
			others = fmt.Sprintf(" and %d other objects", n)
		}
		if !changed {
			same = ": it was so already"
		}
		fmt.Fprintf(a.Stdout, "exported %d tasks%s to %s%s\n", report.Created, others, visible.Line(to.output+to.ref), same)
		return nil
	case !to.lines:
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
	Ref        string            `json:"ref,omitempty"`
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

// save writes an export to a path where nothing is yet, or brings a directory up to date where the format does that.
func (a *app) save(ctx context.Context, f *records.Format, x records.Exported, name string) error {
	file := core.Absolute(a.Dir, name)
	if in, err := os.Lstat(file); (err == nil || !errors.Is(err, fs.ErrNotExist)) && (!f.Over || err != nil || !in.IsDir()) {
		return core.Usagef("%s already exists: choose another name, or remove it", name)
	}
	if f.Save != nil {
		if strings.HasSuffix(name, "/") {
			file += "/" // it is to be a directory
		}
		if saved, err := f.Save(ctx, file, x); saved || err != nil {
			return err
		}
	}
	return records.WriteFile(file, func(w *os.File) error { return core.WriteJSON(w, json.RawMessage(f.Value(x))) })
}
