// Package legend says what the signs and colors of the screen mean.
package legend

import (
	"vespe/model"
	"vespe/ui/detail"
	"vespe/ui/overlay"
	"vespe/ui/style"
	"vespe/ui/verdict"
)

// statusMeans says what a status is, in a sentence.
func statusMeans(st model.Status) string {
	switch st {
	case model.StatusProblem:
		return "Can't read a file of the task. Its overview shows which."
	case model.StatusAborted:
		return "A person ended it."
	case model.StatusFailed:
		return "Ended by a permanent error."
	case model.StatusError:
		return "The work ran into an error; it can be retried."
	case model.StatusChanged:
		return "Changed since it was accepted."
	case model.StatusWaiting:
		return "Paused until a person answers."
	case model.StatusPaused:
		return "Paused until someone resumes it."
	case model.StatusSubtasks:
		return "Waits until its subtasks have ended."
	case model.StatusDone:
		return "Finished, and accepted if a review was required."
	case model.StatusReviewPlan:
		return "A plan waits for a person's verdict."
	case model.StatusReviewWork:
		return "Finished work waits for a person's verdict."
	case model.StatusBlocked:
		return "Accepted, and waits for a task that it depends on."
	case model.StatusRunning:
		return "A worker is running."
	case model.StatusReady:
		return "Accepted, and can be started."
	case model.StatusReplan:
		return "Sent back; it needs a new plan."
	case model.StatusPlanning:
		return "It has an objective and needs a plan."
	case model.StatusCreated:
		return "It needs an objective."
	}
	return ""
}

// Of explains the signs of the screen; actor is that of an actor.
func Of(st *style.Styles, actor func(model.Actor) (string, style.Ink)) overlay.Section {
	sec := overlay.Section{Title: "Symbols"}
	add := func(ink style.Ink, sign, title, help string) {
		sec.Rows = append(sec.Rows, overlay.HelpRow{Keys: sign, Title: title, Help: help, Ink: ink})
	}
	for _, status := range model.Statuses() {
		glyph, ink := st.Status(status)
		add(ink, glyph, status.Label(), statusMeans(status))
	}
	g := &st.Glyph
	blocked, blockedInk := st.Status(model.StatusBlocked)
	for _, p := range []model.Priority{model.Critical, model.High, model.Low} {
		sign, ink := st.Priority(p)
		add(ink, sign, string(p)+" priority", "Left of the name of a task.")
	}
	add(st.Faint, "3/8", "leaf tasks", "How many of the leaf tasks below are done.")
	add(blockedInk, blocked+"2", "of a status", "How many tasks below a folded one, or in a column, have that status, worst first.")
	add(st.Warn, g.Warning, "warning", "The task has a problem. Its overview shows it.")
	add(st.Muted, g.Folded+" "+g.Unfolded, "subtasks", "Folded and unfolded.")
	add(st.Marker, g.Selected, "selected", "Verdicts apply to the whole selection.")
	add(st.Info, g.Arrow+"4", "in the inbox", "How many unfinished tasks wait for it.")
	for _, c := range []struct {
		ink         style.Ink
		title, help string
	}{
		{st.Bad, "blocking comment", "Beside its lines: it blocks the plan until it is resolved."},
		{st.Warn, "open comment", "Beside its lines: open, or the answer declined it."},
		{st.Good, "answered comment", "Beside its lines: answered, waits for you to resolve it."},
		{st.Violet, "draft", "Your comment, not sent."},
	} {
		add(c.ink, verdict.CommentBar(st), c.title, c.help)
	}
	for _, s := range detail.ChangeSigns(st) {
		add(s.Ink, s.Sign, s.Title, s.Help)
	}
	for _, who := range []struct {
		actor       model.Actor
		title, help string
	}{
		{"human:ann", "a person", "In the history: by a person."},
		{"agent:claude", "an agent", "In the history: by an agent."},
		{"mcp_client:editor", "a client", "In the history: by an MCP client."},
		{"system:vespe", "vespe", "In the history: automatic."},
	} {
		sign, ink := actor(who.actor)
		add(ink, sign, who.title, who.help)
	}
	return sec
}
