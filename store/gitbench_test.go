package store

import (
	"context"
	"fmt"
	"testing"
	"time"

	"vespe/model"
)

// pauser makes one transition after another in a store: tasks are paused and resumed in
// turn.
type pauser struct {
	b    testing.TB
	s    *Store
	uids []model.UID
	n    int
}

func (p *pauser) next() {
	op := model.Op{Name: model.Pause, Actor: ann, Reason: "later", UID: p.uids[p.n%len(p.uids)]}
	if p.n/len(p.uids)%2 == 1 {
		op.Name = model.Resume
	}
	p.n++
	a, err := p.s.Do(context.Background(), op)
	if err != nil || len(a.Warnings) > 0 {
		p.b.Fatal(err, a.Warnings)
	}
}

// pausing is a store in a repository, with a mode, so many tasks and so many transitions
// that the history has already.
func pausing(b testing.TB, mode string, tasks, before int) *pauser {
	b.Helper()
	top, env := gitRepo(b, "sha1")
	write(b, top+"/code.txt", "code\n")
	runGit(b, top, env, "add", "code.txt")
	runGit(b, top, env, "commit", "-q", "-m", "code")
	p := &pauser{b: b, s: initIn(b, top, gitOptions(env))}
	ops := make([]model.Op, tasks)
	for i := range ops {
		ops[i] = model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: fmt.Sprint("task ", i), Objective: "o\n"}}
	}
	for _, t := range do(b, p.s, ops...).Change.Tasks {
		p.uids = append(p.uids, t.UID)
	}
	setMode(b, p.s, mode)
	p.next() // the history begins
	setMode(b, p.s, model.GitOff)
	for range before - 1 {
		p.next()
	}
	setMode(b, p.s, mode)
	began := time.Now()
	p.next() // and catches up
	if before > 1000 {
		b.Logf("%s: caught up %d entries in %v", mode, before, time.Since(began).Round(time.Millisecond))
	}
	return p
}

// BenchmarkGit is one transition that git records, against one that it does not, with 100
// transitions behind it and with 10,000.
func BenchmarkGit(b *testing.B) {
	const tasks, few, many = 100, 100, 10_000
	off := pausing(b, model.GitOff, tasks, few)
	took := func(p *pauser) float64 {
		began := time.Now()
		p.next()
		return time.Since(began).Seconds()
	}
	for _, mode := range []string{model.GitRef, model.GitBranch} {
		short, long := pausing(b, mode, tasks, few), pausing(b, mode, tasks, many)
		b.Run(mode, func(b *testing.B) {
			var base, atFew, atMany float64
			for b.Loop() {
				for range 10 { // in turn, so that each meets the same machine
					base, atFew, atMany = base+took(off), atFew+took(short), atMany+took(long)
				}
			}
			b.ReportMetric(float64(b.N)*10/base, "off/s")
			b.ReportMetric(float64(b.N)*10/atFew, mode+"/s@100")
			b.ReportMetric(float64(b.N)*10/atMany, mode+"/s@10k")
			b.ReportMetric(atFew/base, mode+"/off")
			b.ReportMetric(atMany/atFew, "10k/100")
			b.ReportMetric(0, "ns/op")
		})
		b.Logf("%s: %s", mode, runGit(b, long.s.Root(), long.s.opt.Environ(), "count-objects", "-v"))
	}
}
