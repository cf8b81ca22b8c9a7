package keymap

// runActions are those of the loop, and of the runs of workers. They share the prefix W, for workers.
func runActions() []Spec {
	g, t, in := firing("Run", Global), firing("Run", Task), firing("Run", Run)
	over := func(s Spec, outer ...Action) Spec {
		s.Shadows = outer
		return s
	}
	return []Spec{
		g(LoopToggle, "start/stop loop", "Let workers work on what is ready, or begin no more runs and end when those under way have ended; again, stop these.", "", 36, "W W"),
		g(LoopPause, "hold/go on", "Let no new run begin, or go on; those under way are left alone.", "", 37, "W p"),
		t(LoopRun, "run task", "Let a worker work on this task now, whether the loop runs or not.", "", 35, "W r"),
		t(RunCancel, "cancel the run", "Stop the worker of the task's run; what it did so far is kept as a commit.", "", 34, "W c"),
		t(RunTakeOver, "take over", "Open a shell in the worktree of the run; the program comes back when it ends.", "", 33, "W t"),
		over(in(RunUnfold, "unfold", "Unfold what is under the cursor, or fold it: a call with its result, a long message, what a check printed.", "", 15, "space"), Select),
		in(RunFold, "fold all", "Fold every call and every message.", "", 0, "z M"),
		over(in(RunPatch, "comment on patch", "Open the patch of the run, to comment on its lines.", "", 16, "d"), Diff),
		in(RunUnfolds, "unfold all", "Unfold every call and every message.", "", 0, "z R"),
	}
}
