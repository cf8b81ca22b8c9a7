package model

// The words of git.mode in .vespe/config.json: whether transactions become commits.
const (
	GitOff    = "off"    // they do not
	GitRef    = "ref"    // of refs/vespe/history, which no branch, index or worktree knows
	GitBranch = "branch" // of the branch that is checked out
)

// GitMode is git.mode: GitOff, GitRef or GitBranch. What is not said, or is said in no way
// that can be read, is GitOff.
func (p Policy) GitMode() string {
	for _, x := range p.Extra {
		if x.Key == "git" {
			mode, _ := gitMode(x.Value)
			return mode
		}
	}
	return GitOff
}

// GitMistake is what is wrong with git.mode; "" when it can be read, or is not said.
func (p Policy) GitMistake() string {
	for _, x := range p.Extra {
		if x.Key == "git" {
			return gitMistake(x.Value)
		}
	}
	return ""
}

func gitMistake(raw []byte) string {
	if _, ok := gitMode(raw); ok {
		return ""
	}
	r := reader{src: raw}
	said := describe(raw)
	if m, ok := r.document(); ok {
		for m.next() {
			if string(m.bare()) != "mode" {
				continue
			}
			if said = describe(m.val); isString(m.val) {
				said = quoteKey(unquote(m.val))
			}
			return "git.mode is " + said + `; it must be "off", "ref" or "branch"`
		}
	}
	return "git is " + said + `; it must be an object such as {"mode": "ref"}`
}

// gitMode reads the object under "git"; false when its mode is none of the words.
func gitMode(raw []byte) (mode string, ok bool) {
	if raw[0] == 'n' {
		return GitOff, true
	}
	r := reader{src: raw}
	m, ok := r.document()
	if !ok {
		return GitOff, false
	}
	for m.next() {
		if string(m.bare()) != "mode" || m.val[0] == 'n' {
			continue
		}
		if !isString(m.val) {
			return GitOff, false
		}
		switch mode := unquote(m.val); mode {
		case GitOff, GitRef, GitBranch:
			return mode, true
		}
		return GitOff, false
	}
	return GitOff, true
}
