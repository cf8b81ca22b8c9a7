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
)

// Parser makes events of what a worker prints. Whatever that is, it is never an error: what is not
// understood is an event of the kind raw. Texts are as they were printed, with all that terminals would
// obey: anyone who shows one makes it visible.
type Parser struct {
	// Dir is where the worker works: paths below it are told from there.
	Dir string

	format          string
	lines           lines
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

// Write takes some more of what the worker prints, and answers with the events of the lines that have
// become whole.
func (p *Parser) Write(b []byte, at time.Time) []runlog.Event {
	var out []runlog.Event
	if p.isText() {
		return p.words(b, at)
	}
	p.lines.write(b, func(line []byte, cut int) { out = append(out, p.take(line, cut, at)...) })
	return out
}

// words are the lines of a text; those that came together are one event.
func (p *Parser) words(b []byte, at time.Time) []runlog.Event {
	var out []runlog.Event
	var together []byte
	end := func() {
		if len(together) > 0 {
			out = append(out, runlog.Event{At: at, Kind: runlog.KindMessage, Text: string(together)})
			together = together[:0]
		}
	}
	var last []byte
	p.lines.write(b, func(line []byte, cut int) {
		if line = bytes.TrimSuffix(line, []byte("\r")); len(bytes.TrimSpace(line)) == 0 {
			return
		}
		if cut > 0 || len(together)+len(line) > maxResult {
			end()
		}
		if cut > 0 || len(line) > maxResult {
			out = append(out, p.take(line, cut, at)...)
			last = last[:0]
			return
		}
		if len(together) > 0 {
			together = append(together, '\n')
		}
		together = append(together, line...)
		last = append(last[:0], line...)
	})
	end()
	if len(last) > 0 {
		p.o.Said = string(last)
	}
	return out
}

// End takes what there is of a last line that has no end.
func (p *Parser) End(at time.Time) []runlog.Event {
	var out []runlog.Event
	p.lines.end(func(line []byte, cut int) { out = p.take(line, cut, at) })
	return out
}

// Line takes one whole line.
func (p *Parser) Line(line []byte, at time.Time) []runlog.Event {
	line = bytes.TrimSuffix(line, []byte("\n"))
	n := min(len(line), MaxLine)
	return p.take(line[:n], len(line)-n, at)
}

func (p *Parser) isText() bool { return p.format == FormatText }

func (p *Parser) take(line []byte, cut int, at time.Time) []runlog.Event {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(bytes.TrimSpace(line)) == 0 && cut == 0 {
		return nil
	}
	var events []runlog.Event
	understood := false
	switch o, partial, ok := p.object(line); {
	case p.isText():
		p.o.Said, _ = shorten(string(line), maxMessage)
		events, understood = []runlog.Event{{Kind: runlog.KindMessage, Text: string(line), Cut: cut}}, true
	case !ok || partial && cut == 0: // half a line of a worker that was killed, or no JSON
	case p.format == FormatClaude:
		events, understood = p.claude(o)
	case p.format == FormatCodex:
		events, understood = p.codex(o)
	default:
		events, understood = p.opencode(o)
	}
	if !understood || cut > 0 && len(events) == 0 { // what a line that is cut would have said is not passed over
		events = []runlog.Event{{Kind: runlog.KindRaw, Text: string(line), Cut: cut}}
	}
	for i := range events {
		events[i].At = at
	}
	return events
}

func (p *Parser) object(line []byte) (o object, partial, ok bool) {
	if p.isText() {
		return nil, false, false
	}
	return parseObject(line)
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
