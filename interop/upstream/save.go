package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vespe/interop/records"
	"vespe/model"
	"vespe/model/visible"
)

// save writes a directory that the original opens: DIR/.vespe, as its init makes it.
func save(ctx context.Context, dir string, x records.Exported) error {
	return records.Make(filepath.Clean(dir), func(temp string) error {
		w := writer{root: filepath.Join(temp, ".vespe"), x: x, agents: map[string]agent{}}
		for _, sub := range []string{"tasks", "tools", "agents", "log"} {
			if err := os.MkdirAll(filepath.Join(w.root, sub), 0o755); err != nil {
				return err
			}
		}
		var project struct {
			Config json.RawMessage `json:"config"`
		}
		for i, r := range x.Records {
			if raw, ok := r.Get("project"); ok && project.Config == nil {
				if err := json.Unmarshal(raw, &project); err != nil {
					return err
				}
			}
			if err := w.task(ctx, r, x.Snapshot.At(x.Tasks[i])); err != nil {
				return err
			}
		}
		if project.Config == nil {
			project.Config = []byte(`{"name":null,"description":null,"default_agent_uid":null}`)
		}
		if err := w.writeAgents(); err != nil {
			return err
		}
		for name, body := range map[string][]byte{
			".vespe_root": []byte("Feel The BuZZ!!!!"), ".gitignore": []byte("log/"), "config.json": pretty(project.Config),
		} {
			if err := w.write(name, body); err != nil {
				return err
			}
		}
		return nil
	})
}

type writer struct {
	root   string
	x      records.Exported
	agents map[string]agent
}

func (w *writer) write(name string, body []byte) error {
	file := filepath.Join(w.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, body, 0o644)
}

// pretty is a value as serde_json writes it: two spaces, no newline at the end.
func pretty(raw []byte) []byte {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return raw
	}
	return b.Bytes()
}

func object(fields model.Extra) []byte { return pretty(model.ObjectField("", fields).Value) }

func (w *writer) task(ctx context.Context, r model.Extra, t *model.Task) error {
	uid, _ := r.Text("uid")
	at := "tasks/" + uid
	for uid, a := range agents(r) {
		w.agents[uid] = a
	}
	for _, f := range []struct {
		name string
		keys []string
	}{{"config", configKeys()}, {"status", statusKeys()}, {"dependencies", dependencyKeys()}} {
		if err := w.write(at+"/"+f.name+".json", object(part(filled(r), f.name, f.keys))); err != nil {
			return err
		}
	}
	for _, text := range []string{"objective", "plan"} {
		if body, ok := r.Text(text); ok {
			if err := w.write(at+"/"+text+".md", []byte(body)); err != nil {
				return err
			}
		}
	}
	for _, dir := range []string{"persistent", "memory", "result"} {
		if err := os.MkdirAll(filepath.Join(w.root, "tasks", uid, dir), 0o755); err != nil {
			return err
		}
	}
	if err := w.history(ctx, at, t.UID); err != nil {
		return err
	}
	return w.results(ctx, at, t.UID)
}

// filled is a record with what the original does not read without.
func filled(r model.Extra) model.Extra {
	for _, f := range []model.ExtraField{
		records.Null("parent_uid"), model.TextField("current_state", "Created"), records.Null("progress"),
		{Key: "parent_content_hashes", Value: []byte("{}")},
		{Key: "is_paused", Value: []byte("false")},
		records.Null("error_details"),
		records.Null("previous_state"),
		{Key: "retry_count", Value: []byte("0")},
		{Key: "subtask_uids", Value: []byte("[]")},
		records.Null("assigned_agent_uid"),
		{Key: "depends_on", Value: []byte("[]")},
	} {
		if raw, ok := r.Get(f.Key); !ok || string(raw) == "null" {
			r = r.With(f)
		}
	}
	at, _ := r.Get("created_at")
	if _, ok := r.Get("last_updated_at"); !ok {
		r = r.With(model.ExtraField{Key: "last_updated_at", Value: at})
	}
	return r
}

// history writes the events; those that came from the original as they came.
func (w *writer) history(ctx context.Context, at string, uid model.UID) error {
	events, problems, err := w.x.Source.History(ctx, uid)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		w.x.Lost.Count("unreadable events are not exported", string(uid))
	}
	taken := map[string]bool{}
	for i := range events {
		e := &events[i]
		if name, raw, ok := original(e); ok {
			taken[name] = true
			if err := w.write(at+"/"+name, pretty(raw)); err != nil {
				return err
			}
		}
	}
	for i := range events {
		e := &events[i]
		if _, _, ok := original(e); ok || e.Actor == system || e.Name == model.ImportTask {
			continue // the original would not know of it
		}
		text := e.Summary
		if e.Reason != "" {
			text = strings.TrimPrefix(text+"\n"+e.Reason, "\n")
		}
		if len(e.Details) > 0 || e.From != e.To || e.Cause != "" {
			w.x.Lost.Count("events are exported with their text only", string(uid))
		}
		stamp := e.At.UTC()
		name := eventFile(stamp, e.Name)
		for ; taken[name]; name = eventFile(stamp, e.Name) { // one of the same moment would take its place
			stamp = stamp.Add(time.Millisecond)
		}
		taken[name] = true
		body := object(model.Extra{
			model.TextField("timestamp", e.At.UTC().Format("2006-01-02T15:04:05.000000000Z")), model.TextField("event_type", string(e.Name)),
			model.TextField("acting_agent_uid", string(e.Actor)), model.TextField("content", text),
		})
		if err := w.write(at+"/"+name, body); err != nil {
			return err
		}
	}
	return nil
}

// eventFile is the name of an event's file: the milliseconds stand right behind the seconds.
func eventFile(at time.Time, name model.Name) string {
	ours := model.EventFile(model.Event{At: at, Name: name})
	return "persistent/" + strings.Replace(ours, "_", "", 1)
}

// original is the file that an event came from.
func original(e *model.Event) (name string, raw []byte, ok bool) {
	for _, d := range e.Details {
		switch d.Key {
		case "original_file":
			name = d.Text()
		case "original":
			raw = d.Value
		}
	}
	dir, file := filepath.Split(name)
	ok = (dir == "persistent/" || dir == "memory/") && strings.HasSuffix(file, ".json") && !strings.HasPrefix(file, ".") &&
		visible.Line(file) == file && !strings.ContainsAny(file, `/\`) && json.Valid(raw)
	return name, raw, ok
}

func (w *writer) results(ctx context.Context, at string, uid model.UID) error {
	files, err := w.x.Source.Results(ctx, uid)
	if err != nil {
		return err
	}
	for _, f := range files {
		if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
			return fmt.Errorf("%s: %s is not a valid name for a result", uid, visible.Line(f.Path))
		}
		if f.Size > maxResult {
			w.x.Lost.Count("results that are too large are not exported", string(uid))
			continue
		}
		body, err := w.x.Source.ReadResult(ctx, uid, f.Path, maxResult)
		if err != nil {
			return fmt.Errorf("the result %s of %s: %w", visible.Line(f.Path), uid, err)
		}
		if err := w.write(at+"/result/"+f.Path, body); err != nil {
			return err
		}
	}
	return nil
}

// writeAgents writes those that came with the tasks.
func (w *writer) writeAgents() error {
	for uid, a := range w.agents {
		if !model.UID(uid).Valid() {
			continue
		}
		for name, raw := range map[string]json.RawMessage{"metadata": a.Metadata, "details": a.Details, "state": a.State} {
			if len(raw) == 0 {
				continue
			}
			if err := w.write("agents/"+uid+"/"+name+".json", pretty(raw)); err != nil {
				return err
			}
		}
	}
	return nil
}
