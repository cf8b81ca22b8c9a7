package hook

import (
	"slices"
	"strings"

	"vespe/model"
)

// risky are commands with the risk that they have, as patterns of the gate has them. What is not here is low.
// It is a rough guess that puts the worst first; what it does not know a person's own rules say.
var risky = []struct{ pattern, risk string }{
	{"rm -r", model.RiskHigh},
	{"sudo", model.RiskHigh},
	{"doas", model.RiskHigh},
	{"su", model.RiskHigh},
	{"dd", model.RiskHigh},
	{"mkfs*", model.RiskHigh},
	{"fdisk", model.RiskHigh},
	{"shred", model.RiskHigh},
	{"shutdown", model.RiskHigh},
	{"reboot", model.RiskHigh},
	{"chmod -R", model.RiskHigh},
	{"chown -R", model.RiskHigh},
	{"git push --force", model.RiskHigh},
	{"git push --mirror", model.RiskHigh},
	{"git push --delete", model.RiskHigh},
	{"git reset --hard", model.RiskHigh},
	{"git clean -f", model.RiskHigh},
	{"git filter-branch", model.RiskHigh},
	{"find -delete", model.RiskHigh},
	{"terraform apply", model.RiskHigh},
	{"terraform destroy", model.RiskHigh},
	{"tofu apply", model.RiskHigh},
	{"pulumi up", model.RiskHigh},
	{"kubectl delete", model.RiskHigh},
	{"kubectl apply", model.RiskHigh},
	{"helm upgrade", model.RiskHigh},
	{"helm uninstall", model.RiskHigh},
	{"docker system prune", model.RiskHigh},
	{"aws", model.RiskHigh},
	{"gcloud", model.RiskHigh},
	{"az", model.RiskHigh},
	{"npm publish", model.RiskHigh},
	{"cargo publish", model.RiskHigh},
	{"twine upload", model.RiskHigh},
	{"gh release", model.RiskHigh},
	{"gh pr merge", model.RiskHigh},
	{"gh repo delete", model.RiskHigh},
	{"psql", model.RiskHigh},
	{"mysql", model.RiskHigh},
	{"crontab", model.RiskHigh},
	{"systemctl", model.RiskHigh},
	{"rm", model.RiskMedium},
	{"mv", model.RiskMedium},
	{"git push", model.RiskMedium},
	{"git rebase", model.RiskMedium},
	{"git branch -D", model.RiskMedium},
	{"git checkout --force", model.RiskMedium},
	{"curl", model.RiskMedium},
	{"wget", model.RiskMedium},
	{"ssh", model.RiskMedium},
	{"scp", model.RiskMedium},
	{"rsync", model.RiskMedium},
	{"nc", model.RiskMedium},
	{"npm install", model.RiskMedium},
	{"npm i", model.RiskMedium},
	{"pip install", model.RiskMedium},
	{"pip3 install", model.RiskMedium},
	{"apt*", model.RiskMedium},
	{"brew", model.RiskMedium},
	{"go install", model.RiskMedium},
	{"cargo install", model.RiskMedium},
	{"docker", model.RiskMedium},
	{"kill*", model.RiskMedium},
	{"pkill", model.RiskMedium},
	{"chmod", model.RiskMedium},
	{"chown", model.RiskMedium},
	{"gh", model.RiskMedium},
	{"kubectl", model.RiskMedium},
	{"terraform", model.RiskMedium},
}

// riskOf is how much harm a call could do, at a glance, and why.
func riskOf(c *Call, s *script, touched []touch) (risk string, why []string) {
	risk = model.RiskLow
	at := func(level, reason string) {
		switch {
		case riskRank(level) > riskRank(risk):
			risk, why = level, []string{reason}
		case level == risk && level != model.RiskLow && !slices.Contains(why, reason):
			why = append(why, reason)
		}
	}
	if s != nil {
		for _, r := range risky {
			if s.runs(r.pattern) {
				at(r.risk, r.pattern)
			}
		}
		if s.unsure != "" {
			at(model.RiskHigh, s.unsure)
		}
	}
	for i := range touched {
		if t := &touched[i]; t.write && c.outside(t) {
			at(model.RiskHigh, "writes outside of the project")
		}
	}
	switch {
	case strings.HasPrefix(c.Tool, "mcp__") && !reads(c.Tool):
		at(model.RiskMedium, "a tool of another server")
	case c.Tool == "WebFetch" || c.Tool == "WebSearch":
		at(model.RiskMedium, "it reaches the network")
	}
	return risk, why
}

// outside reports a file that is in no place of the call's, nor one for temporary files.
func (c *Call) outside(t *touch) bool {
	if len(t.at) == 0 || !strings.Contains(t.word, "/") {
		return false
	}
	home := []string{c.Places.CWD, c.Places.Root, c.Places.Worktree, "/tmp", "/var/tmp", "/dev"}
	for _, at := range t.at {
		if !slices.ContainsFunc(home, func(dir string) bool { return dir != "" && (inside(at, dir) || inside(at, real(dir))) }) {
			return true
		}
	}
	return false
}
