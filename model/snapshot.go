package model

// Input is what a Snapshot is built from.
type Input struct {
	Seq      uint64 // last log entry
	StoreID  string
	Head     string // sha256 of the last log entry
	Tasks    []*Task
	Problems []Problem // of the store as a whole; each task brings its own
	Requests []Request
	Policy   Policy
}
