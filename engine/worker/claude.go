package worker

import (
	"cmp"
	"strconv"
	"strings"

	"vespe/model/runlog"
)

// claude takes a line of `claude -p --output-format stream-json --verbose`. The keys of its objects
// come in any order.
func (p *Parser) claude(o object) ([]runlog.Event, bool) {
	p.session(o.text("session_id"))
	switch o.text("type") {
	case "system":
		return p.claudeSystem(o)
	case "assistant":
		return p.claudeSays(o), true
	case "user":
		return p.claudeHears(o), true
	case "result":
		return p.claudeResult(o), true
	case "stream_event", "rate_limit_event", "keep_alive": // pieces of what comes whole, and what is nobody's work
		return nil, true
	}
	return nil, false
}

func (p *Parser) claudeSystem(o object) ([]runlog.Event, bool) {
	switch o.text("subtype") {
	case "init":
		text := "session started"
		if v := o.text("claude_code_version"); v != "" {
			text = "Claude Code " + line(v)
		}
		if m := o.text("model"); m != "" {
			text += ", model " + line(m)
		}
		return []runlog.Event{{Kind: runlog.KindNote, Text: text}}, true
	case "compact_boundary":
		return []runlog.Event{{Kind: runlog.KindNote, Text: "the client compacted the context of the session"}}, true
	case "api_retry":
		return []runlog.Event{{Kind: runlog.KindNote, Text: "retrying the request to the model: " + line(encode(o["error"]))}}, true
	case "hook_started", "hook_progress", "hook_response", "status", "thinking_tokens", "task_started", "task_progress", "task_notification", "task_updated":
		return nil, true
	}
	return nil, false
}

// claudeSays are the blocks of what the model says and calls. What it thinks is not told.
func (p *Parser) claudeSays(o object) []runlog.Event {
	m := o.in("message")
	helper := o.text("parent_tool_use_id") != ""
	var out []runlog.Event
	for _, b := range m.list("content") {
		switch b.text("type") {
		case "text":
			text := b.text("text")
			switch {
			case strings.TrimSpace(text) == "":
			case o.is("is_api_error_message") || o.text("error") != "":
				out = append(out, runlog.Event{Kind: runlog.KindNote, Text: line(text)}) // what it means the result says
			default:
				if !helper {
					p.o.Said = text
				}
				out = append(out, message(text))
			}
		case "tool_use", "server_tool_use", "mcp_tool_use":
			in := b.in("input")
			c := call{kind: runlog.KindTool, tool: b.text("name")}
			text := p.below(in.first("file_path", "path", "pattern", "url", "query", "description", "notebook_path"))
			switch c.tool {
			case "Bash", "PowerShell":
				c.kind, text = runlog.KindCommand, in.text("command")
			case "Edit", "MultiEdit", "Write", "NotebookEdit":
				c.path = p.below(in.first("file_path", "notebook_path"))
			}
			if text == "" && len(in) > 0 {
				text = encode(in)
			}
			out = append(out, p.call(c, b.text("id"), text))
		}
	}
	return p.claudeTokens(m, out)
}

// claudeTokens counts the tokens of a message, which comes in several lines.
func (p *Parser) claudeTokens(m object, out []runlog.Event) []runlog.Event {
	in, o := claudeUsage(m.in("usage"))
	if in == 0 && o == 0 {
		return out
	}
	if id := m.text("id"); id == "" || id != p.last {
		p.last, p.lastIn, p.lastOut = id, 0, 0
	}
	if in == p.lastIn && o == p.lastOut {
		return out
	}
	p.in, p.out = p.in+in-p.lastIn, p.out+o-p.lastOut
	p.lastIn, p.lastOut = in, o
	return append(out, p.total())
}

// claudeUsage are the tokens that a model was given, cached ones as well, and those that it gave.
func claudeUsage(u object) (in, out int64) {
	return u.count("input_tokens") + u.count("cache_creation_input_tokens") + u.count("cache_read_input_tokens"), u.count("output_tokens")
}

// claudeHears are the results of tools.
func (p *Parser) claudeHears(o object) []runlog.Event {
	m := o.in("message")
	var out []runlog.Event
	for _, b := range m.list("content") {
		switch b.text("type") {
		case "tool_result", "mcp_tool_result":
			text, failed := claudeText(b["content"]), b.is("is_error")
			exit := 0
			if rest, ok := strings.CutPrefix(text, "Exit code "); ok && failed {
				digits, _, _ := strings.Cut(rest, "\n")
				exit, _ = strconv.Atoi(strings.TrimSpace(digits))
			}
			out = append(out, p.result(call{}, b.text("tool_use_id"), "", text, failed, exit)...)
		case "text":
			if text := b.text("text"); strings.HasPrefix(text, "[Request interrupted") {
				out = append(out, runlog.Event{Kind: runlog.KindNote, Text: line(text)})
			}
		}
	}
	return out
}

// claudeText is the text of a content, which is a text or a list of blocks.
func claudeText(content any) string {
	if s, ok := content.(string); ok {
		return s
	}
	var parts []string
	for _, b := range objects(content) {
		switch b.text("type") {
		case "text":
			parts = append(parts, b.text("text"))
		case "":
		default:
			parts = append(parts, "["+line(b.text("type"))+"]")
		}
	}
	return strings.Join(parts, "\n")
}

// claudeResult is the last line. That it is of the subtype success and that the program exits with 0
// means little: denied and deferred calls and errors of the API end so.
func (p *Parser) claudeResult(o object) []runlog.Event {
	p.o.Known, p.o.Err, p.o.Deferred, p.o.Denied = true, "", nil, nil
	p.o.Turns += int(o.count("num_turns"))
	if text := o.text("result"); text != "" {
		p.o.Said = text
	}
	var out []runlog.Event
	for _, d := range o.list("permission_denials") {
		in := d.in("tool_input")
		said := in.first("command", "file_path", "url")
		if said == "" && len(in) > 0 {
			said = encode(in)
		}
		what := line(d.text("tool_name") + " " + said)
		p.o.Denied = append(p.o.Denied, what)
		out = append(out, runlog.Event{Kind: runlog.KindNote, Text: "denied: " + what})
	}
	if d := o.in("deferred_tool_use"); d != nil {
		p.o.Deferred = &Deferred{ID: d.text("id"), Tool: d.text("name"), Input: encode(d["input"])}
		out = append(out, runlog.Event{Kind: runlog.KindNote, Text: "the worker is waiting for a decision on " + line(d.text("name"))})
	}
	in, given := claudeUsage(o.in("usage"))
	p.cost = o.number("total_cost_usd")
	if !p.resumed || p.cost < p.before.Cost { // older ones tell what this process cost
		p.cost += p.before.Cost
	}
	p.in, p.out = max(p.in, p.before.In+in), max(p.out, p.before.Out+given)
	out = append(out, p.total())
	if why := claudeError(o); why != "" {
		out = append(out, p.failed(why))
	}
	return out
}

// claudeError is why a result is no success; "" when it is one.
func claudeError(o object) string {
	subtype, reason := o.text("subtype"), o.text("terminal_reason")
	var said []string
	errs, _ := o["errors"].([]any)
	for _, e := range errs {
		switch e := e.(type) {
		case string:
			said = append(said, e)
		case map[string]any:
			said = append(said, object(e).first("message", "error"))
		}
	}
	words := strings.Join(said, "; ")
	if words == "" && o.is("is_error") {
		words = o.text("result")
	}
	switch {
	case subtype != "" && subtype != "success":
		return strings.TrimSuffix(subtype+": "+words, ": ")
	case o.is("is_error") && reason != "":
		return strings.TrimSuffix(reason+": "+words, ": ")
	case o.is("is_error"):
		return cmp.Or(words, "error")
	}
	return ""
}
