package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"vespe/agents/desk"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
	"vespe/store/fsys"
)

const (
	scheme    = "vespe://"
	tasksURI  = scheme + "tasks"
	taskURI   = scheme + "task/"
	markdown  = "text/markdown"
	plainJSON = "application/json"

	// mostRead is the largest text that is given out, in bytes: whatever a client reads becomes part of what its
	// model has to hold.
	mostRead = 1 << 20
	// mostEvents is how many events of a task's history are given out, the newest.
	mostEvents = 500
	// mostListed is how many plans are listed beside the templates.
	mostListed = 100
)

// template is one row of the table of resources.
type template struct {
	name, title, about, uri, mime string
}

// templates are what can be read of a task.
func templates() []template {
	const of = taskURI + "{uid}"
	return []template{
		{"objective", "Objective of a task", "The objective, as Markdown.", of + "/objective", markdown},
		{"plan", "Plan of a task", "The current plan, as Markdown. task_get says whether it is accepted.", of + "/plan", markdown},
		{"history", "History of a task", "Its events: who, when, what, why. The newest last.", of + "/history", plainJSON},
		{"result", "Result of a task", "Its result files, with their hashes.", of + "/result", plainJSON},
		{"result-file", "A file of a result", "A result file of a task.", of + "/result/{+path}", "application/octet-stream"},
	}
}

// addResources offers what can be read.
func (s *Server) addResources() {
	s.mcp.AddResource(&mcp.Resource{
		URI: tasksURI, Name: "tasks", Title: "All tasks", MIMEType: plainJSON,
		Description: "Every open task: uid, name, status, parent and dependencies.",
	}, s.read)
	for _, t := range templates() {
		s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: t.uri, Name: t.name, Title: t.title, Description: t.about, MIMEType: t.mime}, s.read)
	}
	s.mcp.AddReceivingMiddleware(s.listing)
}

// listing adds to the list of resources the plans of tasks that have not ended: what people pick from in a client.
func (s *Server) listing(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		list, is := res.(*mcp.ListResourcesResult)
		if err != nil || !is {
			return res, err
		}
		if more, err := s.plans(ctx, req); err == nil { // without a store there are none
			list.Resources = append(slices.Clip(list.Resources), more...)
		}
		return list, nil
	}
}

// plans are the plans that are listed.
func (s *Server) plans(ctx context.Context, req mcp.Request) ([]*mcp.Resource, error) {
	var out []*mcp.Resource
	err := s.reading(ctx, req, func(ctx context.Context, d *desk.Desk) error {
		_, snap, err := d.View(ctx)
		if err != nil {
			return err
		}
		var rows []int
		for i := range snap.Len() {
			if st := snap.At(i).Status; st.PlanRevision > 0 && snap.Status(i).Open() {
				rows = append(rows, i)
			}
		}
		slices.SortStableFunc(rows, func(a, b int) int {
			return snap.At(b).Status.LastUpdatedAt.Compare(snap.At(a).Status.LastUpdatedAt)
		})
		for _, i := range rows[:min(len(rows), mostListed)] {
			t := snap.At(i)
			out = append(out, &mcp.Resource{
				URI: taskURI + string(t.UID) + "/plan", Name: "plan of " + t.UID.Short(), MIMEType: markdown,
				Title: "Plan: " + visible.Line(t.Config.Name), Description: "The task is " + cmp.Or(snap.StatusReason(i), snap.Status(i).String()) + ".",
			})
		}
		return nil
	})
	return out, err
}

// reading calls do with the desk of anyone who asks.
func (s *Server) reading(ctx context.Context, req mcp.Request, do func(context.Context, *desk.Desk) error) error {
	ctx, cancel := s.under(ctx)
	defer cancel()
	p, leave, err := s.home.enter()
	if err != nil {
		return noStore(err)
	}
	defer leave()
	d, err := s.deskOf(p, clientOf(req))
	if err != nil {
		return err
	}
	return do(ctx, d)
}

// clientOf is who sent a request.
func clientOf(req mcp.Request) *mcp.Implementation {
	if r, ok := req.(interface{ ClientInfo() *mcp.Implementation }); ok {
		return r.ClientInfo()
	}
	return nil
}

// read gives a resource out.
func (s *Server) read(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := req.Params.URI
	var c *mcp.ResourceContents
	err := s.reading(ctx, req, func(ctx context.Context, d *desk.Desk) (err error) {
		c, err = contents(ctx, d, uri)
		return err
	})
	if err != nil {
		return nil, resourceError(uri, err)
	}
	c.URI = uri
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}, Cacheable: mcp.Cacheable{CacheScope: "private"}}, nil
}

// resourceError is an error of the protocol: a resource has no other.
func resourceError(uri string, err error) error {
	e := &desk.Error{Code: desk.CodeFailed, Message: visible.String(err.Error())}
	errors.As(err, &e)
	data, jerr := json.Marshal(map[string]string{"uri": uri, "code": string(e.Code)})
	if jerr != nil {
		data = nil
	}
	code := int64(jsonrpc.CodeInternalError)
	switch e.Code {
	case desk.CodeNotFound, desk.CodeAmbiguous, desk.CodeInvalid, desk.CodeTooLarge:
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: e.Error(), Data: data}
}

// addressed is what a URI names: a part of a task, and of a result a file.
func addressed(uri string) (ref, part, path string, ok bool) {
	rest, ok := strings.CutPrefix(uri, taskURI)
	if !ok {
		return "", "", "", false
	}
	ref, rest, ok = strings.Cut(rest, "/")
	part, path, _ = strings.Cut(rest, "/")
	ref, err := url.PathUnescape(ref)
	if err != nil || !ok {
		return "", "", "", false
	}
	path, err = url.PathUnescape(path)
	if err != nil || path != "" && part != "result" {
		return "", "", "", false
	}
	return ref, part, path, true
}

// contents reads what a URI names.
func contents(ctx context.Context, d *desk.Desk, uri string) (*mcp.ResourceContents, error) {
	if uri == tasksURI {
		_, snap, err := d.View(ctx)
		if err != nil {
			return nil, err
		}
		return jsonText(openTasks(snap))
	}
	ref, part, path, ok := addressed(uri)
	if !ok {
		return nil, unknown(uri)
	}
	s, _, t, err := d.ViewTask(ctx, ref)
	if err != nil {
		return nil, err
	}
	switch part {
	case "objective":
		return document(ctx, s, t, model.Objective)
	case "plan":
		return document(ctx, s, t, model.Plan)
	case "history":
		return history(ctx, s, t)
	case "result":
		if path != "" {
			return resultFile(ctx, s, t, path)
		}
		return results(ctx, s, t)
	}
	return nil, unknown(uri)
}

func unknown(uri string) error {
	return &desk.Error{
		Code: desk.CodeNotFound, Message: fmt.Sprintf("%q is not a resource of vespe", visible.Line(uri)),
		Next: "Read " + tasksURI + ", or " + taskURI + "UID/plan, /objective, /history or /result.",
	}
}

// openTask is a task in the list of all.
type openTask struct {
	UID  model.UID `json:"uid"`
	Name string    `json:"name"`
	desk.TaskStatus
	Parent    model.UID   `json:"parent_uid,omitempty"`
	DependsOn []model.UID `json:"depends_on,omitempty"`
}

// openList is the resource of all tasks.
type openList struct {
	Tasks []openTask `json:"tasks"`
	Open  int        `json:"open"` // how many there are; Tasks has the first that fit
	Total int        `json:"total"`
}

func openTasks(snap *snapshot.Snapshot) openList {
	const most = 2000 // that fit into mostRead, names of a usual length given
	out := openList{Tasks: []openTask{}, Total: snap.Len()}
	for i := range snap.Len() {
		if !snap.Status(i).Open() {
			continue
		}
		if out.Open++; out.Open > most {
			continue
		}
		t := snap.At(i)
		out.Tasks = append(out.Tasks, openTask{t.UID, t.Config.Name, desk.StatusOf(snap, i), t.Config.ParentUID, t.DependsOn})
	}
	return out
}

func document(ctx context.Context, s *store.Store, t *model.Task, doc model.Doc) (*mcp.ResourceContents, error) {
	c, err := s.Content(ctx, t.UID, doc)
	if errors.Is(err, model.ErrNoContent) {
		return nil, &desk.Error{Code: desk.CodeNotFound, Message: fmt.Sprintf("%q has no %s yet", visible.Line(t.Config.Name), doc)}
	}
	if err != nil {
		return nil, err
	}
	return text(c.Body, markdown, fmt.Sprintf(".vespe/tasks/%s/%s.md", t.UID, doc))
}

// event is one line of a task's history.
type event struct {
	Event   string    `json:"event"`
	At      time.Time `json:"at,omitzero"`
	Actor   string    `json:"actor"`
	Channel string    `json:"channel,omitempty"`
	From    string    `json:"from,omitempty"`
	To      string    `json:"to,omitempty"`
	Summary string    `json:"summary,omitempty"`
	Reason  string    `json:"reason,omitempty"`
}

func history(ctx context.Context, s *store.Store, t *model.Task) (*mcp.ResourceContents, error) {
	events, problems, err := s.History(ctx, t.UID)
	if err != nil {
		return nil, err
	}
	out := struct {
		TaskID  model.UID `json:"task_id"`
		Events  []event   `json:"events"`
		Total   int       `json:"total"`
		Unread  int       `json:"unreadable,omitempty"` // events that cannot be read: vespe doctor tells of them
		Version int       `json:"revision"`
	}{TaskID: t.UID, Events: []event{}, Total: len(events), Unread: len(problems), Version: t.Status.Revision}
	for _, e := range events[max(0, len(events)-mostEvents):] {
		out.Events = append(out.Events, event{string(e.Name), e.At.UTC(), string(e.Actor), e.Channel, string(e.From), string(e.To), e.Summary, e.Reason})
	}
	return jsonText(out)
}

// resultEntry is one file of a result.
type resultEntry struct {
	Path string `json:"path"`
	URI  string `json:"uri"`
	Hash string `json:"hash"`
	Size int64  `json:"size"`
}

func results(ctx context.Context, s *store.Store, t *model.Task) (*mcp.ResourceContents, error) {
	files, err := s.Results(ctx, t.UID)
	if err != nil {
		return nil, err
	}
	out := struct {
		TaskID model.UID     `json:"task_id"`
		Files  []resultEntry `json:"files"`
	}{t.UID, []resultEntry{}}
	for _, f := range files {
		u := url.URL{Path: f.Path}
		out.Files = append(out.Files, resultEntry{f.Path, taskURI + string(t.UID) + "/result/" + u.EscapedPath(), f.Hash, f.Size})
	}
	return jsonText(out)
}

func resultFile(ctx context.Context, s *store.Store, t *model.Task, path string) (*mcp.ResourceContents, error) {
	b, err := s.ReadResult(ctx, t.UID, path, mostRead)
	var large *fsys.TooLargeError
	switch {
	case errors.Is(err, model.ErrNoContent):
		return nil, &desk.Error{Code: desk.CodeNotFound, Message: fmt.Sprintf("%q has no result file %q", visible.Line(t.Config.Name), visible.Line(path)), Next: "Read " + taskURI + string(t.UID) + "/result for a list of them."}
	case errors.As(err, &large):
		return nil, tooLarge(fmt.Sprintf(".vespe/tasks/%s/result/%s", t.UID, visible.Line(path)))
	case err != nil:
		return nil, err
	}
	return text(b, "text/plain", path)
}

func tooLarge(file string) error {
	return &desk.Error{Code: desk.CodeTooLarge, Message: fmt.Sprintf("it has more than %d bytes", mostRead), Next: "Read parts of the file " + file + "."}
}

// text is bytes as a text, where they are one: everything else is a blob, so that each byte arrives.
func text(b []byte, mime, file string) (*mcp.ResourceContents, error) {
	switch {
	case len(b) > mostRead:
		return nil, tooLarge(file)
	case !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0:
		return &mcp.ResourceContents{MIMEType: "application/octet-stream", Blob: b}, nil
	case len(b) == 0: // the SDK leaves an empty text out, and one of the two has to be there
		return &mcp.ResourceContents{MIMEType: mime, Blob: []byte{}}, nil
	}
	return &mcp.ResourceContents{MIMEType: mime, Text: string(b)}, nil
}

func jsonText(v any) (*mcp.ResourceContents, error) {
	b, err := encode(v)
	if err != nil {
		return nil, err
	}
	return &mcp.ResourceContents{MIMEType: plainJSON, Text: string(b)}, nil
}
