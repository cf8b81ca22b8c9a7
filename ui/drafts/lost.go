package drafts

import (
	"fmt"
	"slices"
)

// Lost are the drafts that could not be put on disk.
func (b *Book) Lost() []Unsaved {
	return slices.DeleteFunc(b.Unsaved(), func(u Unsaved) bool { return u.gone })
}

// Unkept are the texts that were neither sent nor saved, for who leaves.
func (b *Book) Unkept() []string {
	var out []string
	for _, u := range b.Lost() {
		d := &u.Draft
		if d.For != "" {
			out = append(out, fmt.Sprintf("your text for %q of %s was neither sent nor saved: %s", d.For.Title(), u.ID.UID, d.Text))
			continue
		}
		out = append(out, fmt.Sprintf("your comment on %s of %s was neither sent nor saved: %s", d.Doc, u.ID.UID, d.Text))
	}
	for key, words := range b.words {
		out = append(out, fmt.Sprintf("your text for %q of %s was not sent: %s", key.Name.Title(), key.UID, words))
	}
	return out
}
