package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"vespe/internal/signing"
	"vespe/model"
)

// Rules are what a person asks of approvals: the tables [approvals], [hitl] and [cli] of their own
// config.toml. A store cannot lower them.
type Rules struct {
	Signing signing.Config
	// AcceptWithoutTerminal lets the verbs that give a verdict be used by scripts.
	AcceptWithoutTerminal bool
	// AcceptInsideAgents lets them be used in the environment of a known agent.
	AcceptInsideAgents bool
	// StartConsent is the least risk of tasks that the person is asked about before an agent
	// starts them; "" for none.
	StartConsent string
	Wrong        []string // what was not understood
}

// Rules are what config.toml says of approvals. What is not understood of [approvals] makes every
// approval fail: a word that was written wrong must not mean that nothing is asked for.
func (c *Config) Rules() Rules {
	if err := c.unruled(); err != nil {
		return Rules{Signing: signing.Config{Err: err}, StartConsent: model.RiskLow} // the workbench says so, too
	}
	own := Rules{}
	own.read(c.said, c.dir, c.getenv("HOME"))
	if len(own.Wrong) > 0 {
		own.Signing.Err = errors.New(c.path() + ": " + strings.Join(own.Wrong, "; "))
	}
	return own
}

// read takes the tables from what config.toml says.
func (o *Rules) read(said map[string]any, dir, home string) {
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
			o.StartConsent = text
		}
	}
	if len(o.Wrong) > 0 { // who wrote something wanted to be asked
		o.StartConsent = model.RiskLow
	}
	for _, key := range slices.Sorted(maps.Keys(approvals)) {
		value := approvals[key]
		text, isText := value.(string)
		switch key {
		case "signing_key":
			o.Signing.Key = ownPath(text, dir, home)
		case "allowed_signers":
			o.Signing.AllowedSigners = ownPath(text, dir, home)
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
			o.AcceptInsideAgents = on
		default:
			o.AcceptWithoutTerminal = on
		}
	}
}

// required reads one level for all approvals, or one for each risk. A risk that nobody named needs
// what a medium one needs.
func (o *Rules) required(value any) {
	o.Signing.Needed = map[string]model.Level{}
	level := func(risk string, v any) {
		text, _ := v.(string)
		l, ok := model.ParseLevel(text)
		if !ok {
			o.complain("approvals.required is %v for %s; it may be claimed, signed or touched", v, risk)
		}
		o.Signing.Needed[risk] = l
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
	o.Signing.Needed[""] = o.Signing.Needed["medium"]
}

func (o *Rules) complain(format string, args ...any) {
	o.Wrong = append(o.Wrong, fmt.Sprintf(format, args...))
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
