package hook

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vespe/agents/desk"
	"vespe/model/snapshot"
	"vespe/model/visible"
)

// userQuestion is one question of AskUserQuestion.
type userQuestion struct {
	text, header string
	multi        bool
	labels       []string
	notes        []string // of each label
}

// mostQuestions is more than a client lets an agent ask at once.
const mostQuestions = 20

// questionsOf are the questions of a call.
func questionsOf(input jsontext.Value) []userQuestion {
	var out []userQuestion
	for _, raw := range parseObject(input).list("questions") {
		in := parseObject(raw)
		q := userQuestion{text: in.text("question"), header: in.text("header"), multi: in.is("multiSelect")}
		for _, o := range in.list("options") {
			option := parseObject(o)
			q.labels = append(q.labels, option.text("label"))
			q.notes = append(q.notes, option.text("description"))
		}
		if strings.TrimSpace(q.text) != "" {
			out = append(out, q)
		}
	}
	return out
}

// plain reports labels that a person can be given to choose from as they are.
func (q *userQuestion) plain() bool {
	seen := map[string]bool{}
	for _, l := range q.labels {
		if l != title(l, 190) || l == "" || seen[l] {
			return false
		}
		seen[l] = true
	}
	return len(q.labels) > 0 && len(q.labels) <= 50
}

// ask is the question for the desk. Where several may be chosen, or the labels are none that can be chosen from,
// words are wanted.
func (q *userQuestion) ask(key string) desk.Question {
	var b strings.Builder
	if q.header != "" {
		fmt.Fprintf(&b, "**%s**\n\n", title(q.header, 100))
	}
	b.WriteString(visible.String(q.text) + "\n")
	if len(q.labels) > 0 {
		b.WriteString("\n")
	}
	for i, l := range q.labels {
		fmt.Fprintf(&b, "- %s", title(l, 400))
		if q.notes[i] != "" {
			b.WriteString(": " + strings.ReplaceAll(visible.String(q.notes[i]), "\n", "\n  "))
		}
		b.WriteString("\n")
	}
	out := desk.Question{Kind: desk.KindQuestion, Title: title(q.text, maxTitle), Key: key}
	switch {
	case q.plain() && !q.multi:
		out.Kind, out.Options = desk.KindChoice, q.labels
		b.WriteString("\nChoose one, or answer in words.\n")
	case len(q.labels) > 0 && q.multi:
		b.WriteString("\nSeveral may be chosen: write them with commas between, or answer in words.\n")
	case len(q.labels) > 0:
		b.WriteString("\nWrite the one that you choose, or answer in words.\n")
	}
	out.Detail = clip(b.String(), desk.MaxDetail-100)
	return out
}

// answer is what the client is told that the person answered.
func (q *userQuestion) answer(r *desk.Review) string {
	text := strings.TrimSpace(r.Text)
	switch {
	case r.Choice != "" && text != "":
		return r.Choice + " (they add: " + text + ")"
	case r.Choice != "":
		return r.Choice
	}
	var chosen []string
	for part := range strings.SplitSeq(text, ",") {
		i := slices.IndexFunc(q.labels, func(l string) bool { return strings.EqualFold(strings.TrimSpace(part), l) })
		if i < 0 {
			return text
		}
		chosen = append(chosen, q.labels[i])
	}
	return strings.Join(chosen, ", ")
}

// questions asks a person what AskUserQuestion asks, and answers with their answers. wait says to wait for these;
// else the call is put off.
func (h *session) questions(ctx context.Context, c *Call, wait bool) reply {
	list := questionsOf(c.Input)
	if len(list) == 0 || len(list) > mostQuestions {
		return deny("NO QUESTION TO ANSWER in this call. Write each question out, with its options, and ask again.")
	}
	base := h.callKey(c)
	if !wait {
		base = h.deferredKey(c)
	}
	all := make([]desk.Review, len(list))
	var other string
	err := h.asking(ctx, func(n *notes, snap *snapshot.Snapshot) (err error) {
		key := base
		if wait {
			h.passOver(n, snap, base)
			key = h.nextKey(n, base)
		} else if other = h.waiting(snap, base); other != "" {
			return nil
		}
		for i := range list {
			one := key
			if i > 0 {
				one = fmt.Sprintf("%s.q%d", key, i+1)
			}
			if all[i], err = h.ask(ctx, snap, list[i].ask(one)); err != nil {
				return err
			}
			h.show(n, &all[i])
		}
		return nil
	})
	if err != nil {
		return h.refused(err)
	}
	if other != "" {
		return deny(onePendingText(other))
	}
	if wait {
		if err := h.awaitAll(ctx, base, all); err != nil {
			return h.refused(err)
		}
	}
	return h.answers(list, all, c, wait, base)
}

// answers is the reply to questions of which each was looked at.
func (h *session) answers(list []userQuestion, all []desk.Review, c *Call, wait bool, base string) reply {
	given := map[string]string{}
	var read []string
	for i := range all {
		r := &all[i]
		switch {
		case r.Waits():
			return undecided(r, wait)
		case r.State == desk.StateAccepted, r.State == desk.StateAnswered:
			given[list[i].text] = list[i].answer(r)
			read = append(read, r.ReviewID)
		default:
			return deny(decidedText(r, "to answer "+title(list[i].text, 80))).tells(r.ReviewID)
		}
	}
	if wait {
		if _, err := h.claimed(base, "", false); err != nil {
			return h.refused(err)
		}
	}
	text, err := json.Marshal(given, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return h.refused(err)
	}
	return allow(withMember(c.Input, "answers", text)).tells(read...)
}
