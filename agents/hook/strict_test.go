package hook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vespe/model"
)

// rulesFile is a config.json that every decision about calls, starts and workers reads something of.
const rulesFile = `{
  "name": "demo",
  "dependency_policy": "completed",
  "on_subtask_failure": "hold",
  "max_attempts": 2,
  "hitl": {"start": "medium"},
  "gate": {"tools": ["WebFetch"], "commands": ["git push", "deploy"], "paths": ["infra/**"], "reads": [".env"], "risk": "high"},
  "worker": {"parallel": 1, "max_cost": 2, "max_turns": 9, "integrate": "never", "untested": "ask"}
}
`

// strictness is what a config.json decides, as numbers: the higher, the less is permitted.
func strictness(b []byte) map[string]int {
	p, _ := model.DecodePolicy(".vespe/config.json", b)
	gate := Policy{Store: p.Gate()}
	out := map[string]int{}
	for _, c := range []*Call{
		bash("git push"), bash("deploy now"), bash("sudo rm -rf /x"), bash("ls"), tool("WebFetch", `{}`), tool("Write", `{"file_path":"/p/infra/x"}`),
		tool("Read", `{"file_path":"/p/.env"}`), tool("Read", `{"file_path":"/p/x"}`), tool("Write", `{"file_path":"/p/.vespe/config.json"}`),
	} {
		out["call "+c.Tool+" "+string(c.Input)] = int(gate.Judge(c).Level)
	}
	out["start"] = []int{4: 0, 1: 3, 2: 2, 3: 1}[1+slices.Index([]string{model.RiskLow, model.RiskMedium, model.RiskHigh, model.RiskNever}, p.HITLStart())]
	out["attempts"] = -p.Attempts()
	w, none := p.Worker(), 1<<20
	limit := func(n int) int {
		switch {
		case w.Unread != "": // no worker starts
			return none
		case n <= 0:
			return -none
		}
		return -n
	}
	out["parallel"], out["cost"], out["turns"] = limit(w.Parallel), limit(int(100*w.MaxCost)), limit(w.MaxTurns)
	out["integrate"] = slices.Index([]string{model.IntegrateVerified, "", model.IntegrateReviewed, model.IntegrateNever}, w.Integrate)
	out["untested"] = slices.Index([]string{model.UntestedAccept, "", model.UntestedAsk}, w.Untested)
	if w.Unread != "" {
		out["integrate"], out["untested"] = none, none
	}
	return out
}

// looser are the decisions that a permits and the valid file does not.
func looser(a []byte) []string {
	valid := strictness([]byte(rulesFile))
	var out []string
	for what, n := range strictness(a) {
		if n < valid[what] {
			out = append(out, fmt.Sprintf("%s: %d, with the valid file %d", what, n, valid[what]))
		}
	}
	return out
}

// A file that says no longer what its person wrote never permits more than it did: cut short, with a key that is
// written otherwise, twice, or that nobody knows, or with a value of another type.
func TestADamagedPolicyPermitsNoMore(t *testing.T) {
	damaged := map[string]string{
		"empty": "", "blank": " \n", "a list": "[]", "null": "null", "a text": `"gate"`, "a number": "1", "no UTF-8": strings.Replace(rulesFile, "demo", "d\xff", 1),
		"a trailing comma": strings.Replace(rulesFile, "\n}", ",\n}", 1), "a comment": "// mine\n" + rulesFile, "two objects": rulesFile + "{}",
		"too large":  rulesFile[:len(rulesFile)-3] + `, "x": "` + strings.Repeat("x", model.MaxJSON) + `"}`,
		"too deep":   strings.Replace(rulesFile, `"demo"`, strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000), 1),
		"conflict":   "<<<<<<< ours\n" + rulesFile + "=======\n{}\n>>>>>>> theirs\n",
		"a bad glob": strings.Replace(rulesFile, "infra/**", "infra/[", 1),
	}
	for n := range strings.TrimRight(rulesFile, "\n") {
		damaged[fmt.Sprintf("cut to %d", n)] = rulesFile[:n]
	}
	var said map[string]json.RawMessage
	if err := json.Unmarshal([]byte(rulesFile), &said); err != nil {
		t.Fatal(err)
	}
	rules := slices.DeleteFunc(slices.Sorted(maps.Keys(said)), func(k string) bool { return k == "name" })
	damage := func(path string, key, value string) {
		at, has := `"`+key+`": `+value, rulesFile
		if !strings.Contains(has, at) {
			t.Fatalf("%s is not in the file as %s", path, at)
		}
		put := func(what, with string) { damaged[path+" "+what] = strings.Replace(has, at, with, 1) }
		for _, name := range []string{strings.ToUpper(key), strings.ToUpper(key[:1]) + key[1:], key + "z", key[1:], key[:len(key)-1], "_" + key, key[:1] + key[2:3] + key[1:2] + key[3:]} {
			put("as "+name, `"`+name+`": `+value)
		}
		put("twice", `"`+key+`": {}, `+at)
		for _, other := range []string{"true", "-1", "0.5", `"\u0000"`, `[{}]`, `[[]]`, `[1]`, `{"x": 1}`, `{"": []}`} {
			put("is "+other, `"`+key+`": `+other)
		}
	}
	for _, key := range rules {
		damage(key, key, string(said[key]))
		var in map[string]json.RawMessage
		if json.Unmarshal(said[key], &in) == nil {
			for sub, value := range in {
				damage(key+"."+sub, sub, string(value))
			}
		}
	}
	for what, b := range damaged {
		if more := looser([]byte(b)); len(more) > 0 {
			t.Errorf("%s: %s", what, strings.Join(more, "; "))
		}
	}
	if len(damaged) < 650 {
		t.Errorf("only %d files", len(damaged))
	}
	// The measure tells a file that permits more.
	for _, b := range []string{`{}`, strings.Replace(rulesFile, `"deploy"`, `"x"`, 1), strings.Replace(rulesFile, "medium", "high", 1), strings.Replace(rulesFile, `"max_cost": 2`, `"max_cost": 3`, 1)} {
		if len(looser([]byte(b))) == 0 {
			t.Errorf("nothing is looser about %s", b)
		}
	}
}

var aKey = regexp.MustCompile(`"[^"]*"\s*:`)

// wellFormed reports a file whose keys are all ones of rulesFile, once each, with values of their types: what it permits
// somebody meant.
func wellFormed(b []byte) bool {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	var file map[string]json.RawMessage
	if json.Unmarshal(b, &file) != nil || len(aKey.FindAll(b, -1)) != len(aKey.FindAllString(rulesFile, -1)) {
		return false
	}
	var valid map[string]json.RawMessage
	_ = json.Unmarshal([]byte(rulesFile), &valid)
	if !slices.Equal(slices.Sorted(maps.Keys(file)), slices.Sorted(maps.Keys(valid))) {
		return false
	}
	for _, key := range []string{"gate", "hitl", "worker"} {
		var in, want map[string]any
		_ = json.Unmarshal(valid[key], &want)
		if json.Unmarshal(file[key], &in) != nil || !slices.Equal(slices.Sorted(maps.Keys(in)), slices.Sorted(maps.Keys(want))) {
			return false
		}
		for sub := range in {
			if fmt.Sprintf("%T", in[sub]) != fmt.Sprintf("%T", want[sub]) {
				return false
			}
		}
	}
	return true
}

// FuzzPolicy puts another byte in the place of one of a valid file, or none: unless the file is well-formed still, it
// permits no more than it did.
func FuzzPolicy(f *testing.F) {
	for i, c := range []byte(rulesFile) {
		f.Add(uint(i), c^0x20, false)
		f.Add(uint(i), byte('"'), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, at uint, c byte, cut bool) {
		b := []byte(rulesFile)
		i := int(at % uint(len(b)))
		if b[i] = c; cut {
			b = slices.Delete(b, i, i+1)
		}
		if wellFormed(b) {
			return
		}
		if more := looser(b); len(more) > 0 {
			t.Errorf("%s\npermits more: %s", b, strings.Join(more, "; "))
		}
	})
}

// The answer names the file, what is wrong and what to do.
func TestAHookSaysWhyEverythingWaits(t *testing.T) {
	for body, says := range map[string]string{
		"{\n\"gate\": {},\n}": "config.json:", "": "the file is empty", `{"gate": {"commandz": ["git push"]}}`: `"commandz"`, `{"Gate": {}}`: `"Gate"`,
	} {
		f := newFixture(t)
		f.config(body)
		f.is(f.call(PreToolUse, "Bash", "toolu_1", map[string]string{"command": "ls"}), "defer")
		if q := f.one(); !strings.Contains(q.Detail, ".vespe/config.json") || !strings.Contains(q.Detail, says) {
			t.Errorf("%s: the person reads %q", body, q.Detail)
		}
	}
}
