// Package storetest makes stores of any size for benchmarks. The files of a generated project
// are written past vespe, byte for byte those that importing it would leave (a test of
// vespe/store compares the two), but side by side, unsynced and without a log.
package storetest

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
)

// UID is the uid of task i of a Project.
func UID(i int) model.UID { return model.UID(fmt.Sprintf("tsk-%012x%020x", 0x019500000000+i, i)) }

// Roots is how many of the first tasks of a Project have no parent for sure.
const Roots = 8

// Project is n tasks to import, as agents leave them: trees of uneven depth, one or two
// dependencies a task, most of them on a neighbor and some far away, the older half mostly
// done. The same n gives the same tasks.
func Project(n int) []model.Op {
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	born := time.Date(2025, 3, 1, 8, 0, 0, 0, time.UTC)
	words := []string{"parser", "login", "schema", "retry", "index", "export", "layout", "cache"}
	priorities := []model.Priority{"", model.Critical, model.High, model.Medium, model.Low}
	ops := make([]model.Op, n)
	for i := range ops {
		uid, at := UID(i), born.Add(time.Duration(i)*time.Minute)
		t := &model.Task{UID: uid, Config: model.Config{
			UID: uid, Name: fmt.Sprintf("Make the %s of the %s %d work", words[rng.IntN(len(words))], words[rng.IntN(len(words))], i),
			CreatedBy: "agent:claude", CreatedAt: at,
		}}
		if i >= Roots && rng.IntN(20) > 0 {
			t.Config.ParentUID = UID(max(0, i-1-rng.IntN(60)) / 8)
		}
		t.Spec = &model.Spec{
			Description: strings.Repeat("It has to be done before the release, and carefully. ", 1+rng.IntN(5)),
			GoalType:    []string{"feature", "bugfix", "refactor"}[rng.IntN(3)],
			Priority:    priorities[rng.IntN(len(priorities))], Labels: []string{words[i%len(words)]},
		}
		for range min(i, rng.IntN(3)) {
			d := i - 1 - rng.IntN(min(i, 40))
			if rng.IntN(12) == 0 {
				d = rng.IntN(i)
			}
			if uid := UID(d); !slices.Contains(t.DependsOn, uid) {
				t.DependsOn = append(t.DependsOn, uid)
			}
		}
		in := &model.Imported{Task: t}
		progress(in, rng, float64(i)/float64(n))
		ops[i] = model.Op{
			ID: fmt.Sprint("generated.", i), Name: model.ImportTask, UID: uid, Actor: "agent:claude",
			At: t.Status.LastUpdatedAt, Args: *in,
		}
	}
	return ops
}

// progress gives a task a state, and the documents that go with it.
func progress(in *model.Imported, rng *rand.Rand, age float64) {
	t := in.Task
	st := &t.Status
	st.Revision = 1 + rng.IntN(5)
	st.LastUpdatedAt = t.Config.CreatedAt.Add(time.Hour)
	in.Objective = "# Objective\n\n" + t.Config.Name + ".\n\n" + t.Spec.Description + "\n"
	in.Plan = "# Plan\n\n" + strings.Repeat("- Read what is there, change it, and run the tests.\n", 8)
	switch {
	case rng.Float64() > age*1.4:
		st.CurrentState = model.Completed
		st.Review = &model.Review{Of: "work", Verdict: "accepted", By: "human:ann", At: st.LastUpdatedAt}
	case rng.IntN(12) == 0:
		st.CurrentState = model.Failed
		st.ErrorDetails = "the tests fail"
	case rng.IntN(3) == 0:
		st.CurrentState = model.Created
		in.Objective, in.Plan = "", ""
	case rng.IntN(2) == 0:
		st.CurrentState = model.ObjectiveDefined
		in.Plan = ""
	default:
		st.CurrentState = model.PlanDefined
	}
}

// Write writes the files that imports leave below dir, which is a store's own directory,
// and syncs nothing. Each import is computed in an empty store; what it says about others is
// taken as it is by an import anyway. seq is the number of the log's entry that events name;
// 0 for none.
func Write(dir string, imports []model.Op, seq uint64) error {
	empty := snapshot.New(snapshot.Input{})
	return SideBySide(len(imports), func(i int) error {
		c, err := lifecycle.Apply(empty, imports[i])
		if err != nil {
			return err
		}
		return writeChange(dir, c, seq)
	})
}

func writeChange(dir string, c *model.Change, seq uint64) error {
	files := map[string][]byte{}
	for i, t := range c.Tasks {
		at := "tasks/" + string(t.UID) + "/"
		files[at+"config.json"], files[at+"status.json"] = model.EncodeConfig(t.Config), model.EncodeStatus(t.Status)
		files[at+"spec.json"] = model.EncodeSpec(t.Spec)
		if c.Touched[i].Dependencies {
			files[at+"dependencies.json"] = model.EncodeDependencies(t.DependsOn, t.DepsExtra)
		}
	}
	for _, f := range c.Files {
		files[f.Path] = f.Body
	}
	for _, e := range c.Events {
		e.Seq = seq
		files["tasks/"+string(e.UID)+"/persistent/"+model.EventFile(e)] = model.EncodeEvent(e)
	}
	for name, body := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		err := os.WriteFile(name, body, 0o644)
		if errors.Is(err, fs.ErrNotExist) {
			if err = os.MkdirAll(filepath.Dir(name), 0o755); err == nil {
				err = os.WriteFile(name, body, 0o644)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Remove removes a directory with the stores in it. A disk takes its time to forget a
// million files, and less when it is asked side by side.
func Remove(dir string) error {
	tasks, err := filepath.Glob(filepath.Join(dir, "*", ".vespe", "tasks", "*"))
	if err != nil {
		return err
	}
	return errors.Join(SideBySide(len(tasks), func(i int) error { return os.RemoveAll(tasks[i]) }), os.RemoveAll(dir))
}

// SideBySide calls do for 0 … n-1, eight at once, until one of them fails.
func SideBySide(n int, do func(i int) error) error {
	var next atomic.Int64
	errs := make([]error, 8)
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			for errs[w] == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				errs[w] = do(i)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
