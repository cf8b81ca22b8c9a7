package snapshot

import (
	"fmt"
	"strings"

	"vespe/model"
)

// indexUIDs maps each uid to its place in tasks.
func indexUIDs(tasks []*model.Task) map[model.UID]int32 {
	x := make(map[model.UID]int32, len(tasks))
	for i, t := range tasks {
		x[t.UID] = int32(i)
	}
	return x
}

const (
	minPrefix     = 4 // characters after UIDHead that a prefix needs
	minPart       = 6 // characters that another part needs, as many as UID.Short has
	maxCandidates = 5 // that a refusal lists
)

// Find is the task that ref names: a whole uid; else an exact name, a prefix of a uid with or without its "tsk-", or its
// end; and only where it is none of these, a part of one that vespe made. What fits several tasks is refused, so that no
// command acts on another task than was meant.
// The error is a *Refusal, CodeNotFound or CodeAmbiguous with the candidates in its hint.
func (s *Snapshot) Find(ref string) (model.UID, error) {
	ref = strings.TrimSpace(ref)
	if _, ok := s.tasks.lookup(model.UID(ref)); ok {
		return model.UID(ref), nil
	}
	if ref == "" {
		return "", &model.Refusal{
			Code: model.CodeNotFound, Op: "find", Why: "no task was named",
			Hint: "give a uid, the start of one, or a name",
		}
	}
	hits := s.tasks.named(ref)
	switch len(hits) {
	case 0:
		return "", s.tasks.notFound(ref)
	case 1:
		return s.tasks.uid(hits[0]), nil
	}
	return "", &model.Refusal{
		Code: model.CodeAmbiguous, Op: "find", Task: ref,
		Why:  fmt.Sprintf("%d tasks have this name or uid", len(hits)),
		Hint: "give more of the uid: " + s.tasks.candidates(hits, ref),
	}
}

// named are the tasks with a name, or with a uid that begins or ends with it; if there are none, those with it in their uid.
func (b *book) named(ref string) []int32 {
	var hits, within []int32
	prefix, part := len(strings.TrimPrefix(ref, model.UIDHead)) >= minPrefix, len(ref) >= minPart
	for i := range int32(b.n) {
		uid := string(b.uid(i))
		switch {
		case b.name(i) == ref, prefix && (strings.HasPrefix(uid, ref) || strings.HasPrefix(strings.TrimPrefix(uid, model.UIDHead), ref)),
			part && strings.HasSuffix(uid, ref):
			hits = append(hits, i)
		case part && strings.HasPrefix(uid, model.UIDHead) && strings.Contains(uid[len(model.UIDHead):], ref):
			within = append(within, i)
		}
	}
	if len(hits) == 0 {
		return within
	}
	return hits
}

// candidates lists the first few of hits, each with its name and its short uid, or all of it where that is ref.
func (b *book) candidates(hits []int32, ref string) string {
	var out strings.Builder
	for k, i := range hits {
		if k == maxCandidates {
			fmt.Fprintf(&out, ", and %d more", len(hits)-k)
			break
		}
		if k > 0 {
			out.WriteString(", ")
		}
		uid := b.uid(i).Short()
		if strings.HasSuffix(ref, uid) {
			uid = string(b.uid(i))
		}
		fmt.Fprintf(&out, "%s (%s)", uid, b.title(int(i)))
	}
	return out.String()
}

// notFound names tasks that are spelled nearly so.
func (b *book) notFound(ref string) *model.Refusal {
	r := &model.Refusal{
		Code: model.CodeNotFound, Op: "find", Task: model.Plain(ref),
		Why:  "no task matches this name or uid",
		Hint: "`vespe ls` lists tasks",
	}
	if bare := strings.TrimPrefix(ref, model.UIDHead); len(bare) < minPrefix {
		r.Hint = "give at least the first four characters after tsk-, or any six; list the tasks with `vespe ls`"
	}
	var near []int32
	low := strings.ToLower(ref)
	for i := range int32(b.n) {
		if containsFold(b.name(i), low) {
			if near = append(near, i); len(near) > maxCandidates {
				break
			}
		}
	}
	if len(near) > maxCandidates {
		r.Hint = "give the full name; several contain this: " + b.candidates(near[:maxCandidates], "")
	} else if len(near) > 0 {
		r.Hint = "did you mean " + b.candidates(near, "") + "?"
	}
	return r
}

// Title is what to call task i: its name, or its uid when it has none.
func (s *Snapshot) Title(i int) string { return s.tasks.title(i) }

func (b *book) title(i int) string {
	if name := b.name(int32(i)); name != "" {
		return name
	}
	return string(b.uid(int32(i)))
}

// taskPath is a file of a task relative to the repository root; its directory when file
// is "".
func taskPath(uid model.UID, file string) string {
	p := ".vespe/tasks/" + string(uid)
	if file != "" {
		p += "/" + file
	}
	return p
}

// containsFold reports whether s contains low, which is lower case, ignoring case.
func containsFold(s, low string) bool {
	if low == "" {
		return true
	}
	for i := range len(low) {
		if low[i] >= 0x80 {
			return strings.Contains(strings.ToLower(s), low)
		}
	}
	first := low[0]
	other := first
	if 'a' <= first && first <= 'z' {
		other -= 'a' - 'A'
	}
	for i := 0; i+len(low) <= len(s); i++ {
		if c := s[i]; (c == first || c == other) && strings.EqualFold(s[i:i+len(low)], low) {
			return true
		}
	}
	return false
}
