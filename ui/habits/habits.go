// Package habits is what the workbench remembers of a person from one start to the next.
package habits

import (
	"cmp"
	"slices"

	"vespe/keymap"
	"vespe/ui/screen"
)

// Habits are what the workbench remembers. They are a convenience: the zero value is that of a first start.
type Habits struct {
	// Theme was chosen here in place of Over, the one in config.toml. It counts while that is the same.
	Theme string `json:"theme,omitempty"`
	Over  string `json:"over,omitempty"`
	// Layouts show the layouts that views with several had last.
	Layouts []keymap.Action `json:"layouts,omitempty"`
	Divider screen.Divider  `json:"divider,omitzero"`
	// Used are the actions that were found in the palette, the last one first.
	Used []Use `json:"used,omitempty"`
}

// Use is how often an action was found in the palette.
type Use struct {
	Action keymap.Action `json:"action"`
	Times  int           `json:"times"`
}

// Limits of what is remembered of the palette.
const (
	kept      = 50 // actions
	listed    = 5  // actions that the palette lists first
	mostTimes = 99 // of one action, so that a new habit overtakes an old one
)

// Uses counts that an action was found in the palette.
func (h *Habits) Uses(action keymap.Action) {
	u := Use{Action: action}
	if i := slices.IndexFunc(h.Used, func(o Use) bool { return o.Action == action }); i >= 0 {
		u = h.Used[i]
		h.Used = slices.Delete(slices.Clone(h.Used), i, i+1)
	}
	u.Times = min(u.Times+1, mostTimes)
	h.Used = slices.Insert(slices.Clone(h.Used[:min(len(h.Used), kept-1)]), 0, u)
}

// MostUsed are the ids of the actions that the palette lists first: those found most often, of several the last one.
func (h *Habits) MostUsed() (ids []string) {
	byUse := slices.Clone(h.Used)
	slices.SortStableFunc(byUse, func(x, y Use) int { return cmp.Compare(y.Times, x.Times) })
	for _, u := range byUse[:min(len(byUse), listed)] {
		ids = append(ids, string(u.Action))
	}
	return ids
}
