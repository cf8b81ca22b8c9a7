package decompose

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/complexity"
	"vespe/model/plantext"
	"vespe/model/snapshot"
	"vespe/model/visible"
)

// Proposal is what a task could be decomposed into: the tasks that its plan lists beside what is there already, or
// parts of its own files and criteria, each of which waits for the one before it.
type Proposal struct {
	*List
	Task  *model.Task // what is decomposed
	Hash  string      // of the plan's bytes, as "sha256-<hex>"; "" for parts of the work
	Fates []Fate      // one for each item
	Why   string      // the work gives no two parts in this way: why
}

// Fate is what becomes of an item.
type Fate struct {
	There model.UID // the subtask that was made of it; "" for none
	Out   bool      // it is not made
	Fixed bool      // that is not for choice
	Why   string    // why it is out; one line
}

// Propose reads the tasks of the plan of a task, and says which of them are there already. An item is there
// where a subtask that was not aborted was made of the item with its key in these very bytes, or of one
// with its title in other bytes. exists is as in Parse, and so is the error.
func Propose(snap *snapshot.Snapshot, t *model.Task, plan string, exists func(string) bool) (*Proposal, error) {
	b, err := Parse(plan, exists)
	if err != nil {
		return nil, err
	}
	p := &Proposal{List: b, Task: t, Hash: model.HashBytes([]byte(plan)), Fates: make([]Fate, len(b.Items))}
	p.matchThere(snap)
	if a := t.Status.AcceptedPlan; a != nil && a.PlanHash == p.Hash {
		p.leaveOut(plan, a.Excluded)
	}
	for i := range p.Fates {
		if f := &p.Fates[i]; !f.Out && b.Items[i].Done {
			f.Out, f.Why = true, "the plan says that it is done"
		}
	}
	return p, nil
}

// matchThere finds the subtasks that were made of the plan.
func (p *Proposal) matchThere(snap *snapshot.Snapshot) {
	i, ok := snap.Index(p.Task.UID)
	if !ok {
		return
	}
	type made struct {
		t    *model.Task
		key  string
		here bool
	}
	var all []made
	for _, c := range snap.Children(i) {
		t := snap.At(int(c))
		hash, key, ok := t.PlannedBy()
		if ok && t.Status.CurrentState != model.Aborted {
			all = append(all, made{t, key, hash == p.Hash})
		}
	}
	for k := range p.Items {
		it := &p.Items[k]
		at := slices.IndexFunc(all, func(m made) bool { return m.here && strings.EqualFold(m.key, it.Key) })
		if at < 0 {
			at = slices.IndexFunc(all, func(m made) bool { return !m.here && strings.EqualFold(m.t.Config.Name, it.Title) })
		}
		if at >= 0 {
			p.Fates[k] = Fate{There: all[at].t.UID, Out: true, Fixed: true, Why: "it already exists"}
			continue
		}
		if at = slices.IndexFunc(all, func(m made) bool { return !m.here && strings.EqualFold(m.key, it.Key) }); at >= 0 {
			it.note("%s of an earlier plan became %q", it.Key, all[at].t.Config.Name)
		}
	}
}

// leaveOut takes out what stands in sections that the acceptance left out.
func (p *Proposal) leaveOut(plan string, titles []string) {
	if len(titles) == 0 {
		return
	}
	sections := plantext.Sections(plan)
	for s, out := range plantext.LeftOut(sections, titles) {
		if !out {
			continue
		}
		for i := range p.Items {
			if it := &p.Items[i]; sections[s].From <= it.From && it.From <= sections[s].To && p.Fates[i].There == "" {
				p.Fates[i] = Fate{Out: true, Fixed: true, Why: "its section was left out when the plan was accepted"}
			}
		}
	}
}

// In are the places of the items that are to be made.
func (p *Proposal) In() []int {
	var out []int
	for i := range p.Fates {
		if !p.Fates[i].Out {
			out = append(out, i)
		}
	}
	return out
}

// Toggle leaves an item out, or takes it in again; false where that is not for choice.
func (p *Proposal) Toggle(i int) bool {
	f := &p.Fates[i]
	if f.Fixed {
		return false
	}
	f.Out = !f.Out
	f.Why = ""
	if f.Out {
		f.Why = "left out"
	}
	return true
}

// Cycles are those of the items that are to be made.
func (p *Proposal) Cycles() [][]string {
	out := map[string]bool{}
	for i := range p.Items {
		if p.Fates[i].Out {
			out[p.Items[i].Key] = true
		}
	}
	return p.loops(out)
}

// partTitle is the title of part k; a path may have what no name may.
func partTitle(whole string, k int, focus string) string {
	if visible.Line(focus) != focus {
		focus = ""
	}
	return cut(complexity.PieceTitle(whole, k, focus), maxTitle)
}

// Waits are what an item waits for: items that are to be made, by their places, and tasks that are there. What
// is left out stands for what it waits for itself, so that the order stays.
func (p *Proposal) Waits(i int) (items []int, tasks []model.UID) {
	at := p.places()
	seen := map[int]bool{i: true}
	var add func(i int)
	add = func(i int) {
		for _, n := range p.Items[i].Needs {
			k, ok := at[n.Key]
			if !ok || seen[k] {
				continue
			}
			seen[k] = true
			switch f := &p.Fates[k]; {
			case f.There != "":
				tasks = append(tasks, f.There)
			case f.Out:
				add(k)
			default:
				items = append(items, k)
			}
		}
	}
	add(i)
	return items, tasks
}

// Decomposition is the operation's part of what is to be made.
func (p *Proposal) Decomposition() model.Decomposition {
	out := model.Decomposition{Plan: p.Hash}
	place := map[int]int{}
	in := p.In()
	for n, i := range in {
		place[i] = n
	}
	for _, i := range in {
		it := &p.Items[i]
		sub := model.Subtask{Name: it.Title, Spec: it.Spec()}
		if p.Hash != "" {
			sub.Key, sub.Milestone = it.Key, it.Milestone
			sub.Objective, sub.Plan = it.Objective(p.Task.Config.Name), it.Plan(p.Task.Config.Name, p.Hash)
		}
		items, tasks := p.Waits(i)
		for _, k := range items {
			sub.After = append(sub.After, place[k])
		}
		sub.DependsOn = tasks
		out.Subtasks = append(out.Subtasks, sub)
	}
	return out
}

func (it *Item) lines() string {
	if it.To <= it.From {
		return fmt.Sprintf("line %d", it.From)
	}
	return fmt.Sprintf("lines %d to %d", it.From, it.To)
}

// Objective is the text that says what the task is to achieve, in the plan's words.
func (it *Item) Objective(of string) string {
	var b strings.Builder
	b.WriteString(strings.TrimRight(it.Title, ".") + ".\n")
	if it.Story != "" {
		b.WriteString("\n" + it.Story + "\n")
	}
	if it.Words != "" {
		b.WriteString("\n" + it.Words + "\n")
	}
	b.WriteString(complexity.Work{Criteria: it.Criteria}.Lists())
	fmt.Fprintf(&b, "\nIt is %s of the plan of %q.\n", it.Key, of)
	return b.String()
}

// Plan is the text that says how: the item's part of the plan, as it stands there.
func (it *Item) Plan(of, hash string) string {
	return fmt.Sprintf("%s of the plan of %q, %s (%s).\n\n%s", capital(it.Key), of, it.lines(), hash[:min(len(hash), len("sha256-")+12)], it.Section)
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
