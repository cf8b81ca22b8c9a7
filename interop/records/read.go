package records

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"vespe/model"
	"vespe/model/visible"
)

const (
	maxInput  = 256 << 20 // bytes of one file
	maxRecord = 1 << 20   // bytes of one record: it has to fit into a spec.json
)

// Record is one object of a file.
type Record struct {
	Fields model.Extra
	Raw    []byte // the object as it was written
	Path   string // the file, for problems
	Line   int    // where it begins, 1-based
	Index  int    // which of the file's records it is, 1-based

	// What a task came with beside its record, where a system keeps it apart.
	Results map[string]string // file name under result/ → bytes
	Events  []model.Event
}

// Input is what records are read from: a file, the standard input, or a directory.
type Input struct {
	Name string    // what problems call it
	File io.Reader // nil for a directory
	Dir  fs.FS     // nil for all but a directory
}

// Records reads what an input holds.
func (f *Format) Records(in Input) ([]Record, []model.Problem) {
	if f.Read != nil {
		return f.Read(in)
	}
	return ReadFile(in)
}

// ReadFile reads the records of an input that has to be a file.
func ReadFile(in Input) ([]Record, []model.Problem) {
	if in.Dir != nil {
		return nil, []model.Problem{{Path: in.Name, Severity: model.Error, Code: "not-regular", Reason: "it is a directory", Hint: "name a file"}}
	}
	return Read(in.Name, in.File)
}

// Problem is something wrong with the record.
func (r Record) Problem(code, reason, hint string) model.Problem {
	return model.Problem{
		Path: r.Path, Line: r.Line, Severity: model.Error, Code: code,
		Reason: fmt.Sprintf("record %d: %s", r.Index, reason), Hint: hint,
	}
}

// Read reads the objects of a file that holds one object, a list of objects, or objects one
// after another, as JSONL does; path is what problems call it. With a problem the records are
// not all that the file holds.
func Read(path string, in io.Reader) ([]Record, []model.Problem) {
	src, problems := Bytes(path, in)
	if len(problems) > 0 {
		return nil, problems
	}
	return Parse(path, src)
}

// Bytes reads a file of text as a whole.
func Bytes(path string, in io.Reader) ([]byte, []model.Problem) {
	src, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err != nil {
		return nil, problem(path, 0, "unreadable", err.Error(), "")
	}
	if len(src) > maxInput {
		return nil, problem(path, 0, "too-large", fmt.Sprintf("the file is larger than %d MiB", maxInput>>20), "split it")
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	if !utf8.Valid(src) {
		return nil, problem(path, lineOf(src, invalidAt(src)), "bad-utf8", "the file is not valid UTF-8", "save it as UTF-8")
	}
	return src, nil
}

func problem(path string, line int, code, reason, hint string) []model.Problem {
	return []model.Problem{{Path: path, Line: line, Severity: model.Error, Code: code, Reason: reason, Hint: hint}}
}

// Parse is Read of bytes.
func Parse(path string, src []byte) ([]Record, []model.Problem) {
	return ParseAt(path, src, Span{0, len(src)})
}

// ParseAt is Parse of a part of bytes, with the lines of all of them.
func ParseAt(path string, src []byte, at Span) ([]Record, []model.Problem) {
	part := at.Of(src)
	values, err := split(part)
	var records []Record
	var problems []model.Problem
	line, counted := lineOf(src, at.From), 0
	for i, v := range values {
		line += bytes.Count(part[counted:v.From], []byte{'\n'})
		counted = v.From
		r := Record{Raw: v.Of(part), Path: path, Line: line, Index: i + 1}
		switch {
		case r.Raw[0] != '{':
			problems = append(problems, r.Problem("wrong-type", "it is not an object", "correct or remove it"))
			continue
		case len(r.Raw) > maxRecord:
			problems = append(problems, r.Problem("too-large", fmt.Sprintf("it is larger than %d KiB", maxRecord>>10), "shorten it"))
			continue
		}
		fields, found := model.DecodeFields(path, r.Raw)
		for _, p := range found {
			p.Line = max(p.Line, 1) + r.Line - 1
			p.Reason = fmt.Sprintf("record %d: %s", r.Index, p.Reason)
			problems = append(problems, p)
		}
		r.Fields = fields
		records = append(records, r)
	}
	if err != nil {
		in, why := len(bytes.TrimSpace(part)), err.Error()
		var syntax *jsontext.SyntacticError
		if errors.As(err, &syntax) {
			in, why = int(syntax.ByteOffset), syntax.Err.Error()
		}
		problems = append(problems, problem(path, lineOf(src, at.From+in), "bad-json",
			fmt.Sprintf("record %d: %s", len(values)+1, visible.Line(strings.TrimPrefix(why, "jsontext: "))), "correct or remove it")...)
	}
	if len(values) == 0 && err == nil && len(bytes.TrimSpace(part)) == 0 {
		problems = problem(path, 0, "empty-file", "the file is empty", "")
	}
	return records, problems
}

// Member is a member of an object, and where its value stands.
type Member struct {
	Name string
	Span
}

// Members are those of an object at a place, in their order; false where it is none.
func Members(src []byte, at Span) ([]Member, bool) {
	d := jsontext.NewDecoder(bytes.NewBuffer(at.Of(src)), jsontext.AllowDuplicateNames(true))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, false
	}
	var out []Member
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, false
		}
		m := Member{Name: name.String()}
		v, err := d.ReadValue()
		if err != nil {
			return nil, false
		}
		m.To = at.From + int(d.InputOffset())
		m.From = m.To - len(v)
		out = append(out, m)
	}
	_, err := d.ReadToken()
	return out, err == nil
}

// LineOf is the line of a place in bytes, 1-based.
func LineOf(src []byte, at int) int { return lineOf(src, at) }

// Span is where something stands in bytes.
type Span struct{ From, To int }

// Of is what stands there.
func (s Span) Of(src []byte) []byte { return src[s.From:s.To] }

// split finds the values of a file, those of its list where it holds one.
func split(src []byte) ([]Span, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(src), jsontext.AllowDuplicateNames(true)) // the record says which
	var out []Span
	inList, lists := false, 0
	for {
		switch k := d.PeekKind(); {
		case k == '[' && !inList && len(out) == 0 && lists == 0:
			inList = true
			lists++
		case k == ']' && inList:
			inList = false
		default:
			if lists > 0 && !inList && k != 0 {
				return out, errors.New("unexpected text after the end of the list")
			}
			v, err := d.ReadValue()
			if errors.Is(err, io.EOF) && !inList {
				return out, nil
			}
			if err != nil {
				return out, err
			}
			to := int(d.InputOffset())
			out = append(out, Span{to - len(v), to})
			continue
		}
		if _, err := d.ReadToken(); err != nil {
			return out, err
		}
	}
}

func lineOf(src []byte, at int) int {
	return 1 + bytes.Count(src[:min(max(at, 0), len(src))], []byte{'\n'})
}

// invalidAt is where src stops being UTF-8.
func invalidAt(src []byte) int {
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(src)
}
