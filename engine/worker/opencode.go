package worker

import (
	"strings"

	"vespe/model/runlog"
)

// opencode takes a line of `opencode run --format json`.
func (p *Parser) opencode(o object) ([]runlog.Event, bool) {
	if s := o.text("sessionID"); s != "" {
		p.o.Session = s
	}
	part := o.in("part")
	switch o.text("type") {
	case "step_start":
		p.o.Known = false
		return nil, true
	case "text":
		text := part.text("text")
		if strings.TrimSpace(text) == "" {
			return nil, true
		}
		p.o.Said = text
		return []runlog.Event{message(text)}, true
	case "reasoning":
		return nil, true
	case "tool_use":
		return p.opencodeTool(part), true
	case "step_finish":
		return p.opencodeStep(part), true
	case "error":
		p.o.Known = true
		e := o.in("error")
		why := e.in("data").text("message")
		if why == "" {
			why = e.first("message", "name")
		}
		if why == "" {
			why = o.first("message", "error")
		}
		return []runlog.Event{p.failed(why)}, true
	}
	return nil, false
}

// opencodeTool is a call with its result: calls are told of once they have ended.
func (p *Parser) opencodeTool(part object) []runlog.Event {
	state, id := part.in("state"), part.first("callID", "id")
	in, status := state.in("input"), state.text("status")
	c := call{kind: runlog.KindTool, tool: part.text("tool")}
	called := p.below(in.first("filePath", "file_path", "path", "pattern", "url", "query", "description"))
	switch c.tool {
	case "bash", "shell":
		c.kind, called = runlog.KindCommand, in.text("command")
	case "edit", "write", "multiedit", "patch":
		c.path = p.below(in.first("filePath", "file_path", "path"))
	}
	if called == "" && len(in) > 0 {
		called = encode(in)
	}
	if status == "pending" || status == "running" {
		if _, open := p.open[id]; open {
			return nil
		}
		return []runlog.Event{p.call(c, id, called)}
	}
	text, failed := state.text("output"), status == "error"
	exit, hasExit := state.in("metadata").exit("exit")
	if failed {
		text = state.text("error")
		if strings.Contains(text, "rejected permission") || strings.Contains(text, "permission was rejected") {
			p.o.Denied = append(p.o.Denied, line(c.tool+" "+called))
		}
	}
	return p.result(c, id, called, text, failed || hasExit && exit != 0, exit)
}

// opencodeStep is the end of a step; the last one ends for another reason than for calling tools.
func (p *Parser) opencodeStep(part object) []runlog.Event {
	tokens := part.in("tokens")
	cache := tokens.in("cache")
	p.cost += part.number("cost")
	p.in += tokens.count("input") + cache.count("read") + cache.count("write")
	p.out += tokens.count("output") + tokens.count("reasoning")
	p.o.Turns++
	out := []runlog.Event{p.total()}
	switch reason := part.text("reason"); reason {
	case "tool-calls":
	case "length", "content-filter", "error":
		p.o.Known = true
		out = append(out, p.failed("the model stopped with the reason "+reason))
	default:
		p.o.Known, p.o.Err = true, ""
	}
	return out
}
