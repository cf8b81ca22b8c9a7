package core

import (
	"fmt"
	"path/filepath"

	"vespe/agents/desk"
	"vespe/model"
	"vespe/model/snapshot"
)

// AgentHere is the agent whose environment this is; "" when there is none.
func (a *App) AgentHere() string { return desk.AgentHere(a.Getenv) }

// Actor says who acts: named, else the person at the keyboard, by what git calls them, or else by the environment or
// the account.
func (a *App) Actor() (model.Actor, error) {
	actor, err := a.named()
	if actor == "" && err == nil {
		actor = a.Person()
	}
	return actor, err
}

// named is who acts as --as says, then VESPE_ACTOR, then as the agent whose environment this is; "" where none does. A
// VESPE_ACTOR that is a person's came into an agent's environment with everything else of theirs, and does not count
// there.
func (a *App) named() (model.Actor, error) {
	for _, from := range []struct{ name, text string }{{"--as", a.As}, {"VESPE_ACTOR", a.Getenv("VESPE_ACTOR")}} {
		if from.text == "" {
			continue
		}
		actor, err := model.ParseActor(from.text)
		if err != nil {
			return "", Usagef("%s: %s", from.name, err)
		}
		if actor.Kind() == model.Human && from.name != "--as" && a.AgentHere() != "" && !a.VerdictsInsideAgents {
			continue
		}
		return actor, nil
	}
	if name := a.AgentHere(); name != "" {
		return agentActor(name)
	}
	return "", nil
}

// Person is who sits at the keyboard: by what git calls them, else by the environment, else by the account, the first
// that an actor can be called. Git is asked once.
func (a *App) Person() model.Actor {
	if a.who == "" {
		a.who = a.whoSits()
	}
	return a.who
}

func (a *App) whoSits() model.Actor {
	if a.GitName != nil {
		if actor, err := model.ParseActor(model.Human + ":" + a.GitName()); err == nil {
			return actor
		}
	}
	for _, variable := range []string{"USER", "LOGNAME", "USERNAME"} {
		if actor, err := model.ParseActor(model.Human + ":" + a.Getenv(variable)); err == nil {
			return actor
		}
	}
	if a.Account != nil {
		if actor, err := model.ParseActor(model.Human + ":" + a.Account()); err == nil {
			return actor
		}
	}
	return model.Actor(model.Human + ":someone")
}

func agentActor(name string) (model.Actor, error) {
	actor, err := model.ParseActor(model.Agent + ":" + name)
	if err != nil { // $VESPE_AGENT, which anybody may write
		return "", Usagef("%s", err)
	}
	return actor, nil
}

// Writer is who acts in what writes. What happens in a known agent's environment is never a person's, whose
// comments would be believed, and whose plans leave comments without an answer.
func (a *App) Writer() (model.Actor, error) {
	actor, err := a.Actor()
	if err != nil || actor.Kind() != model.Human && actor.Kind() != model.System || a.VerdictsInsideAgents {
		return actor, err
	}
	if name := a.AgentHere(); name != "" {
		who := "a person"
		if actor.Kind() == model.System {
			who = "vespe itself"
		}
		return "", &model.Refusal{
			Code: model.CodeDenied, Guard: "person",
			Why:  fmt.Sprintf("this is %s's environment, and only %s can act as %s", name, who, actor),
			Hint: "omit --as, or give it an agent",
		}
	}
	return actor, nil
}

// deskActor says who acts in the workbench, where a person's decision is one key: in a
// known agent's environment it is that agent, whatever --as says.
func (a *App) deskActor() (model.Actor, error) {
	actor, err := a.Actor()
	if err != nil || actor.Kind() == model.Agent || actor.Kind() == model.MCPClient {
		return actor, err
	}
	if name := a.AgentHere(); name != "" {
		return agentActor(name)
	}
	return actor, nil
}

// GuardHuman refuses a person's decision from inside a known agent's environment, whatever --as
// says, and a verdict where nobody sits at a terminal. What only vespe itself may do is the
// model's to refuse.
func (a *App) GuardHuman(t model.Transition, snap *snapshot.Snapshot, uid model.UID, dryRun bool) error {
	task, _ := snap.Task(uid)
	if task == nil || !needsPerson(t, task) {
		return nil
	}
	return a.GuardPerson(t.Name, uid, task.Config.Name, dryRun || t.Who == model.WhoHumanOrSystem)
}

// GuardPerson refuses what only a person may do from inside a known agent's environment, and
// where nobody sits at a terminal, unless that does not matter. It keeps verdicts from being given
// by accident, and by agents that do what they were told; anyone who runs as the same user can make a
// terminal of its own.
func (a *App) GuardPerson(op model.Name, uid model.UID, subject string, anywhere bool) error {
	r := &model.Refusal{Code: model.CodeDenied, Op: op, UID: uid, Task: subject, Guard: "person"}
	switch name := a.AgentHere(); {
	case name != "" && !a.VerdictsInsideAgents:
		r.Why = "this is " + name + "'s environment, and only a person may do this"
		r.Hint = "a person must do it in the workbench or in their own terminal"
	case anywhere, a.VerdictsFromScripts, a.Asks():
		return nil
	default:
		r.Why = "it needs a person at a terminal (standard input and standard error)"
		r.Hint = "decide in the workbench, or run the command in a terminal; for scripts, set accept_without_terminal = " +
			"true under [cli] of your config.toml"
	}
	return r
}

func needsPerson(t model.Transition, task *model.Task) bool {
	switch t.Who {
	case model.WhoHuman, model.WhoHumanOrSystem:
		return true
	case model.WhoHumanForHITL:
		return task.Status.WaitsForPerson()
	}
	return false
}

func Absolute(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}
