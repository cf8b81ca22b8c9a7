package keymap

// runActions are those of the loop, and of the runs of workers.
func runActions() []Spec {
	g, t, in := firing("Run", Global), firing("Run", Task), firing("Run", Run)
	toggle := g(LoopToggle, "start/stop loop", "Start the loop, or stop it after the current runs. Press again to stop those too.", "", 36, KeyStart)
	pause := g(LoopPause, "pause/resume loop", "Pause or resume the loop. Current runs continue.", "", 37, KeyPause)
	cancel := t(RunCancel, "stop the run", "Stop the task's worker. Its work so far is kept as a commit.", "", 34, KeyDeny)
	toggle.Keyed, pause.Keyed, cancel.Keyed = []Scope{Runs}, []Scope{Runs}, []Scope{Runs, Run}
	return []Spec{
		toggle,
		pause,
		t(LoopRun, "run task", "Run a worker on this task now, even if the loop is off.", "", 35),
		cancel,
		t(RunTakeOver, "take over", "Open a shell in the run's worktree. vespe returns when the shell ends.", "", 33),
		in(RunUnfold, "unfold", "Fold or unfold a call, a long message or a check's output. enter does it, too.", "", 0),
		in(RunFold, "fold log", "Fold all calls and messages.", "", 0),
		in(RunPatch, "comment on patch", "Open the run's patch to comment on its lines.", "", 16, KeyDiff),
		in(RunUnfolds, "unfold log", "Unfold all calls and messages.", "", 0),
	}
}
