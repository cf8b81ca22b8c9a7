package config

import (
	"slices"

	"vespe/engine/worker"
	"vespe/internal/tomltext"
	"vespe/model"
	"vespe/model/review"
)

// file is config.toml: all that a person can set. docs/config.md lists it from the tags.
type file struct {
	Theme      string `toml:"theme" form:"may be the name of a theme in quotes" default:"vespe" doc:"the colors; themes/*.toml adds some"`
	Background string `toml:"background" enum:"dark light auto" default:"auto" doc:"auto asks the terminal"`
	Mouse      bool   `toml:"mouse" default:"true" doc:"whether the workbench takes the mouse"`
	ASCII      bool   `toml:"ascii" default:"false" doc:"plain characters only"`
	Notify     string `toml:"notify" enum:"off bell osc9" default:"off" doc:"how new items in the inbox are announced; osc9 is a desktop notification"`

	Phrases phrases `toml:"phrases" form:"must be a list of texts in quotes" doc:"what ctrl+t offers where you write" unset:"a few"`

	ScoreCommand worker.Argv `toml:"score_command" doc:"how urgent a task is" form:"may be a list of texts: a program and its arguments"`

	Approvals struct {
		SigningKey     string `toml:"signing_key" form:"must be a path in quotes" doc:"your SSH key; without one approvals are claims"`
		AllowedSigners string `toml:"allowed_signers" form:"must be a path in quotes" doc:"whose signatures count"`
		Required       levels `toml:"required" form:"may be claimed, signed or touched, or a table of these for low, medium and high" unset:"claimed" doc:"what an approval needs"`
	} `toml:"approvals"`
	HITL struct {
		Start string `toml:"start" enum:"low medium high never" unset:"never" doc:"the risk from which on you allow the start of a task"`
	} `toml:"hitl"`
	CLI struct {
		AcceptWithoutTerminal bool `toml:"accept_without_terminal" unset:"false" doc:"your scripts may give verdicts"`
		AcceptInsideAgents    bool `toml:"accept_inside_agents" unset:"false" doc:"so may programs in a known agent's environment"`
	} `toml:"cli"`
	Gate struct {
		Tools    patterns `toml:"tools" form:"must be a list of patterns in quotes" doc:"tools whose calls wait for you"`
		Commands patterns `toml:"commands" form:"must be a list of patterns in quotes" doc:"commands that wait"`
		Paths    globs    `toml:"paths" form:"must be a list of patterns in quotes" doc:"files that a call writes"`
		Reads    globs    `toml:"reads" form:"must be a list of patterns in quotes" doc:"files that a call reads or writes"`
		Risk     string   `toml:"risk" enum:"low medium high never" unset:"never" doc:"calls of this estimated risk or higher"`
	} `toml:"gate"`
	worker.Tables
}

// Markdown is the reference of config.toml.
func Markdown() string { return tomltext.Markdown(file{}) }

// texts is a list of texts.
func texts(value any) (out []string, ok bool) {
	list, ok := value.([]any)
	for _, v := range list {
		text, isText := v.(string)
		out, ok = append(out, text), ok && isText
	}
	return out, ok
}

// phrases are texts that a person writes often.
type phrases []string

// FromTOML implements tomltext.Own.
func (p *phrases) FromTOML(value any) bool {
	out, ok := texts(value)
	*p = out
	return ok
}

// patterns are one pattern of names or commands, or a list of them.
type patterns []string

// FromTOML implements tomltext.Own.
func (p *patterns) FromTOML(value any) bool {
	var ok bool
	*p, ok = patternsOf("commands", value)
	return ok
}

// globs are one pattern of files, or a list of them.
type globs []string

// FromTOML implements tomltext.Own.
func (g *globs) FromTOML(value any) bool {
	var ok bool
	*g, ok = patternsOf("paths", value)
	return ok
}

func patternsOf(key string, value any) ([]string, bool) {
	list, ok := texts(value)
	if one, isText := value.(string); isText {
		list, ok = []string{one}, true
	}
	return list, ok && !slices.ContainsFunc(list, func(p string) bool { return !model.ValidPattern(key, p) })
}

// levels are one level for all approvals, or one for each risk. A risk that nobody named needs what a medium one needs.
type levels map[string]review.Level

// FromTOML implements tomltext.Own.
func (l *levels) FromTOML(value any) bool {
	risks := []string{model.RiskLow, model.RiskMedium, model.RiskHigh}
	named, ok := value.(map[string]any)
	if one, isText := value.(string); isText {
		named, ok = map[string]any{model.RiskLow: one, model.RiskMedium: one, model.RiskHigh: one}, true
	}
	*l = levels{}
	for risk, v := range named {
		text, _ := v.(string)
		level, known := review.ParseLevel(text)
		(*l)[risk], ok = level, ok && known && slices.Contains(risks, risk)
	}
	(*l)[""] = (*l)[model.RiskMedium]
	return ok
}
