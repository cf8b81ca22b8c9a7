package worker

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vespe/model"
	"vespe/model/runlog"
)

// The formats of output.
const (
	FormatClaude   = "claude"   // claude -p --output-format stream-json --verbose
	FormatCodex    = "codex"    // codex exec --json
	FormatOpencode = "opencode" // opencode run --format json
	FormatText     = "text"     // words
)

// Formats are all of them.
func Formats() []string { return model.WorkerFormats() }

const (
	maxResult  = 8 << 10  // bytes of what a tool answered that an event has
	maxMessage = 64 << 10 // of what a worker says
	maxCall    = 4 << 10  // of what a tool is called with
	maxOpen    = 4096     // calls that are remembered until they have a result

	// MaxLine is how much is kept of a line that is no object, in bytes: its beginning.
	MaxLine = 1 << 20
)

// Parser makes events of what a worker prints. Whatever that is, it is never an error: what is not
// understood is an event of the kind raw. Texts are as they were printed, with all that terminals would
// obey: anyone who shows one makes it visible.
type Parser struct {
	// Dir is where the worker works: paths below it are told from there.
	Dir string

	format          string
	open            map[string]call // by their ids
	before          Outcome         // of the processes before this one
	resumed         bool            // this one continues with the session of those
	cost            float64         // so far, with those before
	in              int64
	out             int64
	last            string // the message whose tokens were counted last
	lastIn, lastOut int64
	o               Outcome
}

// call is one that has no result yet.
type call struct {
	kind       runlog.Kind
	tool, path string
}

// NewParser is a parser of one of the Formats; of any other it takes text.
func NewParser(format string) *Parser {
	if !slices.Contains(Formats(), format) {
		format = FormatText
	}
	return &Parser{format: format, open: map[string]call{}, o: Outcome{Format: format}}
}

// Carry lets the totals continue from those of an earlier process of the same run, which this one resumes.
func (p *Parser) Carry(before *Outcome) {
	p.before = *before
	p.cost, p.in, p.out = before.Cost, before.In, before.Out
	p.o.Cost, p.o.In, p.o.Out, p.o.Turns = before.Cost, before.In, before.Out, before.Turns
	p.o.Session = before.Session
}

// session takes the name of the session. Codex counts the tokens of a whole session, and Claude Code what
// one costs: a process that resumes one tells what those before it told.
func (p *Parser) session(name string) {
	if name != "" {
		p.o.Session, p.resumed = name, name == p.before.Session
	}
}

// Outcome is how the worker ended, as far as it has said.
func (p *Parser) Outcome() Outcome { return p.o }

// Line takes one whole line, and answers with its events.
func (p *Parser) Line(line []byte, at time.Time) []runlog.Event {
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	cut := max(0, len(line)-MaxLine)
	kept := string(line[:len(line)-cut])
	var events []runlog.Event
	understood := false
	if p.format == FormatText {
		p.o.Said, _ = shorten(kept, maxMessage)
		events, understood = []runlog.Event{{Kind: runlog.KindMessage, Text: kept, Cut: cut}}, true
	} else if o, ok := parseObject(line); ok { // else half a line of a worker that was killed, or no JSON
		switch p.format {
		case FormatClaude:
			events, understood = p.claude(o)
		case FormatCodex:
			events, understood = p.codex(o)
		default:
			events, understood = p.opencode(o)
		}
	}
	if !understood {
		events = []runlog.Event{{Kind: runlog.KindRaw, Text: kept, Cut: cut}}
	}
	for i := range events {
		events[i].At = at
	}
	return events
}

// call is the event of a call, and remembers it for its result.
func (p *Parser) call(c call, id, text string) runlog.Event {
	if id != "" && len(p.open) < maxOpen {
		p.open[id] = c
	}
	e := runlog.Event{Kind: c.kind, Tool: c.tool, ID: id}
	e.Text, e.Cut = shorten(text, maxCall)
	return e
}

// result are the events of a call's result: with the call where nobody told of it before.
func (p *Parser) result(c call, id, called, text string, failed bool, exit int) []runlog.Event {
	var out []runlog.Event
	if known, ok := p.open[id]; ok && id != "" {
		c = known
		delete(p.open, id)
	} else if c.tool != "" {
		out = append(out, p.call(c, id, called))
		delete(p.open, id)
	} else {
		c.kind = runlog.KindTool
	}
	e := runlog.Event{Kind: c.kind, Tool: c.tool, ID: id, Done: true, Failed: failed, Exit: exit}
	e.Text, e.Cut = shorten(text, maxResult)
	out = append(out, e)
	if c.path != "" && !failed {
		out = append(out, runlog.Event{Kind: runlog.KindEdit, Tool: c.tool, ID: id, Path: c.path, Done: true})
	}
	return out
}

// message is what the worker says.
func message(text string) runlog.Event {
	e := runlog.Event{Kind: runlog.KindMessage}
	e.Text, e.Cut = shorten(text, maxMessage)
	return e
}

// failed is what went wrong, which the client may yet get over.
func (p *Parser) failed(why string) runlog.Event {
	if strings.TrimSpace(why) == "" {
		why = "the client failed without an error message"
	}
	p.o.Err, _ = shorten(why, maxCall)
	return runlog.Event{Kind: runlog.KindError, Text: p.o.Err}
}

// total is the event of what the run took so far.
func (p *Parser) total() runlog.Event {
	p.o.Cost, p.o.In, p.o.Out = p.cost, p.in, p.out
	return runlog.Event{Kind: runlog.KindCost, Cost: p.cost, In: p.in, Out: p.out}
}

// below is a path as it is told: from where the worker works.
func (p *Parser) below(name string) string {
	if p.Dir == "" || !path.IsAbs(name) {
		return name
	}
	if rest, ok := strings.CutPrefix(path.Clean(name), strings.TrimSuffix(p.Dir, "/")+"/"); ok {
		return rest
	}
	return name
}

// shorten keeps the beginning and the end of a text: at most n bytes, and a line that stands for the
// rest.
func shorten(s string, n int) (short string, cut int) {
	if len(s) <= n {
		return s, 0
	}
	head := n / 3
	for head > 0 && !utf8.RuneStart(s[head]) && head > n/3-utf8.UTFMax {
		head--
	}
	tail := runlog.Tail(s, n-n/3)
	return s[:head] + "\n…\n" + tail, len(s) - head - len(tail)
}

// line is a text as one line that is not too long.
func line(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 300 {
		return string(r[:299]) + "…"
	}
	return s
}
