package snapshot

// What the tests of this package make, for those of the packages above it.
var (
	BenchTasks  = benchTasks
	GenInput    = genInput
	Node        = node
	Under       = under
	InState     = inState
	Accepted    = accepted
	Running     = running
	Paused      = paused
	BrokenFile  = brokenFile
	Prio        = prio
	Since       = since
	Takes       = takes
	PerRun      = perRun
	ReportRatio = reportRatio
)

// PictureAbove sets what pictureOf compares of the packages above this one.
func PictureAbove(say func(*Snapshot) any) { picturedAbove = say }
