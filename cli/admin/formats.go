package admin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/interop/beads"
	"vespe/interop/gitinternal"
	"vespe/interop/orchestrator"
	"vespe/interop/records"
	"vespe/interop/taskspec"
	"vespe/interop/upstream"
)

// formats are what import and export know by --format: a row is all that another one needs.
func formats() []*records.Format {
	return []*records.Format{taskspec.Format(), orchestrator.Format(), gitinternal.Format(), upstream.Format(), beads.Format()}
}

// exports are the formats that export knows.
func exports() []*records.Format {
	return slices.DeleteFunc(formats(), func(f *records.Format) bool { return f.Fields == nil })
}

func formatNames(list []*records.Format) []string {
	var names []string
	for _, f := range list {
		names = append(names, f.Name)
	}
	return names
}

// formatsHelp lists the formats, each with what is said of it.
func formatsHelp(said func(*records.Format) []string) string {
	var b strings.Builder
	b.WriteString("Formats:")
	for _, f := range formats() {
		name := f.Name
		for _, line := range said(f) {
			fmt.Fprintf(&b, "\n  %-14s  %s", name, line)
			name = ""
		}
	}
	return b.String()
}

func formatFlag(c *cobra.Command, list []*records.Format) *string {
	names := formatNames(list)
	format := c.Flags().String("format", "", "the format: "+strings.Join(names, ", "))
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	return format
}

func formatNamed(name string, list []*records.Format) (*records.Format, error) {
	for _, f := range list {
		if f.Name == name {
			return f, nil
		}
	}
	return nil, core.Usagef("unknown format %q; the formats are %s", name, strings.Join(formatNames(list), ", "))
}
