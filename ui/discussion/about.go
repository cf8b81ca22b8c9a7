package discussion

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/review"
	"vespe/ui/text"
	"vespe/ui/verdict"
)

// quotedLines is how many lines of a range are quoted above the box for a comment.
const quotedLines = 4

// quotedWidth is how much of each fits the box in one row.
const quotedWidth = 66

// About names the lines of a comment, and quotes those with words: of many the first, and how
// many more there are.
func About(d *review.Draft) string {
	switch {
	case d.Place.IsZero() && d.Doc == model.Changes:
		return "On the work as a whole."
	case d.Place.IsZero():
		return fmt.Sprintf("On the %s as a whole.", d.Doc)
	}
	about := fmt.Sprintf("On %s of the %s:", verdict.LinesOf(d.Place), d.Doc)
	if d.Spot.File != "" {
		about = "On " + text.SafeLine(d.Spot.String()) + ":"
	}
	quote := slices.DeleteFunc(slices.Clone(d.Place.Quote), func(q string) bool { return strings.TrimSpace(q) == "" })
	switch len(quote) {
	case 0:
		return about
	case 1:
		return about + " " + text.SafeLine(strings.TrimSpace(quote[0]))
	}
	for i, q := range quote {
		if i == quotedLines-1 && len(quote) > quotedLines {
			return about + fmt.Sprintf("\nand %s more", text.Plural(len(quote)-i, "line"))
		}
		about += "\n> " + text.Truncate(text.SafeLine(q), quotedWidth)
	}
	return about
}
