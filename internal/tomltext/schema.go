package tomltext

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Mistake is an entry of a file that can't be used.
type Mistake struct {
	Key  string // its path, such as worker.wall
	Says string
}

// Reader makes a field's value of the text or number that a person wrote; false if it can't.
type Reader func(text string) (value any, ok bool)

// Read is a reader of a value of type T.
func Read[T any](read func(string) (T, bool)) Reader {
	return func(text string) (any, bool) { return read(text) }
}

// Own is a field that reads its value itself.
type Own interface {
	// FromTOML takes a value as the TOML package decodes it. With a false ok, the value isn't of the field's form.
	FromTOML(value any) (ok bool)
}

// Fill puts the entries of a table into the fields of the struct that into points to. A mistake is reported and leaves
// its field as it is. at is the table's path, "" for the whole file. A field has these tags:
//
//	toml     its key; without one the field is not of the file
//	enum     the words that it may be
//	form     what it may be, if the type and enum don't say so
//	read     the name of the reader of its text
//	default  its value if the file doesn't say one
//	unset    what holds if the file doesn't say one, in words
//	doc      what it means
func Fill(table map[string]any, at string, into any, readers map[string]Reader) []Mistake {
	var wrong []Mistake
	v := reflect.ValueOf(into).Elem()
	fields := fieldsOf(v.Type())
	for _, f := range fields {
		if text, ok := f.Tag.Lookup("default"); ok {
			set(v.FieldByIndex(f.Index), f.Tag, text, nil)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		path := strings.TrimPrefix(at+"."+key, ".")
		i := slices.IndexFunc(fields, func(f reflect.StructField) bool { return f.Tag.Get("toml") == key })
		if i < 0 {
			wrong = append(wrong, Mistake{path, fmt.Sprintf("unknown setting %s; known are %s", path, strings.Join(keysOf(fields), ", "))})
			continue
		}
		field := v.FieldByIndex(fields[i].Index)
		in, isTable := table[key].(map[string]any)
		switch _, own := field.Addr().Interface().(Own); {
		case field.Kind() == reflect.Struct && !own && isTable:
			wrong = append(wrong, Fill(in, path, field.Addr().Interface(), readers)...)
		case !set(field, fields[i].Tag, table[key], readers):
			wrong = append(wrong, Mistake{path, fmt.Sprintf("%s is %v; it %s", path, table[key], formOf(path, fields[i]))})
		}
	}
	return wrong
}

// fieldsOf are the fields of a struct that are of the file.
func fieldsOf(t reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Tag.Get("toml") == "" })
}

// Keys are the keys of a struct that Fill fills, in order.
func Keys(file any) []string { return keysOf(fieldsOf(reflect.TypeOf(file))) }

func keysOf(fields []reflect.StructField) []string {
	var out []string
	for _, f := range fields {
		out = append(out, f.Tag.Get("toml"))
	}
	slices.Sort(out)
	return out
}

// set gives a field a value, if that is of its form.
func set(field reflect.Value, tag reflect.StructTag, value any, readers map[string]Reader) bool {
	if _, isOwn := field.Addr().Interface().(Own); isOwn {
		read := reflect.New(field.Type())
		ok := read.Interface().(Own).FromTOML(value)
		if ok {
			field.Set(read.Elem())
		}
		return ok
	}
	if name := tag.Get("read"); name != "" {
		switch value.(type) {
		case string, int64, float64:
		default:
			return false
		}
		got, ok := readers[name](fmt.Sprint(value))
		if ok {
			field.Set(reflect.ValueOf(got))
		}
		return ok
	}
	switch field.Kind() {
	case reflect.String:
		text, ok := value.(string)
		if words := strings.Fields(tag.Get("enum")); !ok || len(words) > 0 && !slices.Contains(words, text) {
			return false
		}
		field.SetString(text)
		return true
	case reflect.Bool:
		on, ok := value.(bool)
		if text, isText := value.(string); isText && text == tag.Get("default") {
			on, ok = text == "true", true
		}
		if ok {
			field.SetBool(on)
		}
		return ok
	case reflect.Map:
		v := reflect.ValueOf(value)
		ok := v.IsValid() && v.Type().AssignableTo(field.Type())
		if ok {
			field.Set(v)
		}
		return ok
	}
	return false
}

// formOf says what a field may be.
func formOf(path string, f reflect.StructField) string {
	if form := f.Tag.Get("form"); form != "" {
		return form
	}
	words := strings.Fields(f.Tag.Get("enum"))
	switch {
	case len(words) > 0:
		return "may be " + strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
	case f.Type.Kind() == reflect.Bool:
		return "may be true or false"
	case f.Type.Kind() == reflect.Struct || f.Type.Kind() == reflect.Map:
		return "must be a table, [" + path + "]"
	}
	return "must be a string in quotes"
}

// Markdown is the reference of a file that Fill reads: a row for each key.
func Markdown(file any) string {
	var b strings.Builder
	b.WriteString("| key | may be | default | means |\n|---|---|---|---|\n")
	markdown(&b, "", reflect.TypeOf(file))
	return b.String()
}

func markdown(b *strings.Builder, at string, t reflect.Type) {
	for _, f := range fieldsOf(t) {
		path := strings.TrimPrefix(at+"."+f.Tag.Get("toml"), ".")
		_, own := reflect.New(f.Type).Interface().(Own)
		if f.Type.Kind() == reflect.Struct && !own {
			markdown(b, path, f.Type)
			continue
		}
		form := strings.TrimPrefix(strings.TrimPrefix(formOf(path, f), "may be "), "must be ")
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", path, form, cmp.Or(f.Tag.Get("default"), f.Tag.Get("unset")), f.Tag.Get("doc"))
	}
}

// Lines are the lines in which a file's entries and tables begin, from 1, by their paths.
func Lines(src []byte) map[string]int {
	lines := map[string]int{}
	add := func(path string, line int) {
		for {
			if lines[path] == 0 {
				lines[path] = line
			}
			i := strings.LastIndexByte(path, '.')
			if i < 0 {
				return
			}
			path = path[:i]
		}
	}
	var p unstable.Parser
	p.Reset(src)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		key, line := Key(&p, e)
		if e.Kind != unstable.KeyValue {
			table = key
		}
		if table != "" && e.Kind == unstable.KeyValue {
			key = table + "." + key
		}
		add(key, line)
		if e.Kind == unstable.KeyValue && e.Value().Kind == unstable.InlineTable {
			for it := e.Value().Children(); it.Next(); {
				if in, line := Key(&p, it.Node()); in != "" {
					add(key+"."+in, line)
				}
			}
		}
	}
	return lines
}

// Line is the line of a mistake, or of the table that it is in; 0 where it isn't known.
func (m Mistake) Line(lines map[string]int) int {
	for path := m.Key; path != ""; {
		if line := lines[path]; line > 0 {
			return line
		}
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
	return 0
}

// At is a mistake with its line, as a person reads it.
func (m Mistake) At(lines map[string]int) string {
	if line := m.Line(lines); line > 0 {
		return fmt.Sprintf("line %d: %s", line, m.Says)
	}
	return m.Says
}
