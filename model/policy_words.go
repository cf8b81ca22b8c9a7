package model

import "strings"

// policyWord is a rule of .vespe/config.json that stands in an object, such as {"git": {"mode": "ref"}}.
type policyWord struct {
	object, key string
	words       []string
	unsaid      string // what holds where nothing is said,
	unread      string // and where it is said in no way that can be read
	until       string // what that means, for people
	such        string // an example
	alone       bool   // no other program keeps anything in the object: an unknown key may have been meant for this one
}

var (
	gitWord = policyWord{
		object: "git", key: "mode", words: []string{GitOff, GitRef, GitBranch}, unsaid: GitOff, unread: GitOff,
		until: "nothing becomes a commit", such: `{"mode": "ref"}`,
	}
	// Who wrote something under hitl wanted to be asked.
	hitlWord = policyWord{
		object: "hitl", key: "start", words: []string{RiskLow, RiskMedium, RiskHigh, RiskNever}, unsaid: RiskNever, unread: RiskLow,
		until: "a person is asked before every start", such: `{"start": "high"}`, alone: true,
	}
)

// The words of git.mode in .vespe/config.json: whether transactions become commits.
const (
	GitOff    = "off"    // they do not
	GitRef    = "ref"    // of refs/vespe/history, which no branch, index or worktree knows
	GitBranch = "branch" // of the branch that is checked out
)

// GitMode is git.mode: GitOff, GitRef or GitBranch. What is not said, or is said in no way
// that can be read, is GitOff.
func (p Policy) GitMode() string { return gitWord.of(p) }

// GitMistake is what is wrong with git.mode; "" when it can be read, or is not said.
func (p Policy) GitMistake() string {
	for _, x := range p.Extra {
		if x.Key == gitWord.object {
			return gitWord.mistake(x.Value)
		}
	}
	return ""
}

// HITLStart is hitl.start in .vespe/config.json: the least risk of tasks that a person has to
// allow the start of when it is an agent that starts them; RiskNever where that is not said, and
// RiskLow where it is said in no way that can be read.
func (p Policy) HITLStart() string { return hitlWord.of(p) }

func (w *policyWord) of(p Policy) string {
	if p.Unread != "" {
		return w.unread
	}
	for _, x := range p.Extra {
		if x.Key == w.object {
			word, _ := w.read(x.Value)
			return word
		}
	}
	return w.unsaid
}

// mistake is what is wrong with the value of the object's key; "" when nothing is.
func (w *policyWord) mistake(raw []byte) string {
	_, wrong := w.read(raw)
	return wrong
}

// read is the word that the object says, or what holds instead and what is wrong with it.
func (w *policyWord) read(raw []byte) (word, wrong string) {
	if raw[0] == 'n' {
		return w.unsaid, ""
	}
	r := reader{src: raw}
	m, ok := r.document()
	if !ok {
		return w.unread, w.object + " is " + describe(raw) + "; it must be an object such as " + w.such
	}
	for m.next() {
		switch name := string(m.bare()); {
		case name != w.key && (w.alone || nearKey(name, w.key)):
			return w.unread, w.object + " has the unknown key " + QuoteKey(name) + "; its key is " + w.key
		case name != w.key, m.val[0] == 'n':
			continue
		}
		said := describe(m.val)
		if isString(m.val) {
			word := unquote(m.val)
			for _, one := range w.words {
				if word == one {
					return word, ""
				}
			}
			said = QuoteKey(word)
		}
		return w.unread, w.object + "." + w.key + " is " + said + "; it must be " + quotedWords(w.words)
	}
	return w.unsaid, ""
}

// quotedWords is a choice of words as a sentence has it: "a", "b" or "c".
func quotedWords(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = QuoteKey(word)
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}
