package model

import (
	"bytes"
	"slices"
)

// The protections of a policy hold agents back while accepted work is done: which of their calls wait for a person
// (gate), and which starts (hitl). An acceptance relies on them, and on nothing more: it holds where they are what
// they were or stricter, and is changed where one of them was loosened. So they are bound apart from the terms, whose
// every change counts. Older versions bound the terms with the protections in them; such an acceptance holds as long
// as both together are what they were.

// BoundProtections is the name under which the protections are bound, where there are any.
const BoundProtections = "protections"

// Protections are the parts of a policy that hold agents back.
func (p Policy) Protections() Policy {
	var out Policy
	for _, f := range p.Extra {
		if f.Key == gateKey || f.Key == hitlWord.object {
			out.Extra = append(out.Extra, f)
		}
	}
	out.Unread = p.Unread
	return out
}

// ProtectionsHash is the hash of a policy's protections; "" where it has none.
func ProtectionsHash(p Policy) string {
	b := ProtectionsBody(p)
	if b == nil {
		return ""
	}
	return HashBytes(b)
}

// ProtectionsBody is the protections of a policy in vespe's form, however the file writes them; nil for none.
func ProtectionsBody(p Policy) []byte {
	if p = p.Protections(); len(p.Extra) == 0 {
		return nil
	}
	return Canonical(bytes.TrimSpace(EncodePolicy(p)))
}

// RulesHashes are the hashes that a policy's terms may be bound by.
type RulesHashes struct {
	Terms string // without the protections
	whole string // with them, as older versions bound them
}

// RulesOf are the hashes of a policy as it is.
func RulesOf(p Policy) RulesHashes {
	terms := RulesHash(p)
	if p.Unread != "" {
		return RulesHashes{terms, terms}
	}
	return RulesHashes{terms, HashBytes(EncodePolicy(p.wholeTerms()))}
}

// today is the hash of today that an acceptance with a hash is to be compared with.
func (r RulesHashes) today(accepted string) string {
	if accepted == r.whole {
		return r.whole
	}
	return r.Terms
}

// IsLooser says whether one policy holds agents back from a task less than another did.
func (p Policy) IsLooser(was Policy, t *Task) bool {
	needs := func(p Policy) bool {
		least := RiskRank(p.HITLStart())
		return least >= 0 && RiskRank(RiskOf(t)) >= least
	}
	if needs(was) && !needs(p) {
		return true
	}
	now, then := p.Gate(), was.Gate()
	if now.Unread != "" || then.Unread != "" {
		return now.Unread == ""
	}
	for _, l := range [][2][]string{{then.Tools, now.Tools}, {then.Commands, now.Commands}, {then.Paths, now.Paths}, {then.Reads, now.Reads}} {
		if slices.ContainsFunc(l[0], func(rule string) bool { return !slices.Contains(l[1], rule) }) {
			return true
		}
	}
	least, before := RiskRank(now.Risk), RiskRank(then.Risk)
	return before >= 0 && (least < 0 || least > before)
}
