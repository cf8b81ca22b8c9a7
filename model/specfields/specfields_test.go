package specfields_test

import (
	"reflect"
	"strings"
	"testing"

	"vespe/internal/modeltest"
	"vespe/model"
	"vespe/model/specfields"
)

// Each field of a Spec has one row in the table, which alone shows it, and each key of spec.json has one.
func TestEveryFieldOfASpecHasARow(t *testing.T) {
	full := reflect.ValueOf(*modeltest.FullSpec())
	keys := map[string]bool{}
	for _, f := range specfields.All() {
		if keys[f.Key] {
			t.Errorf("%q has two rows", f.Key)
		}
		keys[f.Key] = true
		text := strings.Join(f.Lines(modeltest.FullSpec()), "\n")
		marks := modeltest.SpecMarks()[f.Key]
		if len(marks) == 0 {
			t.Errorf("nothing says what to look for of %q", f.Key)
		}
		for _, mark := range marks {
			if f.Key != "requires_hitl" && !strings.Contains(text, mark) {
				t.Errorf("%s is shown as %q, without %q", f.Key, text, mark)
			}
		}
		if f.Lines(new(model.Spec)) != nil {
			t.Errorf("%s shows something where nothing is said", f.Key)
		}
	}
	if len(keys) != len(modeltest.SpecMarks()) {
		t.Errorf("%d rows, and marks of %d", len(keys), len(modeltest.SpecMarks()))
	}
	for i := range full.NumField() {
		name := full.Type().Field(i).Name
		if full.Field(i).IsZero() {
			t.Errorf("FullSpec says nothing in %s", name)
		}
		less := modeltest.FullSpec()
		reflect.ValueOf(less).Elem().Field(i).SetZero()
		var shown []string
		for _, f := range specfields.All() {
			if !reflect.DeepEqual(f.Lines(less), f.Lines(modeltest.FullSpec())) {
				shown = append(shown, f.Key)
			}
		}
		if want := 1; len(shown) != want && name != "Priority" { // a rule holds only beside its priority
			t.Errorf("%s is shown by %q", name, shown)
		}
	}
	// What the codec writes has a row, and no other.
	written, _ := model.DecodeEvent("e.json", []byte(`{"details":`+string(model.EncodeSpec(modeltest.FullSpec()))+`}`))
	for _, d := range written.Details {
		if !keys[d.Key] && d.Key != "unknown" {
			t.Errorf("spec.json has %q, and the table does not", d.Key)
		}
	}
	if len(written.Details) != len(keys) {
		t.Errorf("spec.json has %d keys, the table %d", len(written.Details), len(keys))
	}
}

// Objects are shown as names and values, whatever is in them.
func TestValuesOfASpecAreLines(t *testing.T) {
	s := &model.Spec{}
	for key, value := range map[string]string{"a": `{"b":{"c":1},"d":["x",2,null]}`} {
		s.Context = append(s.Context, model.ExtraField{Key: key, Value: []byte(value)})
	}
	var lines []string
	for _, f := range specfields.All() {
		if f.Key == "context" {
			lines = f.Lines(s)
		}
	}
	if got := strings.Join(lines, "|"); got != "a.b.c: 1|a.d: x, 2, null" {
		t.Errorf("it is %q", got)
	}
	for value, want := range map[string]string{`[{"x":1},[2]]`: "k[1].x: 1|k[2]: 2", `{}`: "k: {}", `[]`: "k: []", `"s"`: "k: s", `true`: "k: true", `{"text":"` + strings.Repeat("x", 300) + `"}`: "k: a record of 311 bytes, kept for the next import"} {
		s.External = []model.ExtraField{{Key: "k", Value: []byte(value)}}
		for _, f := range specfields.All() {
			if got := strings.Join(f.Lines(s), "|"); f.Key == "external" && got != want {
				t.Errorf("%s is %q, want %q", value, got, want)
			}
		}
	}
}
