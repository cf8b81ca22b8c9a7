package taskspec

import (
	"encoding/json"
	"io/fs"
	"path"
	"strings"

	"vespe/interop/records"
	"vespe/model"
)

// stateKey is the member of a record that keeps the state of the graph that waits with it.
const stateKey = "hitl_state"

func read(in records.Input) ([]records.Record, []model.Problem) {
	if in.Dir != nil {
		return ReadQueue(in.Name, in.Dir)
	}
	return records.ReadFile(in)
}

// ReadQueue reads a directory of tasks that wait for a person: <task_id>.json holds the state of
// the whole graph, with the task among its tasks or as its current_task. The rest of the state
// becomes the record's hitl_state. Other tasks of the state are not read: the file is about one.
// dir is what problems call the directory.
func ReadQueue(dir string, queue fs.FS) ([]records.Record, []model.Problem) {
	entries, err := fs.ReadDir(queue, ".")
	if err != nil {
		return nil, []model.Problem{{Path: dir, Severity: model.Error, Code: "unreadable", Reason: err.Error()}}
	}
	var out []records.Record
	var problems []model.Problem
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		r, found := readState(path.Join(dir, e.Name()), queue, e)
		problems = append(problems, found...)
		if len(found) == 0 {
			r.Index = len(out) + 1
			out = append(out, r)
		}
	}
	if len(out)+len(problems) == 0 {
		problems = []model.Problem{{Path: dir, Severity: model.Error, Code: "missing-file", Reason: "there is no <task_id>.json in the directory"}}
	}
	return out, problems
}

func readState(name string, queue fs.FS, e fs.DirEntry) (records.Record, []model.Problem) {
	bad := func(code, why string) (records.Record, []model.Problem) {
		return records.Record{}, []model.Problem{{Path: name, Line: 1, Severity: model.Error, Code: code, Reason: why, Hint: "correct or remove the file"}}
	}
	if !e.Type().IsRegular() {
		return bad("not-regular", "it is not a regular file")
	}
	file, err := queue.Open(e.Name())
	if err != nil {
		return bad("unreadable", err.Error())
	}
	defer file.Close()
	states, problems := records.Read(name, file)
	if len(problems) > 0 {
		return records.Record{}, problems
	}
	if len(states) != 1 {
		return bad("wrong-type", "it does not hold one object")
	}
	state := states[0].Fields
	id := strings.TrimSuffix(e.Name(), ".json")
	task, rest, ok := pick(state, id)
	if !ok {
		return bad("missing-id", "neither its tasks nor its current_task is "+id)
	}
	fields := task.With(model.ObjectField(stateKey, rest))
	return records.Record{Fields: fields, Raw: model.EncodeFields(fields), Path: name, Line: 1}, nil
}

// pick finds a task in a state, and the state without it.
func pick(state model.Extra, id string) (task, rest model.Extra, ok bool) {
	is := func(raw []byte) (model.Extra, bool) {
		fields, problems := model.DecodeFields("", raw)
		got, _ := fields.Text("task_id")
		return fields, len(problems) == 0 && got == id
	}
	if raw, there := state.Get("current_task"); there {
		if task, ok = is(raw); ok {
			state = state.With(model.TextField("current_task", id))
		}
	}
	raw, _ := state.Get("tasks")
	var tasks []json.RawMessage
	if json.Unmarshal(raw, &tasks) != nil {
		return task, state, ok
	}
	left := []json.RawMessage{}
	for _, raw := range tasks {
		fields, same := is(raw)
		if same && !ok {
			task, ok = fields, true
			continue
		}
		if same && model.SameJSON(model.EncodeFields(fields), model.EncodeFields(task)) {
			continue
		}
		left = append(left, raw)
	}
	return task, state.With(records.Raw("tasks", left)), ok
}
