package model

// HITLStart is hitl.start in .vespe/config.json: the least risk of tasks that a person has to
// allow the start of when it is an agent that starts them; RiskNever where that is not said, and
// RiskLow where it is said in no way that can be read.
func (p Policy) HITLStart() string {
	for _, x := range p.Extra {
		if x.Key == "hitl" {
			from, _ := hitlStart(x.Value)
			return from
		}
	}
	return RiskNever
}

// HITLMistake is what is wrong with hitl.start; "" when it can be read, or is not said.
func (p Policy) HITLMistake() string {
	for _, x := range p.Extra {
		if x.Key == "hitl" {
			return hitlMistake(x.Value)
		}
	}
	return ""
}

func hitlMistake(raw []byte) string {
	if _, ok := hitlStart(raw); ok {
		return ""
	}
	return `hitl is ` + describe(raw) + `; it must be an object such as {"start": "high"}, with "low", "medium", "high" or "never"`
}

// hitlStart reads the object under "hitl". What cannot be read asks about everything: whoever
// wrote it wanted to be asked.
func hitlStart(raw []byte) (from string, ok bool) {
	if raw[0] == 'n' {
		return RiskNever, true
	}
	r := reader{src: raw}
	m, ok := r.document()
	if !ok {
		return RiskLow, false
	}
	for m.next() {
		if string(m.bare()) != "start" || m.val[0] == 'n' {
			continue
		}
		if isString(m.val) && (riskRank(unquote(m.val)) >= 0 || unquote(m.val) == RiskNever) {
			return unquote(m.val), true
		}
		return RiskLow, false
	}
	return RiskNever, true
}
