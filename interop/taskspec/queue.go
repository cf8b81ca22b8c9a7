package taskspec

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"vespe/interop/records"
	"vespe/model"
	"vespe/model/visible"
)

// stateKey is the member of a record that keeps the state of the graph that waits with it.
const stateKey = "hitl_state"

func read(in records.Input) ([]records.Record, []model.Problem) {
	if in.Dir != nil {
		return ReadQueue(in.Name, in.Dir)
	}
	if isDatabase(&in) {
		return readDatabase(in)
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
	var beside []string
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") {
			beside = append(beside, visible.Line(e.Name()))
			continue
		}
		r, found := readState(path.Join(dir, e.Name()), queue, e)
		problems = append(problems, found...)
		if len(found) == 0 {
			r.Index = len(out) + 1
			out = append(out, r)
		}
	}
	if len(out) > 0 {
		out[0].Beside = beside
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
		return bad("wrong-type", "it is not a single object")
	}
	state := states[0].Fields
	id := strings.TrimSuffix(e.Name(), ".json")
	task, rest, ok := pick(state, id)
	if !ok {
		return bad("missing-id", "neither its tasks nor its current_task names "+id)
	}
	fields := task.With(model.ObjectField(stateKey, rest))
	return records.Record{Fields: fields, Raw: model.EncodeFields(fields), Path: name, Line: 1}, nil
}

// place is what stands in a state where its task was.
func place(id string) []byte {
	return model.ObjectField("", model.Extra{model.TextField("task_id", id)}).Value
}

// pick finds a task in a state, and the state with only the task's id where the task was.
func pick(state model.Extra, id string) (task, rest model.Extra, ok bool) {
	is := func(raw []byte) (model.Extra, bool) {
		fields, problems := model.DecodeFields("", raw)
		got, _ := fields.Text("task_id")
		return fields, len(problems) == 0 && got == id
	}
	if raw, there := state.Get("current_task"); there {
		if task, ok = is(raw); ok {
			state = state.With(model.ExtraField{Key: "current_task", Value: place(id)})
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
		switch {
		case same && !ok:
			task, ok = fields, true
			raw = place(id)
		case same && model.SameJSON(model.EncodeFields(fields), model.EncodeFields(task)):
			raw = place(id)
		}
		left = append(left, raw)
	}
	return task, state.With(records.Raw("tasks", left)), ok
}

// put is a state with its task where it was; among its tasks where that is not known.
func put(state, task model.Extra, id string) model.Extra {
	whole := model.ObjectField("", task).Value
	found := false
	if raw, ok := state.Get("current_task"); ok && model.SameJSON(raw, place(id)) {
		state = state.With(model.ExtraField{Key: "current_task", Value: whole})
		found = true
	}
	raw, has := state.Get("tasks")
	var tasks []json.RawMessage
	if json.Unmarshal(raw, &tasks) != nil && has {
		return state
	}
	for i := range tasks {
		if model.SameJSON(tasks[i], place(id)) {
			tasks[i] = whole
			found = true
		}
	}
	if !found {
		tasks = append(tasks, whole)
	}
	if len(tasks) == 0 && !has {
		return state
	}
	return state.With(records.Raw("tasks", append([]json.RawMessage{}, tasks...)))
}

// isQueueName says that what is to be written there is a queue.
func isQueueName(path string) bool {
	return strings.HasSuffix(path, "/") || strings.HasSuffix(path, string(filepath.Separator)) || filepath.Base(path) == "hitl_queue"
}

// saveQueue writes a queue: the state of each task that waits for a person.
func saveQueue(dir string, x records.Exported) error {
	return records.Make(filepath.Clean(dir), func(temp string) error {
		if err := os.Mkdir(temp, 0o755); err != nil {
			return err
		}
		for _, r := range x.Records {
			id, _ := r.Text("task_id")
			if word, _ := r.Text("status"); word != "WAITING_HITL" {
				if _, queued := r.Get(stateKey); !queued || word == "DONE" || word == "CANCELLED" {
					x.Lost.Count("left out of the queue: no person has to act", id)
					continue
				}
			}
			if id == "" || strings.ContainsAny(id, `/\`) || id[0] == '.' || visible.Line(id) != id || len(id) > 200 {
				x.Lost.Count("waiting for a person, but the id is not a valid file name", id)
				continue
			}
			task := r.Without(stateKey)
			state := model.Extra{
				model.ListField[string]("messages", nil),
				{Key: "tasks", Value: []byte("[]")},
				model.TextField("current_task", id),
				records.Null("tool_output"), model.ListField[string]("context_docs", nil),
			}
			if raw, ok := r.Get(stateKey); ok {
				if kept, problems := model.DecodeFields("", raw); len(problems) == 0 {
					state = kept
				}
			}
			body := model.EncodeFields(put(state, task, id))
			if err := os.WriteFile(filepath.Join(temp, id+".json"), body, 0o644); err != nil {
				return err
			}
		}
		return nil
	})
}

// save writes what is no file of JSON: a database, or a queue.
func save(ctx context.Context, path string, x records.Exported) (bool, error) {
	switch {
	case isQueueName(path):
		return true, saveQueue(path, x)
	case isDatabaseName(path):
		return true, saveDatabase(ctx, path, x)
	}
	return false, nil
}
