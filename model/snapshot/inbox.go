package snapshot

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"vespe/model"
)

// InboxKind is what an inbox item asks of a person.
type InboxKind uint8

// The kinds of inbox item, in the order in which they are listed.
const (
	InboxWaiting    InboxKind = iota // answer a request: somebody stands still until then
	InboxExpired                     // answer one that has expired (InboxAt): nobody has
	InboxEscalation                  // decide what nobody else could
	InboxPlan                        // read a plan and decide
	InboxWork                        // judge finished work
	InboxFailed                      // decide how a task continues whose last attempt failed
	InboxStale                       // judge a task whose own texts are not what was accepted
	InboxChanged                     // judge a task whose ground has moved
	InboxElsewhere                   // confirm an acceptance that was given elsewhere and that nobody signed
	InboxProblem                     // repair what cannot be read
	InboxDeferred                    // decide on a plan that was put off
	InboxAsked                       // wait until questions about a plan are answered
)

// inboxWords are the kinds in a word or two.
var inboxWords = [...]string{"waiting", "expired", "escalation", "plan", "work", "failed", "stale", "changed", "confirm", "problem", "deferred", "asked"}

// String is the kind in a word or two: "waiting", "expired", "escalation", "plan", "work", "failed", "stale",
// "changed", "confirm", "problem", "deferred", "asked".
func (k InboxKind) String() string {
	if int(k) < len(inboxWords) {
		return inboxWords[k]
	}
	return "unknown"
}

// IsParked reports that nothing is to be done now: a person has put it off, or asked back.
// Parked items are listed last and not counted.
func (k InboxKind) IsParked() bool { return k == InboxDeferred || k == InboxAsked }

// InboxItem is one thing that waits for a person.
type InboxItem struct {
	Kind    InboxKind
	Task    int32     // index of the task it is about; -1 for none
	Request string    // id of the request; "" for none
	Problem int       // index into Problems; -1 for none
	Risk    string    // of the request; "" when nobody named one, and of other items: see RiskOf
	Title   string    // the request's title, where and what the problem is, or the task's name
	Since   time.Time // zero when unknown
	Expires time.Time // when the request does; zero: never
	Behind  int       // unfinished tasks that wait for it, directly or not; at most MaxBehind
	Agents  int       // that wait for it: who asked, and who is at work on it or on one of those
}

// MaxBehind is where InboxItem.Behind stops counting.
const MaxBehind = 999

// behindBudget bounds the counting of all items together: the edges that are looked at.
// Past it Behind is the number of direct dependents, so that an inbox of thousands over
// one tangled graph is still made in an instant.
const behindBudget = 2_000_000

// Inbox is everything that waits for a person: by kind, and in each by how many tasks wait behind it, the risk of a
// request, the agents that wait, priority and age. A request that an agent stands still for goes before the others. Do not
// modify it.
func (s *Snapshot) Inbox() []InboxItem { return s.inbox() }

// RiskOf is the risk of what an item asks to be decided on; "" when nobody named one.
func (s *Snapshot) RiskOf(it *InboxItem) string {
	if it.Request != "" || it.Task < 0 || it.Kind == InboxProblem {
		return it.Risk
	}
	return model.RiskSaid(s.At(int(it.Task)))
}

// InboxAt is Inbox with the requests that have expired by then as a kind of their own. They are
// not answered by that, and stay until somebody does. Do not modify it.
func (s *Snapshot) InboxAt(now time.Time) []InboxItem {
	items := s.Inbox()
	var out []InboxItem
	for k := range items {
		expired := !items[k].Expires.IsZero() && !now.Before(items[k].Expires)
		if !expired || items[k].Kind != InboxWaiting {
			continue
		}
		if out == nil {
			out = slices.Clone(items)
		}
		out[k].Kind = InboxExpired
	}
	if out == nil {
		return items
	}
	s.tasks.sortInbox(out)
	return out
}

// InboxLen is how much of Inbox is not parked, which is much cheaper to know.
func (s *Snapshot) InboxLen() int { return s.inboxLen() }

func countInbox(s *Snapshot) int {
	items, asked := requestItems(s)
	n := len(items)
	for i, st := range s.status {
		if kind, ok := s.inboxKind(int32(i), st); ok && !kind.IsParked() && !(st == model.StatusWaiting && asked[int32(i)]) {
			n++
		}
	}
	return n + len(inboxProblems(s))
}

// inboxKind is what a task of a status waits for, if it waits for a person.
func (s *Snapshot) inboxKind(i int32, st model.Status) (InboxKind, bool) {
	if s.isElsewhere(i) {
		return InboxElsewhere, true
	}
	switch st {
	case model.StatusReviewPlan:
		if s.lacksAt(i) {
			return InboxPlan, true
		}
		if s.withParent(i) {
			return 0, false
		}
		switch h := s.tasks.head(i); {
		case h.verdict == model.VerdictDeferred:
			return InboxDeferred, true
		case h.verdict == model.VerdictAsked && h.open:
			return InboxAsked, true
		}
		return InboxPlan, true
	case model.StatusReady, model.StatusBlocked: // one whose acceptance a person has to confirm here
		return InboxPlan, s.tasks.head(i).verdict == verdictElsewhere
	case model.StatusReviewWork:
		return InboxWork, true
	case model.StatusChanged:
		for _, c := range s.tasks.task(i).Status.ChangedBecause {
			if isOwnFile(c.File, s.tasks.uid(i)) {
				return InboxStale, true
			}
		}
		return InboxChanged, true
	case model.StatusError:
		return InboxFailed, true
	case model.StatusWaiting:
		return InboxWaiting, true
	}
	return 0, false
}

// InboxWhy says of an item what its kind and its title don't: what is asked, what an accepted plan lacks, who accepted it
// elsewhere, what failed or changed; "" for nothing.
func (s *Snapshot) InboxWhy(it *InboxItem) string {
	if it.Task < 0 || it.Request != "" {
		return ""
	}
	switch t := s.At(int(it.Task)); it.Kind {
	case InboxWaiting:
		return strings.TrimSpace(strings.TrimPrefix(t.Status.PauseReason, "hitl:"))
	case InboxPlan:
		return s.StatusReason(int(it.Task))
	case InboxElsewhere:
		return t.ElsewhereWords()
	case InboxFailed:
		return model.Plain(t.Status.ErrorDetails)
	case InboxStale, InboxChanged:
		return s.Changes(t)[0].Changed(t, s, nil, time.Time{})
	}
	return ""
}

// withParent reports a phase whose plan is decided on with that of its parent.
func (s *Snapshot) withParent(i int32) bool {
	p := s.tree.parent[i]
	if p < 0 {
		return false
	}
	switch s.status[p] {
	case model.StatusReviewPlan, model.StatusPlanning, model.StatusReplan:
		t := s.tasks.peek(i)
		return t.IsUntouchedPhase() && t.Status.CurrentState == model.PlanDefined
	}
	return false
}

// StatusWord is what a task's status is called where a person reads it: a plan that somebody has put
// off, or asked about, does not wait for whoever looks at it.
func (s *Snapshot) StatusWord(i int) string {
	if s.isElsewhere(int32(i)) {
		return s.tasks.peek(int32(i)).ElsewhereWords()
	}
	st := s.Status(i)
	if st != model.StatusReviewPlan {
		return st.Label()
	}
	if s.lacksAt(int32(i)) {
		return lackLabel
	}
	switch kind, _ := s.inboxKind(int32(i), st); kind {
	case InboxAsked:
		return "Question asked"
	case InboxDeferred:
		return "Deferred"
	}
	return st.Label()
}

// isElsewhere reports that a task waits for a review only because its acceptance was given elsewhere.
func (s *Snapshot) isElsewhere(i int32) bool {
	return s.facts[i]&isElsewhere != 0 && (s.status[i] == model.StatusReviewPlan || s.status[i] == model.StatusReviewWork)
}

// isOwnFile reports that a ChangeReason is about a file of the task itself.
func isOwnFile(file string, uid model.UID) bool {
	of, _, inTask := strings.Cut(file, "/")
	return !inTask && file != model.ChangedUnrecorded || of == string(uid)
}

func findInbox(s *Snapshot) []InboxItem {
	items, asked := requestItems(s)
	for i, st := range s.status {
		kind, ok := s.inboxKind(int32(i), st)
		if !ok || st == model.StatusWaiting && asked[int32(i)] { // its request is the item
			continue
		}
		items = append(items, InboxItem{
			Kind: kind, Task: int32(i), Problem: -1,
			Title: s.Title(i), Since: s.tasks.since(int32(i)),
		})
	}
	items = append(items, inboxProblems(s)...)
	countBehind(s, items, behindBudget)
	s.tasks.sortInbox(items)
	return items
}

// requestItems are the pending requests, and the tasks with one that is a question.
func requestItems(s *Snapshot) ([]InboxItem, map[int32]bool) {
	var items []InboxItem
	asked := map[int32]bool{}
	for _, r := range s.requests {
		if !r.IsOpen() {
			continue
		}
		item := InboxItem{
			Kind: InboxWaiting, Task: -1, Request: r.ID, Problem: -1,
			Risk: r.Risk, Title: r.Title, Since: r.CreatedAt, Expires: r.ExpiresAt,
		}
		if i, ok := s.tasks.lookup(r.TaskUID); ok {
			item.Task = i
		}
		if r.Kind == model.KindEscalation {
			item.Kind = InboxEscalation
		}
		if item.Task >= 0 && r.Holds() {
			asked[item.Task] = true
		}
		items = append(items, item)
	}
	return items, asked
}

// sortInbox puts items in the order of Inbox. What is compared is small and found once per item: items are large, and the
// sort moves and compares what it sorts far more often.
func (b *book) sortInbox(items []InboxItem) {
	type keyed struct {
		kind         InboxKind
		idle         bool // no agent stands still for a request
		risk, rank   uint8
		behind       int32
		agents, item int32
		since        int64
		task         int32
	}
	list := make([]keyed, len(items))
	for k := range items {
		it := &items[k]
		rank := model.Priority("").Rank()
		if it.Task >= 0 {
			rank = b.rank(it.Task)
		}
		list[k] = keyed{it.Kind, it.Request != "" && it.Agents == 0, uint8(model.RiskRank(cmp.Or(it.Risk, model.RiskMedium))), uint8(rank), int32(it.Behind), int32(it.Agents), int32(k), it.Since.UnixNano(), it.Task}
		if it.Since.IsZero() {
			list[k].since = 0
		}
	}
	slices.SortFunc(list, func(a, b keyed) int {
		switch {
		case a.kind != b.kind:
			return cmp.Compare(a.kind, b.kind)
		case a.idle != b.idle:
			if a.idle {
				return 1
			}
			return -1
		case a.behind != b.behind:
			return cmp.Compare(b.behind, a.behind)
		case a.risk != b.risk: // what is no risk that we know comes first
			return cmp.Compare(b.risk, a.risk)
		case a.agents != b.agents:
			return cmp.Compare(b.agents, a.agents)
		case a.rank != b.rank:
			return cmp.Compare(a.rank, b.rank)
		case a.since != b.since:
			return cmp.Compare(a.since, b.since)
		case a.task != b.task:
			return cmp.Compare(a.task, b.task)
		}
		x, y := &items[a.item], &items[b.item]
		return cmp.Or(cmp.Compare(x.Request, y.Request), cmp.Compare(x.Problem, y.Problem))
	})
	sorted := make([]InboxItem, len(items))
	for k := range list {
		sorted[k] = items[list[k].item]
	}
	copy(items, sorted)
}

// countBehind fills in Behind and Agents.
func countBehind(s *Snapshot, items []InboxItem, budget int) {
	if len(items) == 0 {
		return
	}
	asked := map[string]*model.Request{}
	for i := range s.requests {
		asked[s.requests[i].ID] = &s.requests[i]
	}
	c := behindCounter{s: s, mark: make([]int32, s.tasks.n), budget: budget}
	for k := range items {
		item := &items[k]
		c.agents = c.agents[:0]
		if q := asked[item.Request]; q != nil && q.Holds() {
			c.waits(q.CreatedBy)
		}
		if item.Task >= 0 {
			item.Behind = c.count(item.Task, int32(k)+1)
		}
		item.Agents = len(c.agents)
	}
}

// Waiting are the unfinished tasks that wait for task i, by whatever way, in words: "5 tasks, 2 directly"; "" for none.
func (s *Snapshot) Waiting(i int) string {
	c := behindCounter{s: s, mark: make([]int32, s.tasks.n), budget: behindBudget}
	all := c.count(int32(i), 1)
	direct := 0
	for _, d := range s.Dependents(i) {
		if s.Unfinished(int(d)) {
			direct++
		}
	}
	n := model.Plural(max(all, direct), "task", "tasks")
	if all >= MaxBehind {
		n = strconv.Itoa(all) + " or more tasks"
	}
	switch {
	case all == 0:
		return ""
	case all <= direct:
		return n
	case direct == 0:
		return n + ", none directly"
	}
	return fmt.Sprintf("%s, %d directly", n, direct)
}

// behindCounter walks from tasks to what waits for them.
type behindCounter struct {
	s      *Snapshot
	mark   []int32 // the last walk that came by
	queue  []int32
	agents []model.Actor // that wait
	budget int
}

func (c *behindCounter) waits(a model.Actor) {
	if k := a.Kind(); (k == model.Agent || k == model.MCPClient) && len(c.agents) < MaxBehind && !slices.Contains(c.agents, a) {
		c.agents = append(c.agents, a)
	}
}

// worker counts who is at work on task v. Only a task that has been started has anybody.
func (c *behindCounter) worker(v int32) {
	switch c.s.own[v] {
	case model.StatusRunning, model.StatusWaiting, model.StatusSubtasks, model.StatusPaused, model.StatusChanged:
		c.waits(c.s.tasks.head(v).assigned)
	}
}

// count is the number of unfinished tasks that wait for task i, by way of dependencies
// and of parents that are paused until their subtasks end. walk is another number each
// time, and not 0.
func (c *behindCounter) count(i, walk int32) int {
	s := c.s
	if !s.Unfinished(int(i)) {
		return 0 // what depends on it may go on
	}
	c.worker(i)
	if c.budget <= 0 {
		return min(int(s.graph.In.Degree(i)), MaxBehind)
	}
	c.mark[i] = walk
	c.queue = append(c.queue[:0], i)
	visit := func(v int32) {
		if c.mark[v] != walk && s.Unfinished(int(v)) {
			c.mark[v] = walk
			c.queue = append(c.queue, v)
			c.worker(v)
		}
	}
	for k := 0; k < len(c.queue) && len(c.queue) <= MaxBehind; k++ {
		v := c.queue[k]
		row := s.graph.In.Of(v)
		c.budget -= len(row) + 1
		for _, d := range row {
			visit(d)
		}
		if p := s.tree.parent[v]; p != noParent && s.status[p] == model.StatusSubtasks {
			awaited := s.tasks.task(p).Status.SubtaskUIDs
			c.budget -= len(awaited)
			if slices.Contains(awaited, s.tasks.uid(v)) {
				visit(p)
			}
		}
	}
	return min(len(c.queue)-1, MaxBehind)
}

// Keyed is the newest request about a task under a key; of no task with no uid.
func (s *Snapshot) Keyed(uid model.UID, key string) (model.Request, bool) {
	for _, r := range slices.Backward(s.Requests()) {
		if r.TaskUID == uid && r.Key == key {
			return r, true
		}
	}
	return model.Request{}, false
}
