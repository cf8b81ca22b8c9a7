package snapshot

import (
	"reflect"
	"sync"

	"vespe/model"
)

// onDemand is what only some callers need, made on first use.
type onDemand struct {
	components  func() []int32
	allProblems func() problemList
	unread      func() []int32
	inbox       func() []InboxItem
	inboxLen    func() int
	milestones  func() *memberships
	listed      func() map[model.UID]int32
	kept        *sync.Map // of packages above this one (Kept)
}

// Kept is what find makes of a snapshot. It is made on the first call, and the snapshot keeps one value of a type.
func Kept[T any](s *Snapshot, find func(*Snapshot) T) T {
	made, ok := s.kept.Load(reflect.TypeFor[T]())
	if !ok {
		made, _ = s.kept.LoadOrStore(reflect.TypeFor[T](), once(s, find))
	}
	return made.(func() T)()
}

// lazy sets the parts that are made on first use.
func (s *Snapshot) lazy() {
	s.components = sync.OnceValue(s.graph.Components)
	s.lazyStatus()
}

// Aside is a copy that makes again what is made on first use. What it makes is freed with it, so that a long-lived
// snapshot does not keep an answer that is needed once.
func (s *Snapshot) Aside() *Snapshot {
	c := *s
	c.lazy()
	return &c
}

func once[T any](s *Snapshot, find func(*Snapshot) T) func() T {
	return sync.OnceValue(func() T { return find(s) })
}

// lazyStatus sets those of them that depend on more than the edges.
func (s *Snapshot) lazyStatus() {
	s.kept = new(sync.Map)
	s.allProblems = once(s, findProblems)
	s.unread = once(s, findUnread)
	s.inbox = once(s, findInbox)
	s.inboxLen = once(s, countInbox)
	s.milestones = once(s, findMembers)
	s.listed = once(s, findListed)
}
