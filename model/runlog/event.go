package runlog

import (
	"bytes"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ReportFile is the file of a run with what its worker reported by task_report or work-completed. A worker that
// reported nothing leaves none.
const ReportFile = "report.md"

// Kind says what an event tells.
type Kind string

// The kinds of events. Readers pass over kinds that they do not know.
const (
	KindPhase    Kind = "phase"    // the run enters Phase
	KindMessage  Kind = "message"  // what the worker says: Text
	KindTool     Kind = "tool"     // a call of a tool, and with Done its result
	KindEdit     Kind = "edit"     // a file was written: Path
	KindCommand  Kind = "command"  // a command was run: Text; with Done what it printed and Exit
	KindCost     Kind = "cost"     // Cost, In and Out so far
	KindAsk      Kind = "ask"      // the worker asked a person: ID is the request's
	KindSpawn    Kind = "spawn"    // the worker made a subtask: ID is its uid
	KindProgress Kind = "progress" // how far the worker says that it is
	KindCheck    Kind = "check"    // a check began, or with Done has ended: Check
	KindNote     Kind = "note"     // vespe's own words about the run
	KindError    Kind = "error"    // what went wrong, in vespe's own words or the client's
	KindRaw      Kind = "raw"      // a line that the worker printed and nobody understood
)

// Phase is a part of a run.
type Phase string

// The phases, in their order; waiting may come after work, and work again after it.
const (
	PhaseClaim     Phase = "claim"     // the task is claimed, by the transition start
	PhaseSetup     Phase = "setup"     // the worktree is made
	PhaseWork      Phase = "work"      // the worker is at work
	PhaseWaiting   Phase = "waiting"   // the worker has asked a person and has ended until the answer is there
	PhaseSnapshot  Phase = "snapshot"  // what it did is committed
	PhaseVerify    Phase = "verify"    // the commit is checked
	PhaseIntegrate Phase = "integrate" // the commit goes onto the integration branch
	PhaseEnded     Phase = "ended"     // the run is over; Text is its outcome
)

// Phases are the parts that every run has that succeeds, in their order.
func Phases() []Phase {
	return []Phase{PhaseClaim, PhaseSetup, PhaseWork, PhaseSnapshot, PhaseVerify, PhaseIntegrate}
}

// MaxLine is how long a line of output.jsonl may be, in bytes; what an event says beyond that is cut.
const MaxLine = 256 << 10

// Event is one line of output.jsonl.
type Event struct {
	At    time.Time `json:"at"`
	Kind  Kind      `json:"kind"`
	Phase Phase     `json:"phase,omitzero"`
	Text  string    `json:"text,omitzero"`
	// Tool is the name of a tool, ID what a call and its result have in common.
	Tool string `json:"tool,omitzero"`
	ID   string `json:"id,omitzero"`
	// Done says that the event is the result of the call, command or check with the same ID.
	Done   bool   `json:"done,omitzero"`
	Failed bool   `json:"failed,omitzero"`
	Exit   int    `json:"exit,omitzero"` // of a command
	Path   string `json:"path,omitzero"` // of an edit
	// Cost is in US dollars, In and Out are tokens; totals of the run so far, 0 where nothing is known.
	Cost  float64   `json:"cost_usd,omitzero"`
	In    int64     `json:"input_tokens,omitzero"`
	Out   int64     `json:"output_tokens,omitzero"`
	Check *Evidence `json:"check,omitzero"`
	// Cut is how many bytes of Text are left out.
	Cut int `json:"cut_bytes,omitzero"`
}

// Line is the event as a line of output.jsonl, with its newline. A text that would make it longer than
// MaxLine is cut in its middle.
func (e Event) Line() []byte {
	e.At = e.At.UTC().Truncate(time.Millisecond)
	b := e.encode()
	if len(b) <= MaxLine {
		return b
	}
	if e.Check != nil && len(e.Check.Output) > MaxOutput {
		c := *e.Check
		c.Output = Tail(c.Output, MaxOutput)
		e.Check = &c
	}
	const half = MaxLine / 32 // a byte takes up to six when it is escaped
	if n := len(e.Text); n > 2*half {
		e.Text = clip(e.Text[:half]) + "\n…\n" + Tail(e.Text, half)
		e.Cut = n - 2*half
	}
	e.Tool, e.ID, e.Path = clip(e.Tool[:min(len(e.Tool), 1024)]), clip(e.ID[:min(len(e.ID), 1024)]), clip(e.Path[:min(len(e.Path), 4096)])
	return e.encode()
}

func (e Event) encode() []byte {
	b, err := json.Marshal(e, jsontext.AllowInvalidUTF8(true), jsontext.EscapeForHTML(false))
	if err != nil { // no value of an Event is without a JSON form
		b, _ = json.Marshal(Event{At: e.At, Kind: KindError, Text: "can't write an event: " + err.Error()})
	}
	return append(b, '\n')
}

// Parse reads a line of output.jsonl, with or without its newline. One that is no event is returned as a
// KindRaw event with the line as its text, and an error that says why.
func Parse(line []byte) (Event, error) {
	line = bytes.TrimRight(line, "\r\n")
	var e Event
	err := json.Unmarshal(line, &e, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err == nil && e.Kind == "" {
		err = fmt.Errorf("it has no kind")
	}
	if err != nil {
		return Event{Kind: KindRaw, Text: string(line)}, fmt.Errorf("not an event of a run: %w", err)
	}
	return e, nil
}

// clip takes an incomplete character off the end of a text that was cut.
func clip(s string) string {
	for at := len(s) - 1; at >= max(0, len(s)-utf8.UTFMax); at-- {
		if utf8.RuneStart(s[at]) {
			if !utf8.FullRuneInString(s[at:]) {
				return s[:at]
			}
			break
		}
	}
	return s
}

// Tail is the end of a text, at most n bytes of it, and begins with a whole character.
func Tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	for i := 0; i < 3 && len(s) > 0 && s[0]&0xC0 == 0x80; i++ {
		s = s[1:]
	}
	return s
}
