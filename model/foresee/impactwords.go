package foresee

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
)

// Lines are the impact as sentences without a full stop, at most so many tasks named of each kind. The
// subject is called "it".
func (im *Impact) Lines(subject model.UID, most int) []string {
	out := im.direct(subject, most)
	out = append(out, im.InTurn(most)...)
	for _, title := range im.Requests {
		out = append(out, "a person is asked: "+model.Plain(title))
	}
	if im.Answered > 0 {
		out = append(out, model.Plural(im.Answered, "request no longer needs", "requests no longer need")+" an answer")
	}
	if im.Before.Stuck != im.After.Stuck {
		out = append(out, fmt.Sprintf("%s could then never be completed (now %s)", model.Plural(im.After.Stuck, "open task", "open tasks"), orNo(im.Before.Stuck)))
	}
	if line := im.MovedWords(); line != "" {
		out = append(out, line)
	}
	return out
}

func orNo(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}

// direct are the lines about tasks that become something else at once.
func (im *Impact) direct(subject model.UID, most int) []string {
	var out []string
	for k, a := range im.Tasks {
		if k == most {
			return append(out, fmt.Sprintf("and %d more", len(im.Tasks)-k))
		}
		who := fmt.Sprintf("%q", model.Plain(a.Name))
		if a.UID == subject {
			who = "it"
		}
		out = append(out, who+" "+a.Becomes())
	}
	return out
}

// Becomes is what becomes of a task, as the rest of a sentence.
func (a *Affected) Becomes() string {
	text := "stays " + a.To.Label()
	switch {
	case a.Why != "":
		text = a.Why
	case a.From != a.To:
		text = "becomes " + a.To.Label()
	}
	if a.Voided {
		text += ", its approval is void"
	}
	if a.Stops {
		text += ", its run ends"
	}
	return text
}

// InTurn are the lines about tasks that follow later, those with the same fate together.
func (im *Impact) InTurn(most int) []string {
	var whys []string
	names := map[string][]string{}
	for _, a := range im.Later {
		if _, ok := names[a.Why]; !ok {
			whys = append(whys, a.Why)
		}
		names[a.Why] = append(names[a.Why], fmt.Sprintf("%q", model.Plain(a.Name)))
	}
	var out []string
	for _, why := range whys {
		list := names[why]
		text := strings.Join(list[:min(len(list), most)], ", ")
		if over := len(list) - most; over > 0 {
			text += fmt.Sprintf(" and %d more", over)
		}
		out = append(out, text+": "+why)
	}
	if im.LaterMore > 0 {
		out = append(out, fmt.Sprintf("and %d more", im.LaterMore))
	}
	return out
}

// MovedWords say how the critical path would be another; "" where it would not.
func (im *Impact) MovedWords() string {
	if !im.Moved() {
		return ""
	}
	if im.After.Open == 0 {
		if im.After.Stuck > 0 {
			return "then no open work can be done"
		}
		return "then no work is left"
	}
	text := fmt.Sprintf("all open work still takes %s", model.Lasting(im.After.Total))
	if im.Before.Total != im.After.Total {
		text = fmt.Sprintf("all open work then takes %s (now %s)", model.Lasting(im.After.Total), model.Lasting(im.Before.Total))
	}
	if !slices.Equal(im.Before.Path, im.After.Path) && len(im.After.Path) > 0 {
		text += fmt.Sprintf("; the critical path then has %s", model.Plural(len(im.After.Path), "task", "tasks"))
		if rest := trimmed(im.Before.Path, im.After.Path); rest != "" {
			text += rest
		}
	}
	return text
}

// trimmed says how one critical path follows from another.
func trimmed(was, is []model.UID) string {
	switch {
	case len(is) < len(was) && slices.Equal(was[len(was)-len(is):], is):
		return ", the rest of the current path"
	case len(was) == 0 || !slices.ContainsFunc(is, func(u model.UID) bool { return slices.Contains(was, u) }):
		return ", none of the current ones"
	}
	return ", some of them new"
}
