package keymap

// runActions are those of the loop, and of the runs of workers. They share the prefix W, for workers.
func runActions() []Spec {
	g, t, in := firing("Run", Global), firing("Run", Task), firing("Run", Run)
	over := func(s Spec, outer ...Action) Spec {
		s.Shadows = outer
		return s
	}
	return []Spec{
		g(LoopToggle, "start/stop loop", "Start the loop, or stop it after the current runs. Press again to stop those too.", "", 36, "W W"),
		g(LoopPause, "pause/resume loop", "Pause or resume the loop. Current runs continue.", "", 37, "W p"),
		t(LoopRun, "run task", "Run a worker on this task now, even if the loop is off.", "", 35, "W r"),
		t(RunCancel, "cancel the run", "Stop the task's worker. Its work so far is kept as a commit.", "", 34, "W c"),
		t(RunTakeOver, "take over", "Open a shell in the run's worktree. vespe returns when the shell ends.", "", 33, "W t"),
		over(in(RunUnfold, "unfold", "Fold or unfold a call, a long message or a check's output.", "", 15, "space"), Select),
		in(RunFold, "fold all", "Fold all calls and messages.", "", 0, "z M"),
		over(in(RunPatch, "comment on patch", "Open the run's patch to comment on its lines.", "", 16, "d"), Diff),
		in(RunUnfolds, "unfold all", "Unfold all calls and messages.", "", 0, "z R"),
	}
}
