//go:build clients

package clients

import (
	"slices"
	"strings"
	"testing"
)

// movePlan has a part that can be left out, and says in it what must not reach a model that the part is kept from.
const movePlan = "# Move the data\n\n## Copy\n\nCopy every row.\n\n## Drop tables\n\nRun DROP TABLE on the old ones.\n"

// A verdict is what a person decides on a plan, and what the model has to read of it, word for word, whatever way it
// comes.
type verdict struct {
	name   string
	decide func(w *world, uid string)
	yes    bool
	says   []string // in every way
	order  string   // besides, where a hook passes it on
	never  string   // in what the client hands to the model as the accepted plan
}

func verdicts() []verdict {
	verb := func(args ...string) func(*world, string) {
		return func(w *world, uid string) { w.person(append([]string{args[0], uid}, args[1:]...)...) }
	}
	return []verdict{
		{name: "accept", decide: verb("accept-plan"), yes: true},
		{name: "accept with notes", yes: true, says: []string{"only on Fridays", "count them before and after"}, decide: func(w *world, uid string) {
			w.person("comment", uid, "--line", "5", "count them before and after")
			w.person("accept-plan", uid, "-m", "only on Fridays")
		}},
		{
			name: "accept without a part", decide: verb("accept-plan", "--without", "Drop tables", "-m", "only on Fridays"), yes: true,
			says: []string{"Drop tables", "only on Fridays"}, order: "These parts are NOT accepted", never: "DROP TABLE",
		},
		{name: "reject", decide: verb("reject-plan", "-m", "there is no way back"), says: []string{"there is no way back"}},
		{name: "ask", decide: verb("question-plan", "-m", "who needs the old tables?"), says: []string{"who needs the old tables?"}},
	}
}

// fetched says whether an agent is noted to have read the verdict.
func (w *world) fetched(uid string) bool {
	w.t.Helper()
	return object[struct{ Fetched *struct{ By string } }](w, "review", uid).Fetched != nil
}

// hears checks that what a client shows its model in a turn says all that the person said, and that this counts as
// read.
func (v *verdict) hears(w *world, way string, r *Request) {
	got := strings.Join(append(slices.Clone(r.Now), r.Last().Text), "\n")
	says := v.says
	if way == "ExitPlanMode" {
		says = append(slices.Clone(says), v.order)
	}
	for _, part := range says {
		if !strings.Contains(got, part) {
			w.t.Errorf("%s: the model does not read %q in %q", way, part, got)
		}
	}
}

// handsIn is a model that hands in movePlan by its client's plan mode, and reads what became of it.
func handsIn(t *testing.T, then ...Turn) []Turn {
	return append([]Turn{plans(t, movePlan), leavesPlanMode(t)}, then...)
}

// Whatever a person decides on a plan that waits at a terminal, in vespe, is what the model reads.
func TestVerdictsAtATerminal(t *testing.T) {
	for _, v := range verdicts() {
		for _, deferred := range []bool{false, true} {
			if deferred && v.name != "accept without a part" {
				continue
			}
			t.Run(v.name+map[bool]string{true: ", deferred first"}[deferred], func(t *testing.T) {
				w := newWorld(t)
				done := make(chan struct{})
				model := w.claudeModel(handsIn(t, func(r *Request) []Step {
					got := r.Last()
					if got.Error == v.yes || v.never != "" && strings.Contains(got.Text, v.never) {
						t.Errorf("the verdict came to %+v", got)
					}
					v.hears(w, "ExitPlanMode", r)
					return last(r, done)
				})...)
				w.attended()
				w.install("claude-code")
				w.atTerminal("--permission-mode", "plan", "Plan it.")
				w.eventually("a plan waits for review", func() bool { l := w.tasks(); return len(l) == 1 && l[0].Status == "review plan" })
				uid := w.tasks()[0].UID
				if deferred {
					w.person("defer-plan", uid, "-m", "after the release")
				}
				if w.fetched(uid) {
					t.Error("a verdict is read that nobody has given")
				}
				v.decide(w, uid)
				w.until(done, "the model is told of the verdict")
				w.eventually("it counts as read", func() bool { return w.fetched(uid) })
				model.Done()
			})
		}
	}
}

// The same of a plan of a session that nobody sits at, which is put off and resumed.
func TestVerdictsOnAPlanThatWasPutOff(t *testing.T) {
	args := []string{"--permission-mode", "plan", "--permission-prompt-tool", "mcp__vespe__permission_prompt"}
	for _, v := range verdicts() {
		t.Run(v.name, func(t *testing.T) {
			w := newWorld(t)
			model := w.claudeModel(handsIn(t, func(r *Request) []Step {
				if got := r.Last(); got.Error == v.yes || v.never != "" && strings.Contains(got.Text, v.never) {
					t.Errorf("the verdict came to %+v", got)
				}
				v.hears(w, "ExitPlanMode", r)
				return Say("I have read it.")
			}, func(*Request) []Step { return Say("I am reminded.") })...)
			w.install("claude-code")
			s := w.deferred(w.claude(append(args, "Plan it.")...), "ExitPlanMode")
			uid := w.tasks()[0].UID
			w.person("defer-plan", uid, "-m", "after the release")
			again := w.deferred(w.claude(append(args, "--resume", s.SessionID, "")...), "ExitPlanMode")
			if again.Deferred.ID != s.Deferred.ID || model.Asked() != 2 || w.fetched(uid) {
				t.Errorf("a plan that was deferred came to %+v", again)
			}
			v.decide(w, uid)
			w.claude(append(args, "--resume", s.SessionID, "")...)
			if model.Asked() < 3 || !w.fetched(uid) {
				t.Errorf("the model was asked %d times, and the verdict is read: %v", model.Asked(), w.fetched(uid))
			}
		})
	}
}

// The same by the tools of the server and by the command line, as a model calls them.
func TestVerdictsByToolAndCommand(t *testing.T) {
	for _, v := range verdicts() {
		t.Run(v.name, func(t *testing.T) {
			w := newWorld(t)
			w.objective("Move")
			w.vespe("define-plan", "Move", movePlan)
			uid := w.uid("Move")
			ways := []struct {
				name string
				call []Step
			}{
				{"review_wait", Call("mcp__vespe__review_wait", map[string]any{"review_id": "plan-" + uid + "-1", "wait_s": 1})},
				{"vespe wait", bash("vespe wait " + uid + " --timeout 1s")},
				{"vespe wait --json", bash("vespe wait " + uid + " --timeout 1s --json | cat")},
				{"vespe review", bash("vespe review " + uid)},
				{"vespe review --md", bash("vespe review " + uid + " --md")},
			}
			var turns []Turn
			for i, way := range ways {
				turns = append(turns, func(r *Request) []Step {
					if i > 0 {
						v.hears(w, ways[i-1].name, r)
					}
					return way.call
				})
			}
			model := w.claudeModel(append(turns, func(r *Request) []Step {
				v.hears(w, ways[len(ways)-1].name, r)
				return Say("I have read it.")
			})...)
			w.install("claude-code")
			v.decide(w, uid)
			w.claude("Read it.", "--allowedTools", "Bash")
			model.Done()
			if !w.fetched(uid) {
				t.Error("the verdict is not read")
			}
		})
	}
}

// A plan that is only deferred is undecided in every way.
func TestADeferredPlanIsUndecided(t *testing.T) {
	w := newWorld(t)
	w.planned("Move")
	uid := w.uid("Move")
	w.person("defer-plan", uid, "-m", "after the release")
	model := w.claudeModel(
		func(*Request) []Step {
			return Call("mcp__vespe__review_wait", map[string]any{"review_id": "plan-" + uid + "-1", "wait_s": 1})
		},
		func(r *Request) []Step {
			if got := read[envelope](t, r.Last()); got.State != "pending" {
				t.Errorf("review_wait came to %+v", got)
			}
			return bash("vespe wait " + uid + " --timeout 1s; echo code $?")
		},
		func(r *Request) []Step {
			if got := r.Last(); !strings.Contains(got.Text, "no one has decided yet") || !strings.Contains(got.Text, "code 5") {
				t.Errorf("vespe wait came to %+v", got)
			}
			return bash("vespe review " + uid)
		},
		func(r *Request) []Step {
			if got := r.Last(); !strings.Contains(got.Text, "deferred") || !strings.Contains(got.Text, "after the release") {
				t.Errorf("vespe review came to %+v", got)
			}
			return Say("I wait.")
		},
	)
	w.install("claude-code")
	w.claude("Read it.", "--allowedTools", "Bash")
	model.Done()
}
