package model

// Update is what a store says to whoever waits for it to change.
type Update struct {
	Seq    uint64 // number of the last entry of the log
	Edited bool   // tasks were edited past vespe, or such edits taken back, since the last one
	Stale  string // why what is known may be old, in words; "" when it is not
}
