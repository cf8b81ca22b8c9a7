package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxLine is the longest message that is read, in bytes with its newline. What a tool takes is
	// less, so that what is too large for it is refused by name.
	maxLine = 16 << 20
	// idWithin is how much of a message that is not read whole is searched for its id.
	idWithin = 64 << 10
)

// Lines is the transport of standard input and output: one JSON-RPC message a line. The SDK's own ends the
// connection at the first line that is no message; here the line is answered with an error, and the next is
// read: a client shows a server that ended as broken, and seldom starts it again.
type Lines struct {
	In  io.Reader
	Out io.Writer
}

// Connect begins to read.
func (t *Lines) Connect(context.Context) (mcp.Connection, error) {
	c := &lineConn{out: t.Out, in: make(chan []byte), closed: make(chan struct{})}
	go c.readLines(bufio.NewReaderSize(t.In, 64<<10))
	return c, nil
}

type lineConn struct {
	in  chan []byte
	end error // of the input; set before in is closed

	writing sync.Mutex
	out     io.Writer

	once   sync.Once
	closed chan struct{}

	calling sync.Mutex
	calls   map[jsonrpc.ID]bool // that were read and are not answered
	idle    chan struct{}       // closed once there are none; nil while nobody waits for that
}

// lastAnswers is how long calls may take to be answered once the input has ended: a script that writes its calls
// and closes the pipe gets its answers, and one that waits for a person is not waited for.
const lastAnswers = 2 * time.Second

func (c *lineConn) SessionID() string { return "" }

// Close ends Read. A read of the system's that is under way ends with the process: there is no way to
// interrupt it that every kind of file knows.
func (c *lineConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// Read is the next message. It ends with io.EOF where the input does.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case line, more := <-c.in:
			if !more {
				if errors.Is(c.end, io.EOF) {
					c.drain(ctx)
				}
				return nil, c.end
			}
			msg, err := jsonrpc.DecodeMessage(line)
			if err == nil {
				if q, is := msg.(*jsonrpc.Request); is && q.IsCall() {
					c.asked(q.ID)
				}
				return msg, nil
			}
			if err := c.refuse(line, err); err != nil {
				return nil, err
			}
		}
	}
}

// asked notes a call; answered takes it back.
func (c *lineConn) asked(id jsonrpc.ID) {
	c.calling.Lock()
	defer c.calling.Unlock()
	if c.calls == nil {
		c.calls = map[jsonrpc.ID]bool{}
	}
	c.calls[id] = true
}

func (c *lineConn) answered(id jsonrpc.ID) {
	c.calling.Lock()
	defer c.calling.Unlock()
	if delete(c.calls, id); len(c.calls) == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// drain waits until every call is answered, for a while.
func (c *lineConn) drain(ctx context.Context) {
	c.calling.Lock()
	if len(c.calls) == 0 {
		c.calling.Unlock()
		return
	}
	idle := make(chan struct{})
	c.idle = idle
	c.calling.Unlock()
	over := time.NewTimer(lastAnswers)
	defer over.Stop()
	select {
	case <-idle:
	case <-over.C:
	case <-c.closed:
	case <-ctx.Done():
	}
}

// Write writes one message. A result that cannot be written as JSON becomes an error: the client waits for
// something under that id.
func (c *lineConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r, is := msg.(*jsonrpc.Response); is {
		defer c.answered(r.ID)
		r.Error = coded(r.Error)
	}
	b, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		resp, is := msg.(*jsonrpc.Response)
		if !is {
			return err
		}
		broken := &jsonrpc.Response{ID: resp.ID, Error: &jsonrpc.Error{
			Code: jsonrpc.CodeInternalError, Message: "the answer cannot be written as JSON: " + err.Error(),
		}}
		if b, err = jsonrpc.EncodeMessage(broken); err != nil {
			return err
		}
	}
	return c.line(b)
}

// coded is an error of a response with a code of the protocol. The SDK gives none to a request that comes before
// the session begins, nor to errors of its own.
func coded(err error) error {
	var wire *jsonrpc.Error
	switch {
	case err == nil, errors.As(err, &wire) && wire.Code != 0:
		return err
	case strings.HasSuffix(err.Error(), "is invalid during session initialization"):
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: `the session isn't initialized: send "initialize" first`}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
}

func (c *lineConn) line(b []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(b, '\n'))
	return err
}

// readLines reads until the input ends.
func (c *lineConn) readLines(r *bufio.Reader) {
	defer close(c.in)
	for {
		line, size, err := readLine(r, maxLine)
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			c.end = err
			return
		case size > maxLine:
			if c.end = c.tooLong(line, size); c.end != nil {
				return
			}
		case len(line) > 0:
			select {
			case c.in <- line:
			case <-c.closed:
				return
			}
		}
		if err != nil {
			c.end = io.EOF
			return
		}
	}
}

// readLine reads a line without the space around it, and says how many bytes it has; of one that has more
// than limit only its beginning is kept.
func readLine(r *bufio.Reader, limit int) (line []byte, size int, err error) {
	for {
		var part []byte
		part, err = r.ReadSlice('\n')
		size += len(part)
		switch {
		case size <= limit:
			line = append(line, part...)
		case len(line) > idWithin:
			line = line[:idWithin:idWithin]
		case len(line) < idWithin:
			line = append(line, part[:min(len(part), idWithin-len(line))]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), size, err
		}
	}
}

// refuse answers a line that is no message.
func (c *lineConn) refuse(line []byte, why error) error {
	code, text := int64(jsonrpc.CodeInvalidRequest), "this is not a JSON-RPC message: "+why.Error()
	switch {
	case !json.Valid(line):
		code, text = jsonrpc.CodeParseError, "this line is not JSON; a message is one line of JSON"
	case line[0] == '[':
		text = "messages come one a line, not as an array"
	case line[0] != '{':
		text = `this is not a JSON-RPC message: send an object with "jsonrpc": "2.0"`
	}
	return c.complain(idOf(line), code, text)
}

func (c *lineConn) tooLong(line []byte, size int) error {
	return c.complain(idOf(line), jsonrpc.CodeInvalidRequest,
		fmt.Sprintf("the message has %d bytes, the limit is %d; nothing was done: send less", size, maxLine))
}

// complain writes an error for an id, which may be null.
func (c *lineConn) complain(id json.RawMessage, code int64, text string) error {
	if id == nil {
		id = json.RawMessage("null")
	}
	b, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   jsonrpc.Error   `json:"error"`
	}{"2.0", id, jsonrpc.Error{Code: code, Message: text}})
	if err != nil {
		return err
	}
	return c.line(b)
}

// idOf is the id in a message, or in the beginning of one; nil where there is none that can be an id.
func idOf(line []byte) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(line))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil
		}
		if key != "id" {
			continue
		}
		switch value[0] {
		case '{', '[', 't', 'f', 'n':
			return nil
		}
		return value
	}
	return nil
}
