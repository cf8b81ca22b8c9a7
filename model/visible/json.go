package visible

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

// JSON is the text of a JSON value in which characters that a terminal would obey or hide stand as \u escapes:
// the value is the same, the screen is safe. Line breaks between values stay.
func JSON(s string) string {
	if !Has(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if r == '\n' || !Has(string(r)) {
			b.WriteRune(r)
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, u)
		}
	}
	return b.String()
}
