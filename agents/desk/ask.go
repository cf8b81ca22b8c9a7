package desk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/model/visible"
)

// The bounds of what is handed in, in bytes. The lifecycle has others of its own.
const (
	MaxPlan   = 512 << 10 // of a plan
	MaxDetail = 64 << 10  // of a question's detail, and of its arguments
	MaxText   = 64 << 10  // of any other text
	maxKey    = 200       // of an idempotency key
)

// opID is the id of an operation that a key makes one. Parts are what the key belongs to.
func opID(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return "desk-" + hex.EncodeToString(h.Sum(nil)[:16])
}

func checkKey(key string) error {
	if len(key) > maxKey || visible.Line(key) != key {
		return problem(CodeInvalid, fmt.Sprintf("the key is longer than %d bytes, or has characters that cannot be seen", maxKey), "Use a short key, such as the id of your call.")
	}
	return nil
}

// tooLarge is nil for a text of at most so many bytes.
func tooLarge(what string, size, most int, instead string) error {
	if size <= most {
		return nil
	}
	return problem(CodeTooLarge, fmt.Sprintf("%s has %d bytes; the limit is %d", what, size, most), instead)
}

// Ask files a question for a person, who answers when they do: look for it with Wait. The task waits for the answer
// meanwhile. With a Key it is filed once, whatever became of it since; without one, once as long as it waits.
// The arguments are part of the question: the same key with others is refused (CodeKey).
func (d *Desk) Ask(ctx context.Context, q Question) (Review, error) {
	n, err := q.request()
	if err != nil {
		return Review{}, err
	}
	s, snap, err := d.View(ctx)
	if err != nil {
		return Review{}, err
	}
	var uid model.UID
	if q.TaskID != "" || d.o.Task != "" {
		if uid, err = d.find(snap, q.TaskID); err != nil {
			return Review{}, err
		}
	}
	was, err := d.asked(snap, uid, n)
	if err != nil {
		return Review{}, err
	}
	if was != "" {
		return d.seen(ctx, s, snap, subject{request: was}, d.polls(was))
	}
	op := model.Op{Name: model.Ask, UID: uid, Args: *n}
	if n.Key != "" {
		op.ID = opID("ask", string(uid), n.Key, content(n))
	}
	applied, err := d.do(ctx, s, op)
	if err != nil {
		return Review{}, told(err)
	}
	return d.seen(ctx, s, applied.Snapshot, subject{request: applied.Change.Request}, 0)
}

// request is the question as the lifecycle takes it.
func (q *Question) request() (*model.NewRequest, error) {
	n := &model.NewRequest{Kind: q.Kind, Title: strings.TrimSpace(q.Title), Detail: q.Detail, Options: q.Options, Risk: q.Risk, Key: q.Key}
	if err := checkKey(q.Key); err != nil {
		return nil, err
	}
	if err := tooLarge("detail_md", len(q.Detail), MaxDetail, "Put the bulk into a file, and name it."); err != nil {
		return nil, err
	}
	if args := bytes.TrimSpace(q.Args); len(args) > 0 && string(args) != "null" {
		n.Args = bytes.Clone(args)
	}
	if err := tooLarge("args", len(n.Args), MaxDetail, "Put the bulk into a file, and name it in args."); err != nil {
		return nil, err
	}
	if n.Kind == "" {
		switch {
		case len(q.Options) > 0:
			n.Kind = model.KindChoice
		case n.Args != nil:
			n.Kind = model.KindAction
		default:
			n.Kind = model.KindQuestion
		}
	}
	if q.ExpiresAt != nil {
		n.ExpiresAt = q.ExpiresAt.UTC()
	}
	switch {
	case q.AllowEdit == nil:
	case *q.AllowEdit && (n.Args == nil || n.Kind != model.KindAction):
		return nil, problem(CodeInvalid, "allow_edit needs an action with args to edit", "Leave it out, or give args.")
	case !*q.AllowEdit && n.Kind == model.KindAction && n.Args != nil:
		n.Allow = []string{string(model.DecideAccept), string(model.DecideRespond), string(model.DecideDeny)}
	}
	return n, nil
}

// asked is the id of the request that asks this already; "" for none.
func (d *Desk) asked(snap *snapshot.Snapshot, uid model.UID, n *model.NewRequest) (string, error) {
	all := snap.Requests()
	for i := len(all) - 1; i >= 0; i-- {
		q := &all[i]
		if q.TaskUID != uid || q.Key != n.Key || q.State == model.RequestSuperseded {
			continue
		}
		switch same := lifecycle.AsksSame(q, n); {
		case n.Key != "" && same, same && q.IsOpen() && q.CreatedBy == d.o.Actor:
			return q.ID, nil
		case n.Key != "":
			return "", problem(CodeKey, fmt.Sprintf("the key %q was used for another question, %s (%q): its answer is not for this one", visible.Line(n.Key), q.ID, visible.Line(q.Title)),
				"Use another key for another question. Do not act on the answer to that one.")
		}
	}
	return "", nil
}

// content is what a question asks, in bytes: other arguments are another question.
func content(n *model.NewRequest) string {
	args := n.Args
	var b bytes.Buffer
	if json.Compact(&b, args) == nil {
		args = b.Bytes()
	}
	text, err := json.Marshal([]any{n.Kind, n.Title, n.Detail, n.Options, string(args), n.Allow, n.Risk})
	if err != nil {
		panic("a question can always be written: " + err.Error()) // it is strings
	}
	return model.HashBytes(text)
}
