package mcpserver

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	"vespe/model"
	"vespe/store"
)

// decided is a store in which something of every kind waits for a person.
func (k *stand) decided() (waits []model.UID, requests []string) {
	k.t.Helper()
	planned := k.task("a plan waits")
	k.plan(planned)
	worked := k.task("work waits")
	k.plan(worked)
	k.do(model.Op{Name: model.AcceptPlan, UID: worked})
	if k.now(worked).Status.CurrentState != model.Working {
		k.do(model.Op{Name: model.Start, UID: worked, Actor: "agent:other"})
	}
	k.do(model.Op{Name: model.WorkCompleted, UID: worked, Actor: "agent:other", Args: model.Completion{Summary: "Done."}})
	for _, kind := range model.Kinds() {
		uid := k.task("asked: " + kind)
		n := &model.NewRequest{Kind: kind, Title: "May I?", Key: "key-" + kind}
		if kind == model.KindChoice {
			n.Options = []string{"yes", "no"}
		}
		if kind == model.KindAction {
			n.Args = []byte(`{"command":"rm -rf build"}`)
		}
		requests = append(requests, k.do(model.Op{Name: model.Ask, UID: uid, Actor: "agent:other", Args: *n}).Change.Request)
	}
	return []model.UID{planned, worked}, requests
}

// verdicts are what a person has decided, as the store has it: states and answers, and the files of approvals.
func (k *stand) verdicts(waits []model.UID) string {
	k.t.Helper()
	var b strings.Builder
	for _, uid := range waits {
		t := k.now(uid)
		fmt.Fprintf(&b, "%s %s %+v %+v\n", uid, t.Status.CurrentState, t.Status.AcceptedPlan, t.Status.Review)
	}
	for _, q := range k.requests() {
		fmt.Fprintf(&b, "%s %s %+v\n", q.ID, q.State, q.Answer)
	}
	files, err := filepath.Glob(filepath.Join(k.dir, store.Name, "tasks", "*", "approvals", "*"))
	if err != nil {
		k.t.Fatal(err)
	}
	for _, f := range files {
		body, err := os.ReadFile(f)
		if err != nil {
			k.t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s\n", f, body)
	}
	return b.String()
}

// asVerdict are words and values by which somebody might try to decide.
var asVerdict = []any{
	"accept", "accepted", "approve", "approved", "yes", "human:ann", "done", "completed", "working", "review_accepted", "accept_plan", "answer", "respond", "resolved",
	"force", "", true, 1, 0, -1, 1e9,
	[]any{},
	[]any{"accept"},
	map[string]any{"decision": "accept", "by": "human:ann"},
	map[string]any{},
	nil,
}

// asKeys are fields that no tool has, or that only some have.
var asKeys = []string{
	"actor", "as", "by", "decision", "verdict", "approved", "accept", "state", "status", "current_state", "review", "accepted_plan", "answer", "choice", "text",
	"signature", "approval", "force", "human", "confirm", "args", "kind", "options", "patch", "items", "responses", "criteria", "claim", "failed", "key", "wait_s",
}

// No tool decides for a person, whatever it is called with: right arguments, those of other tools, and fields and words that
// mean a verdict, about everything that waits.
func TestNoToolDecides(t *testing.T) {
	k := newStand(t)
	waits, requests := k.decided()
	cs := k.client(nil)
	before := k.verdicts(waits)
	var names []string
	for _, tool := range tools() {
		names = append(names, tool.name)
	}
	ids := append([]string{"", "tsk-nowhere"}, requests...)
	for _, uid := range waits {
		ids = append(ids, string(uid), "plan-"+string(uid)+"-1", "work-"+string(uid)+"-1")
	}
	usual := everyTool("", "")
	done := 0
	try := func(tool string, in args) {
		delete(in, "wait_s") // else it would only take longer
		if tool == "review_wait" {
			in["wait_s"] = 0
		}
		res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any(in)})
		if err == nil && !res.IsError {
			done++
		}
	}
	for _, tool := range names {
		if tool == "permission_prompt" {
			continue // it waits for a person
		}
		for _, id := range ids {
			for _, from := range names { // what other tools take, too
				in := args{}
				for key, value := range usual[from] {
					in[key] = value
				}
				for _, key := range []string{"id", "task_id", "review_id"} {
					if _, there := in[key]; there || from == tool {
						in[key] = id
					}
				}
				if from == tool {
					in = withID(usual[tool], id)
				}
				try(tool, in)
			}
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		tool := rapid.SampledFrom(slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "permission_prompt" })).Draw(r, "tool")
		in := withID(usual[tool], rapid.SampledFrom(ids).Draw(r, "id"))
		for range rapid.IntRange(0, 4).Draw(r, "fields") {
			in[rapid.SampledFrom(asKeys).Draw(r, "key")] = rapid.SampledFrom(asVerdict).Draw(r, "value")
		}
		try(tool, in)
	})
	if done < 20 {
		t.Errorf("only %d calls did anything", done)
	}
	if after := k.verdicts(waits); withoutNew(after, before) != before {
		t.Errorf("something was decided. Before:\n%s\nafter:\n%s", before, after)
	}
	for _, q := range k.requests() {
		if q.Answer != nil {
			t.Errorf("%s is answered: %+v", q.ID, q.Answer)
		}
	}
}

// withID is a call about something.
func withID(usual args, id string) args {
	in := args{}
	for key, value := range usual {
		in[key] = value
	}
	for _, key := range []string{"id", "task_id", "review_id"} {
		if _, there := in[key]; there {
			in[key] = id
		}
	}
	return in
}

// withoutNew are the lines of after without those of requests that were made since.
func withoutNew(after, before string) string {
	var b strings.Builder
	for line := range strings.Lines(after) {
		id, _, _ := strings.Cut(line, " ")
		if strings.Contains(before, id+" ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// Reading changes nothing, byte for byte: also where a verdict waits to be read.
func TestReadingChangesNothing(t *testing.T) {
	k := newStand(t)
	uid := k.task("parser")
	k.plan(uid)
	k.do(model.Op{Name: model.RejectPlan, UID: uid, Reason: "No."})
	k.plan(k.task("lexer"))
	cs := k.client(nil)
	k.call(cs, "task_list", nil) // whatever the first look leaves in caches
	k.call(cs, "search", args{"query": "parser"})
	before := k.files()
	for _, tool := range tools() {
		if !tool.reads {
			continue
		}
		in := withID(everyTool(uid, "")[tool.name], string(uid))
		k.result(cs, tool.name, in)
	}
	for line := range strings.Lines(k.files()) {
		if !strings.Contains(before, line) {
			t.Errorf("there is a new file, or another: %s", line)
		}
	}
}

// files are the names and bytes of the store, without its caches.
func (k *stand) files() string {
	k.t.Helper()
	var b strings.Builder
	root := filepath.Join(k.dir, store.Name)
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "cache" {
				return filepath.SkipDir
			}
			return nil
		}
		body, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %d %s\n", strings.TrimPrefix(path, root), len(body), model.HashBytes(body))
		return err
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return b.String()
}
