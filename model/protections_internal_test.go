package model

import "testing"

// An acceptance by an older version is bound to the whole policy. It holds as long as that is what it was, and
// nothing that is loosened makes it hold.
func TestAcceptancesBoundToTheWholePolicy(t *testing.T) {
	read := func(s string) Policy { p, _ := DecodePolicy("", []byte(s)); return p }
	const gate, more, less = `{"gate": {"commands": ["a"]}}`, `{"gate": {"commands": ["a", "b"]}}`, `{}`
	for _, tt := range []struct {
		was, now string
		holds    bool
	}{
		{gate, gate, true},
		{gate, `{"name": "x", "gate": {"commands": ["a"]}}`, true},
		{gate, more, false}, // it never said what it depends on
		{gate, less, false},
		{more, gate, false},
		{less, less, true},
		{less, gate, true}, // there was nothing to loosen
		{less, `{"max_attempts": 9}`, false},
		{`{"hitl": {"start": "low"}}`, less, false},
	} {
		task := &Task{Status: StatusFile{CurrentState: Working, AcceptedPlan: &AcceptedPlan{PolicyHash: HashBytes(EncodePolicy(read(tt.was).wholeTerms()))}}}
		rs := ChangesOf(task, RulesOf(read(tt.now)))
		if (len(rs) == 0) != tt.holds {
			t.Errorf("accepted under %s, under %s it is changed by %v", tt.was, tt.now, rs)
		}
	}
}
