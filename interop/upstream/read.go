package upstream

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"vespe/interop/records"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/visible"
)

const (
	maxFile   = 1 << 20   // bytes of a JSON file or a text: a record has to fit into a spec.json
	maxResult = 256 << 20 // bytes of all results, and of all events: they are in one transaction
	maxDepth  = 32
)

// read reads a directory that holds .vespe, or that one itself.
func read(in records.Input) ([]records.Record, []model.Problem) {
	bad := func(code, why, hint string) ([]records.Record, []model.Problem) {
		return nil, []model.Problem{{Path: in.Name, Severity: model.Error, Code: code, Reason: why, Hint: hint}}
	}
	if in.Dir == nil {
		return bad("not-regular", "it is not a directory", "give the directory of the project, or its .vespe")
	}
	dir := in.Dir
	r := reader{name: in.Name, agents: map[string]*agent{}}
	if sub, err := fs.Sub(dir, ".vespe"); err == nil && isDir(sub, "tasks") {
		dir, r.name = sub, path.Join(in.Name, ".vespe")
	}
	r.dir = dir
	if !isDir(dir, "tasks") {
		return bad("missing-file", "there is no .vespe/tasks in it", "give the directory of the project, or its .vespe")
	}
	if _, err := fs.Stat(dir, "store.json"); err == nil {
		return bad("wrong-type", "this store is already used by vespe", "open it in place: vespe -C DIR")
	}
	r.readAgents()
	tasks := r.list("tasks")
	beside := r.beside
	for _, e := range tasks {
		r.beside = nil
		r.task(e.Name())
	}
	r.beside = beside
	r.unnamed()
	if len(r.records)+len(r.problems) == 0 {
		return bad("empty-file", "it has no tasks", "")
	}
	if p := r.project(); len(p) > 0 && len(r.records) > 0 {
		r.records[0].Fields = r.records[0].Fields.With(model.ObjectField("project", p))
	}
	return r.records, r.problems
}

func isDir(dir fs.FS, name string) bool {
	info, err := fs.Lstat(dir, name)
	return err == nil && info.IsDir()
}

type reader struct {
	name     string
	dir      fs.FS
	records  []records.Record
	problems []model.Problem
	agents   map[string]*agent
	size     int64
	index    int
	beside   []string // of the task at hand, what the original would not read either
}

// aside notes what is not read.
func (r *reader) aside(name string) { r.beside = append(r.beside, visible.Line(name)) }

func (r *reader) bad(name, code, why, hint string) {
	p := model.Problem{Path: path.Join(r.name, name), Severity: model.Error, Code: code, Reason: why, Hint: hint}
	if r.index > 0 {
		p.Reason = fmt.Sprintf("record %d: %s", r.index, why)
	}
	r.problems = append(r.problems, p)
}

// list is what is in a directory, without what begins with a dot, which is noted; nothing where there is none.
func (r *reader) list(name string) []fs.DirEntry {
	return slices.DeleteFunc(r.all(name), func(e fs.DirEntry) bool {
		if strings.HasPrefix(e.Name(), ".") {
			r.aside(path.Join(name, e.Name()))
			return true
		}
		return false
	})
}

// all is what is in a directory; nothing where there is none.
func (r *reader) all(name string) []fs.DirEntry {
	info, err := fs.Lstat(r.dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.IsDir() {
		err = errors.New("it is not a directory")
	}
	var all []fs.DirEntry
	if err == nil {
		all, err = fs.ReadDir(r.dir, name)
	}
	if err != nil {
		r.bad(name, "unreadable", err.Error(), "")
		return nil
	}
	return all
}

// file reads a regular file; false where there is none, or it cannot be read.
func (r *reader) file(name string, limit int64) ([]byte, bool) {
	info, err := fs.Lstat(r.dir, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false
	case err != nil:
		r.bad(name, "unreadable", err.Error(), "")
		return nil, false
	case !info.Mode().IsRegular():
		r.bad(name, "not-regular", "it is not a regular file", "correct or remove it")
		return nil, false
	case info.Size() > limit:
		r.bad(name, "too-large", fmt.Sprintf("it is larger than %d KiB", limit>>10), "shorten it")
		return nil, false
	}
	f, err := r.dir.Open(name)
	if err == nil {
		var b []byte
		b, err = io.ReadAll(io.LimitReader(f, limit))
		if err = errors.Join(err, f.Close()); err == nil {
			return b, true
		}
	}
	r.bad(name, "unreadable", err.Error(), "")
	return nil, false
}

// object reads a file that is a JSON object.
func (r *reader) object(name string) (model.Extra, bool) {
	b, ok := r.file(name, maxFile)
	if !ok {
		return nil, false
	}
	fields, found := model.DecodeFields(path.Join(r.name, name), b)
	for _, p := range found {
		if r.index > 0 {
			p.Reason = fmt.Sprintf("record %d: %s", r.index, p.Reason)
		}
		p.Severity = model.Error
		r.problems = append(r.problems, p)
	}
	return fields, len(found) == 0
}

func (r *reader) text(name, key string, to *model.Extra) {
	b, ok := r.file(name, maxFile)
	if !ok {
		return
	}
	if !utf8.Valid(b) {
		r.bad(name, "bad-utf8", "it is not valid UTF-8", "save it as UTF-8")
		return
	}
	*to = append(*to, model.TextField(key, string(b)))
}

func (r *reader) readAgents() {
	for _, e := range r.list("agents") {
		at := "agents/" + e.Name()
		if !e.IsDir() {
			r.aside(at)
			continue
		}
		a := new(agent)
		for _, e := range r.list(at) {
			switch e.Name() {
			case "metadata.json", "details.json", "state.json", "memory":
			default:
				r.aside(path.Join(at, e.Name()))
			}
		}
		for file, to := range map[string]*[]byte{"metadata": (*[]byte)(&a.Metadata), "details": (*[]byte)(&a.Details), "state": (*[]byte)(&a.State)} {
			if fields, ok := r.object(at + "/" + file + ".json"); ok {
				*to = model.ObjectField("", fields).Value
			}
		}
		a.Messages = len(r.list(at + "/memory"))
		r.agents[e.Name()] = a
	}
}

// unnamed notes the agents that no task names: nothing keeps them.
func (r *reader) unnamed() {
	used := map[string]bool{}
	for _, t := range r.records {
		for uid := range agents(t.Fields) {
			used[uid] = true
		}
	}
	for _, uid := range slices.Sorted(maps.Keys(r.agents)) {
		if !used[uid] {
			r.aside("agents/" + uid)
		}
	}
}

// project is what there is beside the tasks.
func (r *reader) project() model.Extra {
	r.index = 0
	var out model.Extra
	if config, ok := r.object("config.json"); ok {
		out = append(out, model.ObjectField("config", config))
	}
	all, _ := fs.ReadDir(r.dir, ".")
	for _, e := range all {
		switch e.Name() {
		case "tasks", "agents", "config.json", ".vespe_root", ".gitignore", "log":
			continue
		case "tools":
			if n := len(r.list("tools")); n > 0 {
				r.aside(fmt.Sprintf("%d tools", n))
			}
			continue
		}
		r.aside(e.Name())
	}
	return r.put(out)
}

// put gives a record what was noted since the last.
func (r *reader) put(fields model.Extra) model.Extra {
	if len(r.beside) > 0 {
		fields = append(fields, model.ListField("beside", r.beside))
	}
	r.beside = nil
	return fields
}

func (r *reader) task(name string) {
	r.index++
	at := "tasks/" + name
	before := len(r.problems)
	info, err := fs.Lstat(r.dir, at)
	if err != nil || !info.IsDir() {
		r.bad(at, "not-regular", "it is not a directory", "correct or remove it")
		return
	}
	var fields model.Extra
	files := []struct {
		name string
		keys []string
	}{{"config", configKeys()}, {"status", statusKeys()}, {"dependencies", dependencyKeys()}}
	for _, f := range files {
		members, ok := r.object(at + "/" + f.name + ".json")
		if f.name == "config" && !ok && len(r.problems) == before {
			r.bad(at+"/config.json", "missing-file", "it has no config.json", "give it one, or remove the directory")
		}
		for _, m := range members {
			if m.Key == "created_by" && f.name == "config" {
				m.Key = "created_by_agent_uid" // as the first design has it
			}
			if _, twice := fields.Get(m.Key); twice || !slices.Contains(f.keys, m.Key) {
				m.Key = f.name + "." + m.Key
			}
			fields = append(fields, m)
		}
	}
	if uid, _ := fields.Text("uid"); uid != name && len(r.problems) == before {
		r.bad(at+"/config.json", "wrong-uid", "its uid is not the name of its directory", "correct one of them")
	}
	r.text(at+"/objective.md", "objective", &fields)
	r.text(at+"/plan.md", "plan", &fields)
	out := records.Record{Path: path.Join(r.name, at), Index: r.index}
	r.history(at, &out, &fields)
	r.results(at, &out, &fields)
	for _, e := range r.list(at) {
		switch e.Name() {
		case "config.json", "status.json", "dependencies.json", "objective.md", "plan.md", "persistent", "memory", "result":
		default:
			r.aside(path.Join(at, e.Name()))
		}
	}
	fields = r.put(fields)
	fields = r.named(fields, out.Events)
	out.Fields, out.Raw = fields, model.EncodeFields(fields)
	if len(out.Raw) > maxFile {
		r.bad(at, "too-large", fmt.Sprintf("its texts are larger than %d KiB", maxFile>>10), "shorten its texts")
	}
	r.records = append(r.records, out)
}

// named keeps with a record the agents that it names.
func (r *reader) named(fields model.Extra, events []model.Event) model.Extra {
	used := map[string]*agent{}
	name := func(uid string) {
		if a, ok := r.agents[uid]; ok {
			used[uid] = a
		}
	}
	for _, k := range []string{"created_by_agent_uid", "assigned_agent_uid"} {
		uid, _ := fields.Text(k)
		name(uid)
	}
	for _, e := range events {
		name(string(e.Actor))
	}
	if len(used) == 0 {
		return fields
	}
	return fields.With(records.Raw("agents", used))
}

// history reads what happened: events, and messages of a memory.
func (r *reader) history(at string, out *records.Record, fields *model.Extra) {
	var files model.Extra
	for _, dir := range []string{"persistent", "memory"} {
		for _, e := range r.list(at + "/" + dir) {
			name := dir + "/" + e.Name()
			if !strings.HasSuffix(name, ".json") {
				r.bad(at+"/"+name, "not-regular", "it is not an event: only .json files belong there", "move it away")
				continue
			}
			members, ok := r.object(at + "/" + name)
			if !ok {
				continue
			}
			raw := model.EncodeFields(members)
			ev, found := model.DecodeEvent(path.Join(r.name, at, name), raw)
			if slices.ContainsFunc(found, func(p model.Problem) bool { return p.Severity == model.Error }) {
				r.bad(at+"/"+name, "bad-event", found[0].Reason, found[0].Hint)
				continue
			}
			if r.size += int64(len(raw)); r.size > maxResult {
				r.bad(at, "too-large", fmt.Sprintf("the results and events of all tasks are larger than %d MiB", maxResult>>20), "import them in parts")
				return
			}
			// The file as it came says more than an event has places for: it is written again.
			ev.Details = []model.ExtraField{model.TextField("original_file", name), model.ObjectField("original", members)}
			ev.Seq, ev.OpID, ev.File = 0, "", ""
			// It says what was done there. Here nobody decided and nothing changed by it.
			ev.From, ev.To, ev.Cause, ev.Channel = "", "", "", ""
			if _, ours := lifecycle.Lookup(ev.Name); ours {
				ev.Name = "original_" + ev.Name
			}
			out.Events = append(out.Events, ev)
			files = append(files, model.TextField(name, model.HashBytes(raw)))
		}
	}
	if len(files) > 0 {
		*fields = append(*fields, model.ObjectField("history", files))
	}
}

func (r *reader) results(at string, out *records.Record, fields *model.Extra) {
	var files model.Extra
	var walk func(dir string, depth int)
	walk = func(dir string, depth int) {
		for _, e := range r.all(path.Join(at, "result", dir)) {
			name := path.Join(dir, e.Name())
			full := path.Join(at, "result", name)
			switch {
			case visible.Line(name) != name || strings.Contains(name, `\`) || len(e.Name()) > 255 || depth >= maxDepth:
				r.bad(full, "bad-name", "it is not a valid name for a result", "rename it")
				continue
			case e.IsDir():
				walk(name, depth+1)
				continue
			}
			b, ok := r.file(full, maxResult)
			if !ok {
				continue
			}
			if r.size += int64(len(b)); r.size > maxResult {
				r.bad(at, "too-large", fmt.Sprintf("the results and events of all tasks are larger than %d MiB", maxResult>>20), "import them in parts")
				return
			}
			if out.Results == nil {
				out.Results = map[string]string{}
			}
			out.Results[name] = string(b)
			files = append(files, model.TextField(name, model.HashBytes(b)))
		}
	}
	walk("", 1)
	if len(files) > 0 {
		*fields = append(*fields, model.ObjectField("result", files))
	}
}
