package hook

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"vespe/agents/desk"
)

// A decision at the client's own dialog reaches vespe by nothing but the client's events, and any program can run
// `vespe agent hook` with an event of its own. So a decision is believed only of an event that the client itself wrote:
// the system says which process made the socket on standard input, and that process must be a client above the hook that
// no agent has started. Where that can't be read nothing is recorded.

// process is a process of this machine: a number is given again, but not with the same beginning.
type process struct {
	PID   int    `json:"pid"`
	Began string `json:"began"` // in ticks since the machine began
}

// mostAncestors is how far up processes are followed.
const mostAncestors = 100

// errNoClient says that an event is not known to come from a client.
var errNoClient = errors.New("vespe can't verify that the event comes from the client itself")

// process reads what the system says of a process, with the number of its parent. One that has ended is an error, also
// while its parent has not looked at it.
func (d *Deps) process(pid int) (p process, parent int, err error) {
	if d.Proc == nil {
		return p, 0, fs.ErrNotExist
	}
	b, err := fs.ReadFile(d.Proc, strconv.Itoa(pid)+"/stat")
	if err != nil {
		return p, 0, err
	}
	// The name stands in parentheses, and may have any characters; then come the state, the parent and more.
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 20 || strings.Contains("ZXx", fields[0]) {
		return p, 0, fs.ErrNotExist
	}
	parent, err = strconv.Atoi(fields[1])
	return process{PID: pid, Began: fields[19]}, parent, err
}

// sender is the client that wrote the event of the hook.
func (d *Deps) sender() (process, error) {
	if d.Sender == nil {
		return process{}, errNoClient
	}
	pid, err := d.Sender()
	if err != nil || pid <= 1 {
		return process{}, fmt.Errorf("%w: its sender can't be read: %w", errNoClient, cmp.Or(err, fs.ErrNotExist))
	}
	var client process
	for at, n := d.PID, 0; at != 0; n++ {
		p, parent, err := d.process(at)
		switch {
		case err != nil:
			return process{}, fmt.Errorf("%w: %w", errNoClient, err)
		case n == mostAncestors:
			return process{}, fmt.Errorf("%w: there are too many processes above it", errNoClient)
		case at == pid && !d.isClient(at):
			return process{}, fmt.Errorf("%w: process %d is not Claude Code", errNoClient, at)
		case at == pid:
			client = p
		}
		if client.PID != 0 && d.inAgent(at, at == pid) {
			return process{}, fmt.Errorf("%w: an agent started it", errNoClient)
		}
		at = parent
	}
	if client.PID == 0 {
		return process{}, fmt.Errorf("%w: another program wrote it", errNoClient)
	}
	return client, nil
}

// isClient reports a process that is called as Claude Code is.
func (d *Deps) isClient(pid int) bool {
	b, err := fs.ReadFile(d.Proc, strconv.Itoa(pid)+"/cmdline")
	words := strings.Split(string(b), "\x00")
	return err == nil && slices.ContainsFunc(words[:min(2, len(words))], func(w string) bool {
		return path.Base(w) == "claude" || slices.ContainsFunc(strings.Split(w, "/"), func(part string) bool {
			return part == "claude" || strings.Contains(part, "claude-code") || strings.Contains(part, "claude-agent")
		})
	})
}

// inAgent reports a process with the environment that an agent gives to its commands. That of another account can't be
// read, and is none that an agent can set up; strict says that it must be read.
func (d *Deps) inAgent(pid int, strict bool) bool {
	b, err := fs.ReadFile(d.Proc, strconv.Itoa(pid)+"/environ")
	if err != nil {
		return strict
	}
	return slices.ContainsFunc(strings.Split(string(b), "\x00"), func(set string) bool {
		name, value, _ := strings.Cut(set, "=")
		return value != "" && slices.ContainsFunc(desk.Marks(), func(m desk.Mark) bool { return m.Variable == name && m.Name != "" })
	})
}

// ended reports that a process is there no longer, as far as that can be known.
func (d *Deps) ended(p process) bool {
	if _, _, err := d.process(d.PID); err != nil {
		return false // of no process anything is known
	}
	now, _, err := d.process(p.PID)
	return err != nil || now != p
}
