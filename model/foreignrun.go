package model

// ForeignRun is an attempt at a task that another system made. It is there to be read: nothing
// goes on from it, and nothing that it says was checked here.
type ForeignRun struct {
	// Run is over. It names the system in its extra key ForeignKey. Its report has no commit that could be
	// taken over, and is neither tested nor verified.
	Run   Run
	Files map[string][]byte // output.jsonl, verify.json, changes.patch, as far as there is something to put into them
}

// ForeignKey is the key of run.json that names the system which a run comes from.
const ForeignKey = "imported_from"
