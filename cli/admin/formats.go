package admin

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/interop/gitinternal"
	"vespe/interop/orchestrator"
	"vespe/interop/records"
	"vespe/interop/taskspec"
	"vespe/interop/upstream"
)

// formats are what import and export know by --format: a row is all that another one needs.
func formats() []*records.Format {
	return []*records.Format{taskspec.Format(), orchestrator.Format(), gitinternal.Format(), upstream.Format()}
}

func formatNames() []string {
	var names []string
	for _, f := range formats() {
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

func formatFlag(c *cobra.Command) *string {
	format := c.Flags().String("format", "", "the format: "+strings.Join(formatNames(), ", "))
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formatNames(), cobra.ShellCompDirectiveNoFileComp))
	return format
}

func formatNamed(name string) (*records.Format, error) {
	for _, f := range formats() {
		if f.Name == name {
			return f, nil
		}
	}
	return nil, core.Usagef("unknown format %q; the formats are %s", name, strings.Join(formatNames(), ", "))
}
