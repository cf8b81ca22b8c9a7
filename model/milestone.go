package model

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Milestones is milestones.json: the milestones of a store in their order, which is the
// order in which they are to be reached.
type Milestones struct {
	List  []Milestone `file:"milestones,always,vital,as=milestones"`
	Extra Extra
	// Broken says that part of the file could not be read. Nothing writes it then, because
	// what cannot be read would be lost.
	Broken bool
}

// Milestone is one element of milestones.json. Its status and its progress are those of its
// tasks (Snapshot.Milestones), and never stored.
type Milestone struct {
	ID          string   `file:"id,always,vital"` // what tasks name it by: see ValidMilestoneID
	Name        string   `file:"name,always"`
	Description string   `file:"description"`
	TaskIDs     []UID    `file:"task_ids,always"` // the tasks that are in it, beside those whose spec.json says so
	_           struct{} `file:"status"`          // derived
	Extra       Extra
}

// ValidMilestoneID reports whether s can be the id of a milestone: letters and digits,
// and inside ".", "_" and "-"; at most 64 of them.
func ValidMilestoneID(s string) bool {
	if s == "" || len(s) > 64 || strings.EqualFold(s, NoMilestone) {
		return false
	}
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && (i == 0 || !strings.ContainsRune("._-", r)) {
			return false
		}
	}
	return true
}

// NoMilestone is what filters and verbs call having none. No milestone has it as its id.
const NoMilestone = "none"

// Index finds a milestone by its id; -1 when there is none.
func (m Milestones) Index(id string) int {
	return slices.IndexFunc(m.List, func(x Milestone) bool { return x.ID == id })
}

// Find finds a milestone by its id in any case, or by its name; only one that is the only
// one so called.
func (m Milestones) Find(ref string) (Milestone, error) {
	ref = strings.TrimSpace(ref)
	if i := m.Index(ref); i >= 0 {
		return m.List[i], nil
	}
	found, ids := -1, make([]string, 0, len(m.List))
	for i, x := range m.List {
		ids = append(ids, x.ID)
		if !strings.EqualFold(x.ID, ref) && !strings.EqualFold(x.Name, ref) {
			continue
		}
		if found >= 0 {
			return Milestone{}, &Refusal{
				Code: CodeUsage, Guard: GuardMilestone, Why: Quote(ref) + " matches both " + m.List[found].ID + " and " + x.ID,
				Hint: "use its id",
			}
		}
		found = i
	}
	if found >= 0 {
		return m.List[found], nil
	}
	r := &Refusal{Code: CodeNotFound, Guard: GuardMilestone, Why: "unknown milestone " + Quote(ref)}
	lower := make([]string, len(ids))
	for i, id := range ids {
		lower[i] = strings.ToLower(id)
	}
	switch meant := slices.Index(lower, Nearest(strings.ToLower(ref), lower)); {
	case meant >= 0:
		r.Hint = "did you mean " + ids[meant] + "?"
	case len(ids) == 0:
		r.Hint = "`vespe milestone create NAME` creates one"
	default:
		r.Hint = "the milestones are " + strings.Join(ids, ", ")
	}
	return Milestone{}, r
}

// Holder is the index of the milestone that lists a task; -1 for none. Of several the first
// counts.
func (m Milestones) Holder(uid UID) int {
	return slices.IndexFunc(m.List, func(x Milestone) bool { return slices.Contains(x.TaskIDs, uid) })
}

// FreeID makes an id of a name, which nobody has yet.
func (m Milestones) FreeID(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-") && (unicode.IsSpace(r) || strings.ContainsRune("._-/:,", r)):
			b.WriteByte('-')
		}
	}
	id := b.String()
	if len(id) > 40 {
		id = id[:40]
	}
	id = strings.TrimRight(id, "-")
	if !ValidMilestoneID(id) {
		id = "m"
	}
	taken := func(id string) bool {
		return slices.ContainsFunc(m.List, func(x Milestone) bool { return strings.EqualFold(x.ID, id) })
	}
	if id != "m" && !taken(id) {
		return id
	}
	for n := 1; ; n++ {
		next := id + strconv.Itoa(n)
		if id != "m" {
			next = id + "-" + strconv.Itoa(n+1)
		}
		if !taken(next) {
			return next
		}
	}
}

var milestonesFormat = formatOf[Milestones]()

// DecodeMilestones reads milestones.json. A milestone without an id that others can name it
// by, or with that of another, is of Error severity, and so is a list that is none; the rest
// is read all the same. `status` is derived, and passed over.
func DecodeMilestones(path string, b []byte) (Milestones, []Problem) {
	r := reader{path: path, src: b}
	ms := new(Milestones)
	if m, ok := r.document(); ok {
		f := milestonesFormat()
		f.read(&r, m, reflect.ValueOf(ms).Elem())
		ms.Extra = r.kept(f.keys)
	}
	ms.Broken = slices.ContainsFunc(r.problems, func(p Problem) bool { return p.Severity == Error })
	return *ms, r.problems
}

// milestones reads the list, each element by f.
func (r *reader) milestones(m *members, f *format, list *[]Milestone) {
	switch m.val[0] {
	case 'n':
	case '[':
		for e := m.inside(); e.element(); {
			r.milestone(&e, f, list)
		}
	default:
		r.problem(m.at, Error, "wrong-type", `"milestones" is `+kindOf(m.val[0])+", not a list", "write a list of objects, each with an id")
	}
}

// milestone reads one element of the list.
func (r *reader) milestone(e *members, f *format, list *[]Milestone) {
	broken := func(why, hint string) { r.problem(e.at, Error, "bad-milestone", why, hint) }
	if e.val[0] != '{' {
		broken("a milestone is "+kindOf(e.val[0])+", not an object", "write it as an object with an id")
		return
	}
	sub := reader{path: r.path, src: r.src}
	x := new(Milestone)
	in := e.inside()
	f.read(&sub, &in, reflect.ValueOf(x).Elem())
	x.Extra = sub.kept(f.keys)
	r.problems = append(r.problems, sub.problems...)
	switch {
	case !ValidMilestoneID(x.ID):
		broken("a milestone has no valid id", `give it one of letters, digits, ".", "_" and "-"`)
	case slices.ContainsFunc(*list, func(o Milestone) bool { return o.ID == x.ID }):
		broken("there are two milestones with the id "+QuoteKey(x.ID), "change one of the ids, or merge the two")
	default:
		*list = append(*list, *x)
	}
}

// EncodeMilestones writes milestones.json. The list, and id, name and task_ids of each
// milestone are always there.
func EncodeMilestones(ms Milestones) []byte { return encoded(milestonesFormat(), &ms) }

// Clone is a deep copy.
func (m Milestones) Clone() Milestones { return *cloned(milestonesFormat(), &m) }
