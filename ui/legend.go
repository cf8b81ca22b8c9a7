package ui

import (
	"vespe/model"
	"vespe/ui/detail"
	"vespe/ui/overlay"
	"vespe/ui/style"
)

// statusMeans says what a status is, in a sentence.
func statusMeans(st model.Status) string {
	switch st {
	case model.StatusProblem:
		return "A file of the task cannot be read; the overview says where."
	case model.StatusAborted:
		return "Ended by decision."
	case model.StatusFailed:
		return "Ended by an error that cannot be repaired."
	case model.StatusError:
		return "The work ran into an error; it can be retried."
	case model.StatusChanged:
		return "Something that it was accepted with has changed since."
	case model.StatusWaiting:
		return "Paused until a person answers."
	case model.StatusPaused:
		return "Paused until somebody resumes it."
	case model.StatusSubtasks:
		return "Waits until its subtasks have ended."
	case model.StatusDone:
		return "Finished, and the work was accepted where that was asked for."
	case model.StatusReviewPlan:
		return "A plan waits for a person's verdict."
	case model.StatusReviewWork:
		return "Finished work waits for a person's verdict."
	case model.StatusBlocked:
		return "Accepted, and waits for a task that it depends on."
	case model.StatusRunning:
		return "Somebody is at work on it."
	case model.StatusReady:
		return "Accepted, and can be started."
	case model.StatusReplan:
		return "Sent back; it needs a new plan."
	case model.StatusPlanning:
		return "It has an objective and waits for a plan."
	case model.StatusCreated:
		return "It waits for its objective."
	}
	return ""
}

// commentBar stands beside comments and the lines that they mean.
func (a *App) commentBar() string {
	if a.deps.ASCII {
		return "|"
	}
	return "▎"
}

// legend explains the signs of the screen.
func (a *App) legend() overlay.Section {
	st := a.st
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
	add(st.Bad, "!!", "critical", "The priority of a task, left of its status.")
	add(st.Warn, "!", "high", "The priority of a task, left of its status.")
	add(st.Faint, g.Down, "low", "The priority of a task, left of its status.")
	add(st.Faint, "3/8", "leaf tasks", "How many of the tasks below that have no subtasks are done.")
	add(blockedInk, blocked+"2", "folded", "How many tasks below a folded one have that status, the worst first.")
	add(st.Warn, g.Warning, "warning", "Something is wrong with the task; its overview says what.")
	add(st.Muted, g.Folded+" "+g.Unfolded, "subtasks", "Folded and unfolded.")
	add(st.Marker, g.Selected, "selected", "Verdicts apply to all that are selected.")
	add(st.Info, g.Arrow+"4", "in the inbox", "How many unfinished tasks wait behind it.")
	for _, c := range []struct {
		ink         style.Ink
		title, help string
	}{
		{st.Bad, "blocking comment", "Beside the lines that it means: the plan is not accepted before it is settled."},
		{st.Warn, "open comment", "Beside the lines that it means: nobody has answered it, or it was declined."},
		{st.Good, "answered comment", "Beside the lines that it means: it waits for you to resolve it."},
		{st.Violet, "draft", "A comment of yours that was not sent."},
	} {
		add(c.ink, a.commentBar(), c.title, c.help)
	}
	for _, s := range detail.ChangeSigns(st) {
		add(s.Ink, s.Sign, s.Title, s.Help)
	}
	for _, who := range []struct {
		actor       model.Actor
		title, help string
	}{
		{"human:ann", "a person", "In the history: a person did it."},
		{"agent:claude", "an agent", "In the history: an agent did it."},
		{"mcp_client:editor", "a client", "In the history: a program that speaks MCP did it."},
		{"system:vespe", "vespe", "In the history: it happened by itself."},
	} {
		sign, ink := a.panes.detail.ActorSign(who.actor)
		add(ink, sign, who.title, who.help)
	}
	return sec
}
