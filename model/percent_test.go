package model

import "testing"

func TestProgressInPercent(t *testing.T) {
	for text, want := range map[string]int{
		"60%": 60, "parser done, 60 %": 60, "3/5": 60, "3 of 5 files": 60, "99.5%": 99, "": -1, "half": -1, "5/3": -1, "1/0": -1,
		"260%": -1, "0/7": 0, "2026/11/23": -1, "1.2/3.4": -1,
	} {
		s := StatusFile{Progress: text}
		got, ok := s.Percent()
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
}
