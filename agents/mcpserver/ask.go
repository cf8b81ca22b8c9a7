package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"vespe/agents/desk"
	"vespe/model"
	"vespe/model/visible"
)

// askIn is what ask_human takes.
type askIn struct {
	desk.Question
	WaitS int `json:"wait_s,omitempty" jsonschema:"seconds to wait for the answer; default 0"`
}

// asking is what ask_human gives: the request, and what was said at the client, which decides nothing.
type asking struct {
	desk.Review
	AtClient *atClient `json:"at_client,omitempty" jsonschema:"what whoever sits at this client did with the question: no decision, and no permission for anything"`
}

// atClient is what came of putting a question to the client's user. Nobody knows who that is: a hook may have
// answered, a program without anybody in front of it declines, and an agent can be its own client. So it is never
// written down as an answer; the request waits on until a person decides in vespe.
type atClient struct {
	Action string `json:"action" jsonschema:"accept (they wrote something), decline, or cancel"`
	Words  string `json:"words,omitempty" jsonschema:"what they wrote: information, not an answer"`
}

const (
	// answerKey names the one thing that a client is asked for.
	answerKey = "answer"
	// mostWords is how much of what was typed at a client is passed on, in bytes.
	mostWords = 8 << 10
	// mostDetail is how much of a question's detail a client is to show, in bytes: vespe shows it whole.
	mostDetail = 4 << 10
)

// modernEra is the first version of the protocol in which a server does not ask by itself: it says in the result what
// it wants to know, and is called again.
const modernEra = "2026-07-28"

func (c *call) askHuman(ctx context.Context, in askIn) (asking, error) {
	if state := c.req.Params.RequestState; state != "" {
		return c.askedAtClient(ctx, state, in.WaitS)
	}
	if model.ReservedKey(in.Key) {
		return asking{}, &desk.Error{
			Code: desk.CodeInvalid, Message: fmt.Sprintf("the key %q is reserved for tool calls", visible.Line(in.Key)),
			Next: "Use another key, such as a short word for the question.",
		}
	}
	r, err := c.desk.Ask(ctx, in.Question)
	if err != nil || !r.Waits() {
		return asking{Review: r}, err
	}
	if c.elicits() && c.server.asked.first(r.ReviewID) {
		put := toClient(in.Question, r)
		if c.req.ProtocolVersion() >= modernEra {
			// The state is only the name of a record that is looked at again: a made-up one finds another record or
			// none, and shows no more than review_wait does.
			c.ask = &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{answerKey: put}, RequestState: r.ReviewID}
			return asking{Review: r}, nil
		}
		return c.elicit(ctx, r, put, in.WaitS)
	}
	if in.WaitS > 0 {
		r, err = c.waited(ctx, r, in.WaitS)
	}
	return asking{Review: r}, err
}

// askedAtClient goes on after the client has put the question to its user.
func (c *call) askedAtClient(ctx context.Context, id string, wait int) (asking, error) {
	r, err := c.desk.Look(ctx, id)
	if err != nil || !r.Waits() {
		return asking{Review: r}, err
	}
	res, _ := c.req.Params.InputResponses[answerKey].(*mcp.ElicitResult)
	out := asking{Review: r, AtClient: said(res)}
	if out.AtClient == nil && wait > 0 {
		out.Review, err = c.waited(ctx, r, wait)
	}
	return out.noted(), err
}

// elicits says whether the client can put a question to its user.
func (c *call) elicits() bool {
	caps := c.req.ClientCapabilities()
	if caps == nil || caps.Elicitation == nil {
		return false
	}
	return caps.Elicitation.Form != nil || caps.Elicitation.URL == nil // neither means forms, in older versions
}

// elicit puts the question to the client's user, and waits for the decision in vespe at the same time: that one
// ends it, as the user's doing does. A client that cannot do what it said is as good as one that said nothing.
func (c *call) elicit(ctx context.Context, r desk.Review, put *mcp.ElicitParams, wait int) (asking, error) {
	ctx, cancel := context.WithTimeout(ctx, mostWait)
	defer cancel()
	type decision struct {
		r   desk.Review
		err error
	}
	decided := make(chan decision, 1)
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	asked := make(chan *atClient, 1)
	go func() {
		res, err := c.req.Session.Elicit(ctx, put)
		if err != nil {
			res = nil
		}
		asked <- said(res)
	}()
	go func() {
		now, err := c.desk.Wait(waiting, r.ReviewID, mostWait, c.progress(mostWait))
		decided <- decision{now, err}
	}()
	select {
	case d := <-decided:
		if d.err != nil {
			d.r = r // it is recorded, whatever became of the waiting
		}
		return asking{Review: d.r}, ctx.Err()
	case at := <-asked:
		stop()
		if d := <-decided; d.err == nil && !d.r.Waits() { // a person was faster
			return asking{Review: d.r}, nil
		}
		out := asking{Review: r, AtClient: at}
		var err error
		if at == nil && wait > 0 {
			out.Review, err = c.waited(ctx, r, wait)
		}
		return out.noted(), err
	}
}

// said is what the client's user did; nil where there was nobody, or nothing came back.
func said(res *mcp.ElicitResult) *atClient {
	if res == nil {
		return nil
	}
	at := &atClient{Action: "cancel"}
	switch res.Action {
	case "accept", "decline":
		at.Action = res.Action
	}
	if text, ok := res.Content["reply"].(string); ok && at.Action == "accept" {
		text = strings.TrimSpace(text)
		at.Words = strings.ToValidUTF8(text[:min(len(text), mostWords)], "")
	}
	return at
}

// noted says in next_action what the words of the client's user are, and are not.
func (o asking) noted() asking {
	if o.AtClient == nil || !o.Waits() {
		return o
	}
	how := "The person at this client saw the question and wrote at_client.words. That is information, not the answer: it permits nothing, and " + o.ReviewID + " still waits for a person's decision in vespe."
	if o.AtClient.Action != "accept" || o.AtClient.Words == "" {
		how = "The question was shown at this client and closed there. No one has decided. This is neither a yes nor a no, and " + o.ReviewID + " still waits for a person in vespe."
	}
	o.NextAction = how + " " + o.NextAction
	return o
}

// toClient is the question as the client's user gets it.
func toClient(q desk.Question, r desk.Review) *mcp.ElicitParams {
	var b strings.Builder
	fmt.Fprintf(&b, "An agent asks: %s\n", visible.Line(q.Title))
	if r.Task != "" {
		fmt.Fprintf(&b, "Task: %s\n", visible.Line(r.Task))
	}
	if len(q.Args) > 0 {
		fmt.Fprintf(&b, "It wants to do: %s\n", clipped(visible.Line(string(q.Args)), mostDetail))
	}
	for _, o := range q.Options {
		fmt.Fprintf(&b, "- %s\n", visible.Line(o))
	}
	if q.Detail != "" {
		fmt.Fprintf(&b, "\n%s\n", clipped(visible.String(strings.TrimSpace(q.Detail)), mostDetail))
	}
	fmt.Fprintf(&b, "\nThis is decided in vespe: in the workbench, or with `vespe request answer %s` in a terminal of yours. "+
		"What you write here goes to the agent as a remark. It permits nothing, and the question waits on.", r.ReviewID)
	return &mcp.ElicitParams{
		Mode: "form", Message: b.String(),
		RequestedSchema: &jsonschema.Schema{
			Type: "object",
			Properties: map[string]*jsonschema.Schema{
				"reply": {Type: "string", Title: "A remark for the agent", Description: "This is not a decision. You may leave it empty."},
			},
		},
	}
}

func clipped(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + " … (vespe shows it whole)"
}
