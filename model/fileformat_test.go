package model

import (
	"reflect"
	"strings"
	"testing"

	"vespe/model/packing"
)

// A new field of status.json is one line in its struct: it is read, written, copied and packed then, and is no unknown key.
func TestANewFieldIsOneLine(t *testing.T) {
	t.Parallel()
	var fields []reflect.StructField
	for i := range reflect.TypeFor[StatusFile]().NumField() {
		fields = append(fields, reflect.TypeFor[StatusFile]().Field(i))
	}
	last := len(fields) - 1
	fields = append(fields[:last:last], reflect.StructField{Name: "ReviewedBy", Type: reflect.TypeFor[[]Actor](), Tag: `file:"reviewed_by"`}, fields[last])
	if _, err := tryFormat(reflect.StructOf(fields)); err == nil {
		t.Fatal("a list of actors is no type of a field; nothing says so")
	}
	fields[last].Type = reflect.TypeFor[[]string]()
	whole := reflect.StructOf(fields)
	f, err := tryFormat(whole)
	if err != nil {
		t.Fatal(err)
	}

	const file = `{"current_state": "working", "reviewed_by": ["human:ann"], "revision": 7, "other": 1}`
	read := func(src string) (reflect.Value, []Problem) {
		r := reader{path: "tasks/tsk-a/status.json", src: []byte(src)}
		m, ok := r.document()
		v := reflect.New(whole).Elem()
		if ok {
			f.read(&r, m, v)
			f.setExtra(v, r.kept(f.keys))
		}
		return v, r.problems
	}
	v, problems := read(file)
	if len(problems) > 0 || !reflect.DeepEqual(v.FieldByName("ReviewedBy").Interface(), []string{"human:ann"}) || len(f.extraOf(v)) != 1 {
		t.Fatalf("read %+v, %+v", v, problems)
	}

	w := writer{extra: f.extraOf(v)}
	w.open('{')
	f.write(&w, v)
	again, problems := read(string(w.file()))
	if len(problems) > 0 || !reflect.DeepEqual(v.Interface(), again.Interface()) {
		t.Errorf("what is read again is another: %+v\n%s", problems, w.buf)
	}

	c := reflect.New(whole).Elem()
	c.Set(v)
	f.own(c)
	c.FieldByName("ReviewedBy").Index(0).SetString("human:bob")
	if v.FieldByName("ReviewedBy").Index(0).String() != "human:ann" {
		t.Error("a copy shares the field")
	}

	packer := packing.Coder{Writing: true}
	f.pack(&packer, v)
	unpacked := reflect.New(whole).Elem()
	f.pack(&packing.Coder{Bytes: packer.Bytes}, unpacked)
	if !reflect.DeepEqual(v.Interface(), unpacked.Interface()) {
		t.Error("what was packed is another")
	}

	if _, problems := read(`{"current_state": "working", "reviewed-by": "x"}`); len(problems) != 1 || problems[0].Code != "misspelled-key" {
		t.Errorf("a key that looks like it: %+v", problems)
	}
}

// tryFormat is newFormat, or what is wrong with the struct.
func tryFormat(t reflect.Type) (f *format, err error) {
	defer func() {
		if wrong := recover(); wrong != nil {
			err = formatError{wrong}
		}
	}()
	return newFormat(t), nil
}

type formatError struct{ wrong any }

func (e formatError) Error() string { return "format" }

// Every option of a tag says something about some file, and a tag that says something else is a mistake of ours.
func TestTagsAreChecked(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{`file:"a,allways"`, `file:"a,as=hashh"`} {
		s := reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[string](), Tag: reflect.StructTag(tag)}})
		if _, err := tryFormat(s); err == nil {
			t.Errorf("%s: nothing is wrong with it", tag)
		}
	}
	for _, f := range []*format{
		statusFormat(), specFormat(), configFormat(), requestFormat(), runFormat(), milestonesFormat(), eventFormat(), policyFormat(),
	} {
		if len(f.keys) > 64 {
			t.Errorf("%q: more than the 64 keys that read can tell of", f.keys)
		}
		for _, key := range f.keys {
			if strings.ToLower(key) != key {
				t.Errorf("%q is no key", key)
			}
		}
	}
}

// A key that a format does not have is a mistake of ours, and never taken for the first one.
func TestHasKnowsItsKeys(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("has took an unknown key for one of the file")
		}
	}()
	statusFormat().has(1, "current_stat")
}
