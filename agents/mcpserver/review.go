package mcpserver

import (
	"context"
	"fmt"
	"time"

	"vespe/agents/desk"
	"vespe/model"
	"vespe/model/visible"
)

// planIn is what plan_submit takes.
type planIn struct {
	desk.Plan
	WaitS int `json:"wait_s,omitempty" jsonschema:"seconds to wait for the verdict; default 0"`
}

// askIn is what ask_human takes.
type askIn struct {
	desk.Question
	WaitS int `json:"wait_s,omitempty" jsonschema:"seconds to wait for the answer; default 0"`
}

// waitIn is what review_wait takes.
type waitIn struct {
	ReviewID string `json:"review_id" jsonschema:"from plan_submit, ask_human or task_report"`
	WaitS    *int   `json:"wait_s,omitempty" jsonschema:"seconds to wait; default 45, 0 only checks"`
}

func (c *call) planSubmit(ctx context.Context, in planIn) (desk.Review, error) {
	r, err := c.desk.SubmitPlan(ctx, in.Plan)
	if err != nil || in.WaitS <= 0 || !r.Waits() {
		return r, err
	}
	return c.waited(ctx, r, in.WaitS)
}

func (c *call) askHuman(ctx context.Context, in askIn) (desk.Review, error) {
	if model.ReservedKey(in.Key) {
		return desk.Review{}, &desk.Error{
			Code: desk.CodeInvalid, Message: fmt.Sprintf("the key %q is reserved for tool calls", visible.Line(in.Key)),
			Next: "Use another key, such as a short word for the question.",
		}
	}
	r, err := c.desk.Ask(ctx, in.Question)
	if err != nil || in.WaitS <= 0 || !r.Waits() {
		return r, err
	}
	return c.waited(ctx, r, in.WaitS)
}

func (c *call) reviewWait(ctx context.Context, in waitIn) (desk.Review, error) {
	seconds := int(mostWait / time.Second)
	if in.WaitS != nil {
		seconds = *in.WaitS
	}
	if seconds == 0 {
		return c.desk.Look(ctx, in.ReviewID)
	}
	return c.wait(ctx, in.ReviewID, seconds)
}

// wait waits for a decision; progress goes to the client meanwhile.
func (c *call) wait(ctx context.Context, id string, seconds int) (desk.Review, error) {
	d := min(time.Duration(seconds)*time.Second, mostWait)
	return c.desk.Wait(ctx, id, d, c.progress(d))
}

// waited is a review that is written down already, after waiting for its decision: that the waiting fails is no
// reason to say that nothing was recorded.
func (c *call) waited(ctx context.Context, r desk.Review, seconds int) (desk.Review, error) {
	now, err := c.wait(ctx, r.ReviewID, seconds)
	if err != nil && ctx.Err() == nil {
		return r, nil //nolint:nilerr // the review is there, and review_wait says what is wrong
	}
	return now, err
}
