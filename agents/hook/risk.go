package hook

import (
	"slices"
	"strings"

	"vespe/model"
)

// risky are commands by their risk, as patterns of the gate. All others are low. It is a rough guess that puts the
// worst first; what it does not know a person's own rules say.
var risky = []struct {
	risk     string
	patterns []string
}{
	{model.RiskHigh, []string{
		"rm -r", "sudo", "doas", "su", "dd", "mkfs*", "fdisk", "shred", "shutdown", "reboot", "chmod -R", "chown -R",
		"git push --force", "git push --mirror", "git push --delete", "git reset --hard", "git clean -f", "git filter-branch",
		"find -delete", "terraform apply", "terraform destroy", "tofu apply", "pulumi up", "kubectl delete", "kubectl apply",
		"helm upgrade", "helm uninstall", "docker system prune", "aws", "gcloud", "az", "npm publish", "cargo publish",
		"twine upload", "gh release", "gh pr merge", "gh repo delete", "psql", "mysql", "crontab", "systemctl",
	}},
	{model.RiskMedium, []string{
		"rm", "mv", "git push", "git rebase", "git branch -D", "git checkout --force", "curl", "wget", "ssh", "scp", "rsync",
		"nc", "npm install", "npm i", "pip install", "pip3 install", "apt*", "brew", "go install", "cargo install", "docker",
		"kill*", "pkill", "chmod", "chown", "gh", "kubectl", "terraform",
	}},
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
			for _, pattern := range r.patterns {
				if s.runs(pattern) {
					at(r.risk, pattern)
				}
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
