// Package demo writes a believable store: a small software project led by agents, over
// the last six days.
//
// story.go holds what is there and what happened, in order; build.go turns it into
// operations, each with its own time and actor, and fires them through the store, one
// transaction for each sitting: what lies between two calls of story.at. So history,
// approvals and log are those of a store that was really used. The longer objectives and
// plans are the Markdown files in texts/. Nothing is written past the store's own
// interface; the one dependency cycle comes in by import, because adding its edge would be
// refused.
//
// live.go and worker.go are the live demo: a smaller project in a git repository, whose tasks a scripted worker
// works on as a coding agent would. What it writes lies in live/, and is run and tested like anybody's work.
package demo
