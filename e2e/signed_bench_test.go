package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vespe/internal/signing"
	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/store"
)

// signedTasks is how many tasks BenchmarkSigned has, each with a signed acceptance.
const signedTasks = 250

// BenchmarkSigned times a list for a person who asks for signed approvals, whole processes, against one for a person
// who asks for none: the first one ever, which verifies each signature, and one after it.
func BenchmarkSigned(b *testing.B) {
	bin, dir := binary(b), b.TempDir()
	key := filepath.Join(dir, "ann")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		b.Fatal(err)
	}
	put(b, filepath.Join(dir, "signed", "vespe", "allowed"), "human:ann "+string(public))
	put(b, filepath.Join(dir, "signed", "vespe", "config.toml"), "[approvals]\nallowed_signers = \"allowed\"\nrequired = { high = \"signed\", medium = \"signed\", low = \"signed\" }\n")
	keys := signing.New(signing.Config{Key: key}, os.Environ())
	s, err := store.Init(filepath.Join(dir, "project"), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for k := range signedTasks {
		acceptSigned(b, s, keys, fmt.Sprintf("task %d", k))
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	list := func(config, cache string) time.Duration {
		c := exec.Command(bin, "-C", s.Root(), "ls")
		c.Env = append(os.Environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, config), "XDG_CACHE_HOME="+cache)
		began := time.Now()
		out, err := c.CombinedOutput()
		took := time.Since(began)
		if err != nil || strings.Count(string(out), "ready") < 20 {
			b.Fatalf("%v: %s", err, out)
		}
		return took
	}
	cache := filepath.Join(dir, "cache")
	list("none", cache)
	list("signed", cache)
	var first, again, free []time.Duration
	for b.Loop() {
		first = append(first, list("signed", b.TempDir()))
		for range 5 {
			again = append(again, list("signed", cache))
			free = append(free, list("none", cache))
		}
	}
	b.ReportMetric(ratio(median(first), median(free)), "first/unasked")
	b.ReportMetric(ratio(median(again), median(free)), "again/unasked≤3")
	b.ReportMetric(ms(median(first)), "ms/first")
	b.ReportMetric(ms(median(again)), "ms/again")
}

func put(b *testing.B, path, body string) {
	b.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		b.Fatal(err)
	}
}

// acceptSigned makes a task whose plan is accepted with a signature.
func acceptSigned(b *testing.B, s *store.Store, keys *signing.Keys, name string) {
	b.Helper()
	ctx := b.Context()
	made, err := s.Do(ctx, model.Op{Name: model.CreateTask, Actor: "human:ann", Args: model.NewTask{Name: name, Objective: "do it\n"}})
	if err != nil {
		b.Fatal(err)
	}
	uid := made.Change.Tasks[0].UID
	do(b, s, model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: "like this\n"}})
	op := model.Op{ID: "op-" + string(uid), Name: model.AcceptPlan, UID: uid, Actor: "human:ann", At: time.Now().UTC().Truncate(time.Millisecond), Seen: &model.Seen{}}
	for doc, hash := range map[model.Doc]*string{model.Objective: &op.Seen.ObjectiveHash, model.Plan: &op.Seen.PlanHash} {
		c, err := s.Content(ctx, uid, doc)
		if err != nil {
			b.Fatal(err)
		}
		*hash = c.Hash
	}
	if op.Seen.Bound, err = s.Bound(ctx, op.Name, uid); err != nil {
		b.Fatal(err)
	}
	snap, err := s.Refresh(ctx)
	if err != nil {
		b.Fatal(err)
	}
	op.Seen.Head = snap.Head()
	statement, _ := binding.SignedOp(s.StoreID(), &op)
	if op.Signature, err = keys.Sign(ctx, statement); err != nil {
		b.Fatal(err)
	}
	do(b, s, op)
}
