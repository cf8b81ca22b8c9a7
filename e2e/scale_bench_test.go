package e2e

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vespe/internal/storetest"
	"vespe/model"
	"vespe/store"
)

// inInbox is on the screen once the inbox is, in which the workbench opens.
const inInbox = "Plans to review"

// BenchmarkOpen is the time from the start of the program on two cores to the first frame
// with the tasks of the store in it.
func BenchmarkOpen(b *testing.B) {
	open := func(n int, texts ...string) time.Duration {
		x := watchOpen(b, scaledStore(b, n), "GOMAXPROCS=2")
		defer x.close()
		return x.first(texts...)
	}
	empty := func() time.Duration { return open(0, "No tasks yet.") }
	empty()
	for _, n := range []int{few, some, many} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			open(n, inInbox)
			var with, without []time.Duration
			for b.Loop() {
				for range 3 {
					with = append(with, open(n, inInbox))
					without = append(without, empty())
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(ms(median(with)), "ms≤100")
			b.ReportMetric(ratio(median(with), median(without)), "×empty≤3")
			b.ReportMetric(ms(median(without)), "ms-empty")
		})
	}
}

// session is what was seen of one workbench, from its start on a store to its end.
type session struct {
	x              *watched
	early, settled keyTimes        // in the first 15 s, and later
	memory, mapped int             // bytes resident once all is quiet; those of them that are files
	idle           float64         // of a core
	foreign        []time.Duration // from the start of another process's transition to the screen
	seen, unseen   []time.Duration // from an edit by hand to the screen: of a task on it, and of another
}

// keyTimes is how long keys waited for their frames here, and in a workbench on few tasks
// that was pressed in turn with it: what else the machine does then befalls both.
type keyTimes struct{ here, least []time.Duration }

var sessions struct {
	mu  sync.Mutex
	had map[int]*session
}

// sessionOf is the session on the store of n tasks: none, few, some or many. They are had
// at the same time, once a run, and several benchmarks tell of them.
func sessionOf(b *testing.B, n int) *session {
	b.Helper()
	sessions.mu.Lock()
	defer sessions.mu.Unlock()
	if sessions.had == nil {
		sessions.had = haveSessions(b)
	}
	return sessions.had[n]
}

const calm = 8 * time.Second // after which nothing is left to do for a workbench that was left alone

func haveSessions(b *testing.B) map[int]*session {
	b.Helper()
	had := map[int]*session{}
	open := func(n int, text string) *session {
		s := &session{x: watchOpen(b, scaledStore(b, n))}
		had[n] = s
		s.x.first(text)
		if text == inInbox {
			_, _ = s.x.tty.WriteString("2g")
			s.x.until(firstName, func(screen string) bool { return strings.Contains(screen, firstName) })
		}
		return s
	}
	defer func() {
		for _, s := range had {
			s.x.close()
		}
	}()
	for _, n := range []int{some, many} {
		scaledStore(b, n) // nothing is generated while something is timed
	}
	open(0, "No tasks yet.")
	least := open(few, inInbox)
	least.x.rest(calm)
	for _, n := range []int{some, many} {
		s := open(n, inInbox)
		end := s.x.start.Add(15 * time.Second)
		times := press(func(int) bool { return time.Now().After(end) }, s.x, least.x)
		s.early = keyTimes{times[0], times[1]}
	}
	least.x.rest(calm)
	times := press(func(i int) bool { return i >= 400 }, least.x, had[some].x, had[many].x)
	for i, n := range []int{few, some, many} {
		had[n].settled = keyTimes{times[i], times[0]}
	}
	least.x.rest(calm)
	used := map[int]time.Duration{}
	began := time.Now()
	for n, s := range had {
		s.memory, s.mapped = s.x.memory("VmRSS"), s.x.memory("RssFile")+s.x.memory("RssShmem")
		used[n] = s.x.cpu()
	}
	least.x.rest(12 * time.Second)
	for n, s := range had {
		s.idle = float64(s.x.cpu()-used[n]) / float64(time.Since(began))
	}
	for _, n := range []int{few, some, many} {
		had[n].x.follow(had[n], scaledStore(b, n), n)
	}
	return had
}

// press presses keys in several workbenches in turn until it is enough, and is how long each
// waited for its frames.
func press(enough func(pressed int) bool, in ...*watched) [][]time.Duration {
	rng := rand.New(rand.NewPCG(1, 2))
	times := make([][]time.Duration, len(in))
	for i := 0; !enough(i) || i%(2*keysDown) != 0; i++ {
		key := "j"
		if i%(2*keysDown) >= keysDown {
			key = "k"
		}
		for w, x := range in {
			x.rest(time.Duration(5000+rng.IntN(10_000)) * time.Microsecond)
			times[w] = append(times[w], x.key(key))
		}
	}
	return times
}

// keysDown is how often the key to the next row is pressed before the way back.
const keysDown = 30

// follow times how others' changes come to the screen.
func (x *watched) follow(s *session, dir string, n int) {
	b := x.b
	b.Helper()
	other, err := store.Open(dir, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer other.Close()
	rng := rand.New(rand.NewPCG(3, 4))
	pause := func() { x.rest(time.Duration(50+rng.IntN(200)) * time.Millisecond) }
	if _, err := other.Refresh(b.Context()); err != nil {
		b.Fatal(err)
	}
	for i := range 20 {
		pause()
		name, start := fmt.Sprintf("%s %c", firstName, 'A'+rune(i)), time.Now()
		do(b, other, model.Op{Name: model.RenameTask, UID: storetest.UID(0), Args: model.NewName{Name: name}})
		s.foreign = append(s.foreign, x.until(name, func(screen string) bool { return strings.Contains(screen, name) }).Sub(start))
	}
	for i := range 3 {
		pause()
		name := fmt.Sprintf("By hand %c", 'A'+rune(i))
		start := x.edit(dir, storetest.UID(0), "config.json", `"name": "`, `"name": "`+name+" ")
		s.seen = append(s.seen, x.until(name, func(screen string) bool { return strings.Contains(screen, name) }).Sub(start))
		x.rest(3 * time.Second) // until the edit is history
	}
	left := 5
	for i := n - 1; left > 0; i-- {
		uid := storetest.UID(i)
		if !bytes.Contains(bodyOf(b, dir, uid, "status.json"), []byte(`"created"`)) {
			continue
		}
		left--
		pause()
		before := x.number("needs you ")
		start := x.edit(dir, uid, "status.json", `"created"`, `"completed"`)
		s.unseen = append(s.unseen, x.until("another count of what needs a person", func(string) bool { return x.number("needs you ") > before }).Sub(start))
		i -= n / 7
	}
}

// edit replaces a text in a file of a task, as an editor does, and returns when.
func (x *watched) edit(dir string, uid model.UID, file, from, to string) time.Time {
	x.b.Helper()
	body := bytes.Replace(bodyOf(x.b, dir, uid, file), []byte(from), []byte(to), 1)
	start := time.Now()
	if err := os.WriteFile(fileOf(dir, uid, file), body, 0o600); err != nil {
		x.b.Fatal(err)
	}
	return start
}

func fileOf(dir string, uid model.UID, file string) string {
	return filepath.Join(dir, store.Name, "tasks", string(uid), file)
}

func bodyOf(b *testing.B, dir string, uid model.UID, file string) []byte {
	b.Helper()
	body, err := os.ReadFile(fileOf(dir, uid, file))
	if err != nil {
		b.Fatal(err)
	}
	return body
}

// BenchmarkKeys is the time from a key to its frame on the terminal.
func BenchmarkKeys(b *testing.B) {
	for _, when := range []struct {
		name  string
		sizes []int
		of    func(*session) keyTimes
	}{
		{"settled", []int{few, some, many}, func(s *session) keyTimes { return s.settled }},
		{"first-15s", []int{some, many}, func(s *session) keyTimes { return s.early }},
	} {
		for _, n := range when.sizes {
			b.Run(fmt.Sprintf("%s/%d", when.name, n), func(b *testing.B) {
				t := when.of(sessionOf(b, n))
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(ms(median(t.here)), "p50-ms≤7")
				b.ReportMetric(ms(quantile(t.here, 0.99)), "p99-ms≤11")
				b.ReportMetric(ratio(quantile(t.here, 0.99), quantile(t.least, 0.99)), "p99/100≤1.5")
				b.ReportMetric(ratio(median(t.here), median(t.least)), "p50/100≤1.5")
			})
		}
	}
}

// BenchmarkBytes is what a cursor key sends to the terminal: in a list whose detail follows, and in a text.
func BenchmarkBytes(b *testing.B) {
	for _, in := range []struct {
		name, keys, budget string
		pressed            []string // one after the other; a text has an end
	}{{"list", "1g", "2000", []string{"j"}}, {"text", "1g\t", "200", []string{"j", "k"}}} {
		b.Run(in.name, func(b *testing.B) {
			x := watchOpen(b, scaledStore(b, some))
			defer x.close()
			x.first(inInbox)
			for _, key := range strings.Split(in.keys, "") {
				x.key(key)
				x.rest(time.Second)
			}
			var sent []int
			for i := range 20 {
				was := x.raw.Len()
				x.key(in.pressed[i%len(in.pressed)])
				x.rest(100 * time.Millisecond)
				sent = append(sent, x.raw.Len()-was)
			}
			slices.Sort(sent)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(sent[len(sent)/2]), "bytes≤"+in.budget)
		})
	}
}

// BenchmarkMemory is what the workbench takes for each task beyond what it takes on an
// empty store, once all is quiet. That draws no tasks: what is drawn for a few of them is most of
// what a small store takes, and over-100 is what each further task takes.
func BenchmarkMemory(b *testing.B) {
	for _, n := range []int{some, many} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			with, without := sessionOf(b, n), sessionOf(b, 0)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(with.memory-without.memory)/1024/float64(n), "KB/task≤1")
			b.ReportMetric(float64(with.memory-sessionOf(b, few).memory)/1024/float64(n-few), "KB/task-over-100")
			b.ReportMetric(float64(with.mapped-without.mapped)/1024/float64(n), "KB/task-files")
			b.ReportMetric(float64(without.memory)/(1<<20), "MB-empty")
		})
	}
}

// BenchmarkIdle is what the workbench costs while nobody does anything.
func BenchmarkIdle(b *testing.B) {
	for _, n := range []int{0, few, some, many} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(100*sessionOf(b, n).idle, "%-of-a-core≤1")
		})
	}
}

// BenchmarkLive is the time until what others did is on the screen.
func BenchmarkLive(b *testing.B) {
	for _, n := range []int{few, some, many} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := sessionOf(b, n)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(ms(median(s.foreign)), "transition-ms≤100")
			b.ReportMetric(ms(quantile(s.seen, 1)), "visible-edit-max-ms≤100")
			b.ReportMetric(ms(quantile(s.unseen, 1)), "other-edit-max-ms≤2000")
		})
	}
}
