package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"vespe/agents/desk"
	"vespe/model"
	"vespe/model/visible"
	"vespe/store"
)

// tool is one row of the table of tools: what clients are told of it, and what it does.
type tool struct {
	name, title, about string
	first              bool // of those that a client has always loaded
	reads              bool // it changes nothing
	idempotent         bool // called again with the same arguments it changes nothing more
	most               int  // bytes of arguments; 0: mostArguments
	in, out            *jsonschema.Schema
	do                 func(ctx context.Context, c *call, args json.RawMessage) (*mcp.CallToolResult, error)
	failed             func(error) *mcp.CallToolResult // nil: as text that says what to do
}

// mostArguments is how much a tool takes, in bytes of JSON.
const mostArguments = 256 << 10

// typed makes a tool's function of one that takes and gives Go values.
func typed[In, Out any](t tool, do func(context.Context, *call, In) (Out, error)) tool {
	if t.in == nil {
		t.in = schemaOf[In](false)
	}
	t.out = schemaOf[Out](true)
	resolved := resolve(t.in)
	t.do = func(ctx context.Context, c *call, args json.RawMessage) (*mcp.CallToolResult, error) {
		in, err := taken[In](t.name, resolved, args, false)
		if err != nil {
			return nil, err
		}
		out, err := do(ctx, c, in)
		if err != nil {
			return nil, err
		}
		return object(out)
	}
	return t
}

func resolve(s *jsonschema.Schema) *jsonschema.Resolved {
	r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		panic("a schema of ours: " + err.Error())
	}
	return r
}

// object is a result that is one object. Clients that know structured results show nothing else; the text is for
// those that do not, and has the same.
func object(v any) (*mcp.CallToolResult, error) {
	b, err := encode(v)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{
		StructuredContent: json.RawMessage(b),
		Content:           []mcp.Content{&mcp.TextContent{Text: string(b)}},
	}, nil
}

// encode writes JSON in which nothing that a terminal would obey, or that cannot be seen, stands as itself.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("the answer cannot be written as JSON: %w", err)
	}
	return []byte(visible.JSON(string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))))), nil
}

// call is one call of a tool.
type call struct {
	server *Server
	req    *mcp.CallToolRequest
	desk   *desk.Desk
}

// add offers a tool.
func (s *Server) add(t tool) {
	no := false
	hints := &mcp.ToolAnnotations{ReadOnlyHint: t.reads, DestructiveHint: &no, OpenWorldHint: &no, IdempotentHint: t.idempotent || t.reads}
	offered := &mcp.Tool{Name: t.name, Title: t.title, Description: t.about, Annotations: hints, InputSchema: t.in}
	if t.out != nil {
		offered.OutputSchema = outline(t.out)
	}
	if t.first {
		offered.Meta = mcp.Meta{"anthropic/alwaysLoad": true}
	}
	if t.most == 0 {
		t.most = mostArguments
	}
	s.mcp.AddTool(offered, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, cancel := s.under(ctx)
		defer cancel()
		res, err := s.call(ctx, &t, req)
		switch {
		case err == nil:
			return res, nil
		case t.failed != nil:
			return t.failed(err), nil
		}
		return failed(err), nil
	})
}

// call does one call. A panic of it is a call that failed: the others, and the client, have a server still.
func (s *Server) call(ctx context.Context, t *tool, req *mcp.CallToolRequest) (res *mcp.CallToolResult, err error) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(s.o.Log, "vespe mcp: %s failed: internal error: %s\n", t.name, visible.Line(fmt.Sprint(p)))
			err = &desk.Error{Code: desk.CodeFailed, Message: t.name + " failed: internal error", Next: "Do not repeat it. Tell the person, and continue with something else."}
		}
	}()
	if n := len(req.Params.Arguments); n > t.most {
		return nil, &desk.Error{
			Code:    desk.CodeTooLarge,
			Message: fmt.Sprintf("the arguments of %s have %d bytes, the limit is %d. Nothing was done", t.name, n, t.most),
			Next:    "Send less: put long text into a file of the project and name the file.",
		}
	}
	p, leave, err := s.home.enter()
	if err != nil {
		return nil, noStore(err)
	}
	defer leave()
	c := &call{server: s, req: req}
	if c.desk, err = s.deskOf(p, req.ClientInfo()); err != nil {
		return nil, err
	}
	return t.do(ctx, c, req.Params.Arguments)
}

// deskOf is the desk of the client that asks.
func (s *Server) deskOf(p *place, client *mcp.Implementation) (*desk.Desk, error) {
	if s.o.Actor != "" {
		return s.home.desk(p, s.o.Actor)
	}
	name := ""
	if client != nil {
		name = client.Name
	}
	actor, err := desk.ActorFor(s.o.Getenv, name)
	if err != nil {
		return nil, &desk.Error{Code: desk.CodeInvalid, Message: visible.String(err.Error()), Next: "Tell the person to fix the environment of this server."}
	}
	return s.home.desk(p, actor)
}

// noStore is what every tool says where there is no store, or none that can be opened.
func noStore(err error) error {
	if errors.Is(err, errOver) {
		return &desk.Error{Code: desk.CodeCanceled, Message: "the server is shutting down", Next: "Repeat the call when the server is back."}
	}
	var no *model.Refusal
	var broken *store.Failure
	if !errors.As(err, &no) || errors.As(err, &broken) {
		return &desk.Error{
			Code: desk.CodeFailed, Message: "the store cannot be opened: " + visible.String(err.Error()),
			Next: "Tell the person what this says; `vespe store doctor` in the project tells more. The server looks again at each call.",
		}
	}
	next := "Tell the person: `vespe init` in the project makes a store, and the next call finds it. " +
		"If there is one elsewhere, the server is to be started as `vespe agent mcp -C DIR`, or with VESPE_STORE set."
	if hint := visible.String(no.Hint); hint != "" {
		next = "What vespe says to people: " + hint + ". " + next
	}
	return &desk.Error{Code: desk.CodeNotFound, Message: "there is no store of tasks here: " + visible.String(no.Why), Next: next}
}

// failed is a call that came to nothing, as text: clients show that whole.
func failed(err error) *mcp.CallToolResult {
	var e *desk.Error
	if !errors.As(err, &e) {
		e = &desk.Error{Code: desk.CodeFailed, Message: visible.String(err.Error()), Next: "Repeat the call once. If it fails again, tell the person what it says and stop."}
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: e.Error()}}}
}

// mostWait is how long a call waits for a person: below the minute after which clients give up.
const mostWait = 45 * time.Second

// progress tells the client that a call still waits, where it wants to know. total is 0 where nobody knows how long.
func (c *call) progress(total time.Duration) func(time.Duration) {
	token := c.req.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	return func(elapsed time.Duration) {
		// A client that does not take it in has gone, and its call ends by itself.
		_ = c.req.Session.NotifyProgress(context.Background(), &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: elapsed.Seconds(), Total: total.Seconds(), Message: "waiting for a person",
		})
	}
}
