package worker

import (
	"fmt"
	"strings"

	"vespe/model/runlog"
)

// codex takes a line of `codex exec --json`.
func (p *Parser) codex(o object) ([]runlog.Event, bool) {
	switch kind := o.text("type"); kind {
	case "thread.started", "thread.resumed":
		p.session(o.text("thread_id"))
		return nil, true
	case "turn.started":
		p.o.Known = false
		return nil, true
	case "turn.completed":
		p.o.Known, p.o.Err = true, "" // what went wrong before was got over
		p.o.Turns++
		u := o.in("usage") // of the whole thread, cached tokens among the given ones
		in, out := u.count("input_tokens"), u.count("output_tokens")
		if !p.resumed {
			in, out = in+p.before.In, out+p.before.Out
		}
		p.in, p.out = max(p.in, in), max(p.out, out)
		return []runlog.Event{p.total()}, true
	case "turn.failed":
		p.o.Known = true
		return []runlog.Event{p.failed(o.in("error").text("message"))}, true
	case "error": // a stream that broke is begun again, and the turn may yet be completed
		e := p.failed(o.text("message"))
		if strings.HasPrefix(e.Text, "Reconnecting") {
			e.Kind = runlog.KindNote
		}
		return []runlog.Event{e}, true
	case "item.started", "item.updated", "item.completed":
		return p.codexItem(o.in("item"), kind)
	}
	return nil, false
}

func (p *Parser) codexItem(it object, event string) ([]runlog.Event, bool) {
	id, done := it.text("id"), event == "item.completed"
	failed := it.text("status") == "failed" || it.text("status") == "declined"
	switch it.text("type") {
	case "agent_message":
		if !done {
			return nil, true
		}
		p.o.Said = it.text("text")
		return []runlog.Event{message(p.o.Said)}, true
	case "reasoning":
		return nil, true
	case "command_execution":
		c := call{kind: runlog.KindCommand, tool: "shell"}
		exit, ok := it.exit("exit_code")
		return p.codexCall(c, event, id, it.text("command"), it.text("aggregated_output"), failed || ok && exit != 0, exit), true
	case "mcp_tool_call":
		c := call{kind: runlog.KindTool, tool: it.text("server") + "." + it.text("tool")}
		text := it.in("error").text("message")
		if text == "" {
			text = claudeText(it.in("result")["content"])
		}
		return p.codexCall(c, event, id, encode(it["arguments"]), text, failed || it.in("error") != nil, 0), true
	case "web_search":
		return p.codexCall(call{kind: runlog.KindTool, tool: "web_search"}, event, id, it.text("query"), "", failed, 0), true
	case "file_change":
		if !done {
			return nil, true
		}
		return p.codexEdits(it, id, failed), true
	case "todo_list":
		return codexTodo(it), true
	case "error":
		return []runlog.Event{{Kind: runlog.KindNote, Text: "codex: " + line(it.text("message"))}}, true
	}
	return nil, false
}

// codexCall are the events of an item that begins and is completed later, or at once.
func (p *Parser) codexCall(c call, event, id, called, text string, failed bool, exit int) []runlog.Event {
	_, open := p.open[id]
	switch {
	case event == "item.completed":
		return p.result(c, id, called, text, failed, exit)
	case open:
		return nil
	}
	return []runlog.Event{p.call(c, id, called)}
}

// codexEdits are the files of one change; one that was not applied changed none.
func (p *Parser) codexEdits(it object, id string, failed bool) []runlog.Event {
	var names []string
	var out []runlog.Event
	for _, c := range it.list("changes") {
		name := p.below(c.text("path"))
		names = append(names, name)
		out = append(out, runlog.Event{Kind: runlog.KindEdit, Tool: "file_change", ID: id, Path: name, Text: c.text("kind"), Done: true})
	}
	if failed {
		return p.result(call{kind: runlog.KindTool, tool: "file_change"}, id, strings.Join(names, ", "), "", true, 0)
	}
	return out
}

// codexTodo is how far a list of steps is.
func codexTodo(it object) []runlog.Event {
	items, done, next := it.list("items"), 0, ""
	for _, x := range items {
		switch {
		case x.is("completed"):
			done++
		case next == "":
			next = ": " + x.text("text")
		}
	}
	return []runlog.Event{{Kind: runlog.KindProgress, Text: fmt.Sprintf("%d of %d steps", done, len(items)) + line(next)}}
}
