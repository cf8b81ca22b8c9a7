package signing

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"vespe/model/review"
)

// check is the check of one signature. ssh-keygen is run as seldom as the answer allows.
type check struct {
	k         *Keys
	a         review.Approval
	statement []byte
	signers   []byte   // what the file of the allowed signers holds
	known     *answers // nil: nothing is repeated

	file string // with the signature, once one is needed
	gone func()
}

func (c *check) close() {
	if c.gone != nil {
		c.gone()
	}
}

// ask runs ssh-keygen on the signature, or repeats what it said. It gives a saidError where ssh-keygen refuses.
func (c *check) ask(what string, args ...string) error {
	if c.known == nil {
		return c.run(what, args)
	}
	key := c.key(what, args)
	if said, ok := c.known.get(key); ok && said == "" {
		return nil
	} else if ok {
		return &saidError{said}
	}
	err := c.run(what, args)
	var said *saidError
	switch {
	case err == nil:
		c.known.put(key, "")
	case errors.As(err, &said):
		c.known.put(key, said.said)
	}
	return err
}

func (c *check) run(what string, args []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), attestTime)
	defer cancel()
	if c.file == "" {
		var err error
		if c.file, c.gone, err = kept(c.a.Signature); err != nil {
			return err
		}
	}
	_, err := c.k.run(ctx, false, c.statement, append([]string{"-Y", what, "-n", review.ApprovalNamespace, "-s", c.file}, args...)...)
	return err
}

// key is the hash of all that an answer depends on.
func (c *check) key(what string, args []string) string {
	h := sha256.New()
	for _, part := range append([]string{what, c.a.Signature, string(c.statement), string(c.signers)}, args...) {
		_ = binary.Write(h, binary.BigEndian, uint64(len(part))) // a hash takes everything
		_, _ = h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// mostRemembered is how large a file of answers may become before it is begun anew, in bytes.
const mostRemembered = 4 << 20

// answers are what ssh-keygen said, by check.key, in memory and in a file of the person's own. A line of the file
// is a key and what was said, quoted; "" is that the signature is good. A file that cannot be read or written
// costs time and nothing else.
type answers struct {
	file string

	mu    sync.Mutex
	known map[string]string // nil: the file was not read
}

func (s *answers) get(key string) (said string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read()
	said, ok = s.known[key]
	return said, ok
}

func (s *answers) read() {
	if s.known != nil {
		return
	}
	s.known = map[string]string{}
	if s.file == "" {
		return
	}
	b, err := readPlain(s.file, mostRemembered)
	if err != nil {
		return
	}
	for line := range strings.Lines(string(b)) {
		key, quoted, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if said, err := strconv.Unquote(quoted); err == nil && len(key) == 2*sha256.Size {
			s.known[key] = said
		}
	}
}

func (s *answers) put(key, said string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read()
	s.known[key] = said
	if s.file == "" || os.MkdirAll(filepath.Dir(s.file), 0o700) != nil {
		return
	}
	how := os.O_WRONLY | os.O_CREATE | os.O_APPEND | syscall.O_NONBLOCK
	if in, err := os.Stat(s.file); err == nil && in.Size() > mostRemembered {
		how |= os.O_TRUNC
	}
	f, err := os.OpenFile(s.file, how, 0o600)
	if err != nil {
		return
	}
	_, _ = fmt.Fprintf(f, "%s %q\n", key, said) // in one write: processes append at the same time
	_ = f.Close()
}

// readPlain reads a regular file of at most that many bytes, or one that a link leads to. A pipe does not wait.
func readPlain(name string, most int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !in.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", name)
	case in.Size() > most:
		return nil, fmt.Errorf("%s is larger than %d bytes", name, most)
	}
	return io.ReadAll(io.LimitReader(f, most))
}
