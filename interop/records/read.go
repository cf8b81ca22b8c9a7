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
	Results  map[string]string // file name under result/ → bytes
	Events   []model.Event
	Attached map[string][]byte // what the record refers to by a hash or an id, by that
}

// Input is what records are read from: a file, the standard input, or a directory.
type Input struct {
	Name string    // what problems call it
	Path string    // where it lies; "" for the standard input
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
	bad := func(line int, code, reason, hint string) []model.Problem {
		return []model.Problem{{Path: path, Line: line, Severity: model.Error, Code: code, Reason: reason, Hint: hint}}
	}
	src, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err != nil {
		return nil, bad(0, "unreadable", err.Error(), "")
	}
	if len(src) > maxInput {
		return nil, bad(0, "too-large", fmt.Sprintf("the file is larger than %d MiB", maxInput>>20), "split it")
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	if !utf8.Valid(src) {
		return nil, bad(lineOf(src, invalidAt(src)), "bad-utf8", "the file is not valid UTF-8", "save it as UTF-8")
	}
	values, err := split(src)
	var records []Record
	var problems []model.Problem
	for i, v := range values {
		r := Record{Raw: src[v.from:v.to], Path: path, Line: lineOf(src, v.from), Index: i + 1}
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
		at, why := len(bytes.TrimSpace(src)), err.Error()
		var syntax *jsontext.SyntacticError
		if errors.As(err, &syntax) {
			at, why = int(syntax.ByteOffset), syntax.Err.Error()
		}
		problems = append(problems, bad(lineOf(src, at), "bad-json",
			fmt.Sprintf("record %d: %s", len(values)+1, visible.Line(strings.TrimPrefix(why, "jsontext: "))), "correct or remove it")...)
	}
	if len(values) == 0 && err == nil && len(bytes.TrimSpace(src)) == 0 {
		problems = bad(0, "empty-file", "the file is empty", "")
	}
	return records, problems
}

type span struct{ from, to int }

// split finds the values of a file, those of its list where it holds one.
func split(src []byte) ([]span, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(src), jsontext.AllowDuplicateNames(true)) // the record says which
	var out []span
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
				return out, errors.New("there is more after the end of the list")
			}
			v, err := d.ReadValue()
			if errors.Is(err, io.EOF) && !inList {
				return out, nil
			}
			if err != nil {
				return out, err
			}
			to := int(d.InputOffset())
			out = append(out, span{to - len(v), to})
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
