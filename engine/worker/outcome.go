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

// End is how a worker ended.
type End string

// The ends.
const (
	EndDone     End = "done"     // it says that it has done what it could; what that is worth is to be verified
	EndDeferred End = "deferred" // it waits for a decision and can be resumed
	EndFailed   End = "failed"
)

// Ended says how a worker ended by what it printed, its exit code and the signal that ended it, and
// where that is not EndDone why, in one line that quotes the client: it is to be made visible.
func (o *Outcome) Ended(code int, signal string) (End, string) {
	exit := fmt.Sprintf("with exit code %d", code)
	if signal != "" {
		exit = "by " + signal
	}
	switch {
	case o.Deferred != nil:
		return EndDeferred, "it is waiting for a decision on " + line(o.Deferred.Tool+" "+o.Deferred.Input)
	case o.Err != "":
		return EndFailed, line(o.Err)
	case o.Format == FormatText:
		if code == 0 && signal == "" {
			return EndDone, ""
		}
		return EndFailed, "it ended " + exit
	case !o.Known && len(o.Denied) > 0:
		return EndFailed, "it ended " + exit + " after it was denied " + line(o.Denied[len(o.Denied)-1])
	case !o.Known:
		return EndFailed, "it ended " + exit + " without a result"
	case code != 0 || signal != "":
		return EndFailed, "it ended " + exit
	}
	return EndDone, ""
}
