package worker

import "fmt"

// Outcome is how a worker says that it ended, and what it took.
type Outcome struct {
	Format string
	// Known says that the client told how it ended; a client that was killed tells nothing, and a text
	// never does.
	Known   bool
	Session string // by which it can be resumed; "" where it did not say
	// Cost is in US dollars, In and Out are tokens; 0 where the client does not tell.
	Cost     float64
	In, Out  int64
	Turns    int
	Said     string // its last words
	Err      string // why it could not continue, in the client's words
	Deferred *Deferred
	Denied   []string // calls that it was not permitted, one line each
}

// Deferred is a call that waits for a decision: the worker has ended, and continues with it once it is
// resumed.
type Deferred struct {
	ID, Tool string
	Input    string // JSON
}

// Failed says by what a worker printed, its exit code and the signal that ended it why it did not do what it could, in
// one line that quotes the client: it is to be made visible. "" where it did; what that is worth is to be verified.
func (o *Outcome) Failed(code int, signal string) string {
	how := ""
	switch {
	case signal != "":
		how = "it ended by " + signal
	case code != 0 || !o.Known && o.Format != FormatText:
		how = fmt.Sprintf("it ended with exit code %d", code)
	}
	switch {
	case o.Err != "":
		return line(o.Err)
	case o.Known || o.Format == FormatText:
		return how
	case len(o.Denied) > 0:
		return how + " after it was denied " + line(o.Denied[len(o.Denied)-1])
	}
	return how + " without a result"
}
