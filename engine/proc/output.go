package proc

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// output is what a program prints. All of it is read, so that the program never waits; as much as the
// limit allows is kept.
type output struct {
	limit   int64 // 0: none
	last    atomic.Int64
	over    chan string // told once: why nothing more is kept
	mu      sync.Mutex
	bytes   int64
	dropped int64
	full    bool
	readers sync.WaitGroup
	drained chan struct{} // closed when both are at their end
	pipes   []*os.File
	files   []*os.File
}

func newOutput(limit int64) *output {
	o := &output{limit: limit, over: make(chan string, 1), drained: make(chan struct{})}
	o.touch()
	return o
}

func (o *output) touch() { o.last.Store(time.Now().UnixNano()) }

// idle is how long nothing was printed.
func (o *output) idle() time.Duration { return time.Since(time.Unix(0, o.last.Load())) }

// open makes the ends of pipes for the program to print to; files are what is kept of each. What goes into
// one file goes through one pipe, so that it stays in its order. After an error there is nothing to be closed
// but what it returns.
func (o *output) open(out, errs string) (theirs []*os.File, err error) {
	for i, path := range []string{out, errs} {
		if i == 1 && path == out {
			break
		}
		var f *os.File
		if path != "" {
			if f, err = create(path, os.O_APPEND); err != nil {
				return theirs, err
			}
		}
		o.files = append(o.files, f)
		r, w, err := os.Pipe()
		if err != nil {
			return theirs, err
		}
		o.pipes, theirs = append(o.pipes, r), append(theirs, w)
	}
	return theirs, nil
}

// read begins to read.
func (o *output) read() {
	for i, r := range o.pipes {
		o.readers.Go(func() {
			b := make([]byte, 64<<10)
			for {
				n, err := r.Read(b)
				if n > 0 {
					o.take(o.files[i], b[:n])
				}
				if err != nil {
					return
				}
			}
		})
	}
	go func() {
		o.readers.Wait()
		close(o.drained)
	}()
}

// take keeps what there is room for.
func (o *output) take(f *os.File, b []byte) {
	o.touch()
	o.mu.Lock()
	defer o.mu.Unlock()
	room := int64(len(b))
	if o.limit > 0 {
		room = max(0, min(room, o.limit-(o.bytes-o.dropped)))
	}
	if o.full {
		room = 0
	}
	o.bytes += int64(len(b))
	kept := room
	if f != nil && room > 0 {
		n, err := f.Write(b[:room])
		kept = int64(n)
		if err != nil {
			o.stop("can't store its output: " + err.Error())
		}
	}
	o.dropped += int64(len(b)) - kept
	if room < int64(len(b)) {
		o.stop(fmt.Sprintf("it printed more than %d bytes", o.limit))
	}
}

// stop keeps nothing from now on, also of what would have room again.
func (o *output) stop(why string) {
	if !o.full {
		o.full = true
		o.over <- why
	}
}

// finish waits for what is on its way, for a moment: a process that could not be ended may hold a pipe.
func (o *output) finish(wait time.Duration) (whole bool) {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-o.drained:
		whole = true
	case <-t.C:
	}
	closeAll(o.pipes)
	<-o.drained
	closeAll(o.files)
	return whole
}

// closeAll closes files; what could not be written was told by Write.
func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}
