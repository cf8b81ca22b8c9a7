package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vespe/model"
	"vespe/signing"
	"vespe/store/statedir"
)

// ownRules are what a person asks of approvals: the tables [approvals], [hitl] and [cli] of their own
// config.toml. A store cannot lower them.
type ownRules struct {
	signing signing.Config
	// acceptWithoutTerminal lets the verbs that give a verdict be used by scripts.
	acceptWithoutTerminal bool
	// acceptInsideAgents lets them be used in the environment of a known agent.
	acceptInsideAgents bool
	// startConsent is the least risk of tasks that the person is asked about before an agent
	// starts them; "" for none.
	startConsent string
	wrong        []string // what was not understood
}

// ownRules are what config.toml says of approvals. What is not understood of [approvals] makes every
// approval fail: a word that was written wrong must not mean that nothing is asked for.
func (c *config) ownRules() ownRules {
	if err := c.unruled(); err != nil {
		return ownRules{signing: signing.Config{Err: err}, startConsent: model.RiskLow} // the workbench says so, too
	}
	own := ownRules{}
	own.read(c.said, c.dir, c.getenv("HOME"))
	if len(own.wrong) > 0 {
		own.signing.Err = errors.New(c.path() + ": " + strings.Join(own.wrong, "; "))
	}
	return own
}

// read takes the tables from what config.toml says.
func (o *ownRules) read(said map[string]any, dir, home string) {
	table := func(name string) map[string]any {
		t, ok := said[name].(map[string]any)
		if said[name] != nil && !ok {
			o.complain("%s is %v; it must be a table, [%s]", name, said[name], name)
		}
		return t
	}
	approvals, hitl, cli := table("approvals"), table("hitl"), table("cli")
	for _, key := range slices.Sorted(maps.Keys(hitl)) {
		text, _ := hitl[key].(string)
		switch {
		case key != "start":
			o.complain("hitl.%s is not known; there is start", key)
		case !slices.Contains([]string{model.RiskLow, model.RiskMedium, model.RiskHigh, model.RiskNever}, text):
			o.complain("hitl.start is %v; it may be low, medium, high or never", hitl[key])
		default:
			o.startConsent = text
		}
	}
	if len(o.wrong) > 0 { // who wrote something wanted to be asked
		o.startConsent = model.RiskLow
	}
	for _, key := range slices.Sorted(maps.Keys(approvals)) {
		value := approvals[key]
		text, isText := value.(string)
		switch key {
		case "signing_key":
			o.signing.Key = ownPath(text, dir, home)
		case "allowed_signers":
			o.signing.AllowedSigners = ownPath(text, dir, home)
		case "required":
			o.required(value)
			isText = true
		default:
			o.complain("approvals.%s is not known; there are allowed_signers, required, signing_key", key)
			isText = true
		}
		if !isText {
			o.complain("approvals.%s is %v; it must be a path in quotes", key, value)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(cli)) {
		on, isBool := cli[key].(bool)
		switch {
		case key != "accept_without_terminal" && key != "accept_inside_agents":
			o.complain("cli.%s is not known; there are accept_inside_agents, accept_without_terminal", key)
		case !isBool:
			o.complain("cli.%s is %v; it may be true or false", key, cli[key])
		case key == "accept_inside_agents":
			o.acceptInsideAgents = on
		default:
			o.acceptWithoutTerminal = on
		}
	}
}

// required reads one level for all approvals, or one for each risk. A risk that nobody named needs
// what a medium one needs.
func (o *ownRules) required(value any) {
	o.signing.Needed = map[string]model.Level{}
	level := func(risk string, v any) {
		text, _ := v.(string)
		l, ok := model.ParseLevel(text)
		if !ok {
			o.complain("approvals.required is %v for %s; it may be claimed, signed or touched", v, risk)
		}
		o.signing.Needed[risk] = l
	}
	risks := []string{"low", "medium", "high"}
	switch v := value.(type) {
	case string:
		for _, risk := range risks {
			level(risk, v)
		}
	case map[string]any:
		for _, risk := range slices.Sorted(maps.Keys(v)) {
			if !slices.Contains(risks, risk) {
				o.complain("approvals.required.%s is not known; there are low, medium, high", risk)
				continue
			}
			level(risk, v[risk])
		}
	default:
		o.complain("approvals.required is %v; it may be a level, or a table of levels by risk", value)
	}
	o.signing.Needed[""] = o.signing.Needed["medium"]
}

func (o *ownRules) complain(format string, args ...any) {
	o.wrong = append(o.wrong, fmt.Sprintf(format, args...))
}

// ownPath is a path as the person means it: below their home, or beside config.toml.
func ownPath(path, dir, home string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && home != "" {
		return filepath.Join(home, rest)
	}
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// keys are those of the person who runs the program.
func (o *ownRules) keys() *signing.Keys {
	conf := o.signing
	if dir := statedir.CachePath(os.Getenv); dir != "" {
		conf.Remembered = filepath.Join(dir, "signatures")
	}
	return signing.New(conf, os.Environ())
}
