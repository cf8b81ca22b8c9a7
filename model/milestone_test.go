package model

import (
	"slices"
	"strings"
	"testing"
)

const stonesPath = ".vespe/milestones.json"

func TestMilestonesRoundTrip(t *testing.T) {
	src := `{
  "milestones": [
    {
      "id": "M1",
      "name": "Core",
      "description": "what all else needs",
      "task_ids": [
        "tsk-a"
      ],
      "weight": {"n": 1}
    },
    {
      "id": "m2",
      "name": "",
      "description": 7,
      "task_ids": []
    }
  ],
  "owner": "ann"
}
`
	ms, ps := DecodeMilestones(stonesPath, []byte(src))
	if got := string(EncodeMilestones(ms)); got != src {
		t.Errorf("%s", got)
	}
	if ms.Broken || len(ps) != 1 || ps[0].Line != 15 || ps[0].Severity != Warning {
		t.Errorf("%v %+v", ms.Broken, ps)
	}
	given, ps := DecodeMilestones(stonesPath, []byte(`{"milestones":[{"id":"a","status":"pending","task_ids":null}]}`))
	if len(ps) > 0 || given.List[0].ID != "a" || strings.Contains(string(EncodeMilestones(given)), "status") {
		t.Errorf("%+v %+v", given, ps)
	}
}

func TestMilestonesThatCannotBeRead(t *testing.T) {
	for src, code := range map[string]string{
		`[]`:                                         "wrong-type",
		`{"milestones": {}}`:                         "wrong-type",
		`{"milestones": [7]}`:                        "bad-milestone",
		`{"milestones": [{"name": "x"}]}`:            "bad-milestone",
		`{"milestones": [{"id": "a b"}]}`:            "bad-milestone",
		`{"milestones": [{"id": "none"}]}`:           "bad-milestone",
		`{"milestones": [{"id": "a"}, {"id": "a"}]}`: "bad-milestone",
		`{"milestones": [{"ID": "a"}]}`:              "misspelled-key",
		`{"Milestones": []}`:                         "misspelled-key",
		`{"milestones": [`:                           "bad-json",
	} {
		ms, ps := DecodeMilestones(stonesPath, []byte(src))
		if !ms.Broken || !slices.ContainsFunc(ps, func(p Problem) bool { return p.Code == code && p.Line == 1 && p.Severity == Error }) {
			t.Errorf("%s: broken=%v %+v", src, ms.Broken, ps)
		}
	}
}

func FuzzDecodeMilestones(f *testing.F) {
	f.Add([]byte(`{"milestones":[{"id":"a","description":"d","task_ids":["x"],"k":[1]}],"z":null}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		ms, _ := DecodeMilestones(stonesPath, src)
		once := EncodeMilestones(ms)
		again, ps := DecodeMilestones(stonesPath, once)
		if string(EncodeMilestones(again)) != string(once) {
			t.Errorf("written twice it is other: %q of %q", once, src)
		}
		if !ms.Broken && again.Broken {
			t.Errorf("%q is broken: %+v", once, ps)
		}
	})
}
