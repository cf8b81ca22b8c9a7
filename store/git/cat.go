package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// Cat reads objects: one process for any number of them.
type Cat struct {
	repo *Repo
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	said bytes.Buffer
	ctx  context.Context //nolint:containedctx // the life of the process
	done bool
	died error
}

// Cat starts reading. The caller closes it.
func (r *Repo) Cat(ctx context.Context) (*Cat, error) { return r.cat(ctx, "--batch") }

func (r *Repo) cat(ctx context.Context, how string) (*Cat, error) {
	c := &Cat{repo: r, ctx: ctx}
	c.cmd = r.run.command(ctx, nil, "cat-file", how)
	c.cmd.Stderr = &limited{w: &c.said}
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReaderSize(out, 64<<10)
	if err := c.cmd.Start(); err != nil {
		return nil, &Error{"cat-file", "", err}
	}
	return c, nil
}

// Close ends the process.
func (c *Cat) Close() error {
	if err := c.end(); err != nil {
		return failure(c.ctx, "cat-file", c.said.String(), err)
	}
	return nil
}

// end waits for the process; only after that is all there that it said.
func (c *Cat) end() error {
	if !c.done {
		c.done = true
		_ = c.in.Close()
		_, _ = io.Copy(io.Discard, c.out)
		c.died = c.cmd.Wait()
	}
	return c.died
}

// Object is what git holds under a name.
type Object struct {
	OID  OID
	Type string // "blob", "tree", "commit"; "" when there is no such object
	Size int64
	Body []byte // nil when it is larger than was asked for
}

// errName: a name that git would take for two.
var errName = errors.New("a line break in the name of an object")

// Get reads an object by any name that git knows for one, such as HEAD:dir/file. One that
// is not there has no Type. A body of more than limit bytes is left out.
func (c *Cat) Get(name string, limit int64) (Object, error) {
	o, err := c.look(name)
	if err != nil || o.Type == "" {
		return o, err
	}
	if o.Size > limit {
		_, err = io.CopyN(io.Discard, c.out, o.Size+1)
	} else {
		o.Body = make([]byte, o.Size)
		if _, err = io.ReadFull(c.out, o.Body); err == nil {
			_, err = c.out.Discard(1)
		}
	}
	if err != nil {
		return Object{}, c.broken(err)
	}
	return o, nil
}

// look reads what is said of an object before its body.
func (c *Cat) look(name string) (Object, error) {
	if strings.ContainsAny(name, "\n\x00") {
		return Object{}, errName
	}
	if _, err := io.WriteString(c.in, name+"\n"); err != nil {
		return Object{}, c.broken(err)
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		return Object{}, c.broken(err)
	}
	line = strings.TrimSuffix(line, "\n")
	f := strings.Fields(line)
	if line == name+" missing" || line == name+" ambiguous" || len(f) == 2 && f[1] == "submodule" {
		return Object{}, nil
	}
	if len(f) != 3 || !c.repo.valid(OID(f[0])) {
		return Object{}, c.broken(fmt.Errorf("an answer that can't be read: %q", line))
	}
	o := Object{OID: OID(f[0]), Type: f[1]}
	if o.Size, err = strconv.ParseInt(f[2], 10, 64); err != nil || o.Size < 0 {
		return Object{}, c.broken(fmt.Errorf("an answer that can't be read: %q", line))
	}
	return o, nil
}

func (c *Cat) broken(err error) error {
	_ = c.end() // err is what was noticed first
	return failure(c.ctx, "cat-file", c.said.String(), err)
}

// Look is what names stand for, without bodies.
func (r *Repo) Look(ctx context.Context, names ...string) (found []Object, err error) {
	c, err := r.cat(ctx, "--batch-check")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	found = make([]Object, len(names))
	for i, name := range names {
		if found[i], err = c.look(name); err != nil {
			return nil, err
		}
	}
	return found, nil
}
