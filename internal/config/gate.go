package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"vespe/model"
)

// Gate is [gate] of the person's config.toml: which calls of agents wait for them. A store cannot take any of
// it back.
type Gate struct {
	Rules model.GateRules
	Wrong []string // what was not understood: then every call waits
}

// Gate reads [gate]. A rule that was written wrong must not mean that nothing waits.
func (c *Config) Gate() Gate {
	var g Gate
	if err := c.unruled(); err != nil {
		g.Rules.Unread = err.Error() + ". Correct the file." // the workbench says so, too
		return g
	}
	table, ok := c.said["gate"].(map[string]any)
	if c.said["gate"] != nil && !ok {
		g.complain("gate is %v; it must be a table, [gate]", c.said["gate"])
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		switch value := table[key]; key {
		case "tools":
			g.patterns(key, value, &g.Rules.Tools)
		case "commands":
			g.patterns(key, value, &g.Rules.Commands)
		case "paths":
			g.patterns(key, value, &g.Rules.Paths)
		case "reads":
			g.patterns(key, value, &g.Rules.Reads)
		case "risk":
			text, _ := value.(string)
			if !slices.Contains([]string{model.RiskLow, model.RiskMedium, model.RiskHigh, model.RiskNever}, text) {
				g.complain("gate.risk is %v; it may be low, medium, high or never", value)
			}
			g.Rules.Risk = text
		default:
			g.complain("gate.%s is not known; there are %s", key, strings.Join(model.GateKeys(), ", "))
		}
	}
	if len(g.Wrong) > 0 {
		g.Rules.Unread = c.path() + ": " + strings.Join(g.Wrong, "; ") + ". Correct it."
	}
	return g
}

func (g *Gate) patterns(key string, value any, dst *[]string) {
	list, ok := value.([]any)
	if text, one := value.(string); one {
		list, ok = []any{text}, true
	}
	for _, v := range list {
		text, isText := v.(string)
		ok = ok && isText && model.ValidPattern(key, text)
		*dst = append(*dst, text)
	}
	if !ok {
		g.complain("gate.%s is %v; it must be a list of patterns in quotes", key, value)
	}
}

func (g *Gate) complain(format string, args ...any) {
	g.Wrong = append(g.Wrong, fmt.Sprintf(format, args...))
}
