package gitlog

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/visible"
	"vespe/store/git"
	"vespe/store/txlog"
)

// Keys of the lines that end the message of a commit.
const (
	trailerSeq     = "Vespe-Seq"   // the entry of the log
	trailerOpID    = "Vespe-Op-Id" // of the transaction
	trailerChannel = "Vespe-Channel"
	trailerTask    = "Vespe-Task"  // one line a task
	trailerTasks   = "Vespe-Tasks" // how many, where not all are listed
	trailerStore   = "Vespe-Store" // store_id
	trailerEntry   = "Vespe-Entry" // hash of the entry, which says whose log it is
	maxTaskLines   = 50
	maxSubject     = 160 // runes
	mailDomain     = "vespe.invalid"
	startOfHistory = "start of history"
)

// trailers builds the end of a message.
type trailers struct{ b strings.Builder }

func (t *trailers) add(key, value string) {
	if value != "" {
		fmt.Fprintf(&t.b, "%s: %s\n", key, visible.Line(value))
	}
}

// commitOf is the commit that an entry becomes.
func commitOf(e *txlog.Entry, at txlog.Tip, id string) git.Commit {
	var t trailers
	t.add(trailerSeq, strconv.FormatUint(e.Seq, 10))
	t.add(trailerOpID, e.OpID)
	for i := range e.Ops {
		if op := &e.Ops[i]; op.ID == e.OpID {
			t.add(trailerChannel, op.Channel)
			break
		}
	}
	for i, uid := range e.Tasks {
		if i == maxTaskLines {
			t.add(trailerTasks, strconv.Itoa(len(e.Tasks)))
			break
		}
		t.add(trailerTask, string(uid))
	}
	t.add(trailerStore, id)
	t.add(trailerEntry, at.Head)
	c := author(e.Actor, e.At)
	c.Message = subject(e.Summary) + "\n\n" + t.b.String()
	return c
}

// startCommit is the commit of a store as it was found.
func startCommit(why string, at txlog.Tip, id string, now time.Time) git.Commit {
	var t trailers
	t.add(trailerSeq, strconv.FormatUint(at.Seq, 10))
	t.add(trailerStore, id)
	t.add(trailerEntry, at.Head)
	c := author(model.System+":vespe", now)
	c.Message = subject(why) + "\n\n" + t.b.String()
	return c
}

// subject is one line in which everything can be seen.
func subject(text string) string {
	text = strings.TrimSpace(visible.Line(text))
	if r := []rune(text); len(r) > maxSubject {
		text = string(r[:maxSubject-1]) + "…"
	}
	if text == "" {
		return "(no summary)"
	}
	return text
}

// author writes an actor as git writes people: the name, and an address that says of what
// kind it is and reaches nobody.
func author(a model.Actor, at time.Time) git.Commit {
	name := strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '<' || r == '>' {
			return -1
		}
		return r
	}, visible.Line(a.Name())))
	if name == "" {
		name = "unknown"
	}
	local := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, a.Kind()+"."+name)
	return git.Commit{Name: name, Email: local + "@" + mailDomain, At: at}
}

// recorded is what the message of a commit says about where it stands in a log.
type recorded struct {
	store string
	txlog.Tip
}

// parseRecorded reads the last paragraph of a message; false when no transaction and no
// start is told there.
func parseRecorded(message string) (recorded, bool) {
	message = strings.TrimRight(message, "\n")
	var r recorded
	var numbered bool
	for line := range strings.SplitSeq(message[strings.LastIndex(message, "\n\n")+1:], "\n") {
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case trailerSeq:
			n, err := strconv.ParseUint(value, 10, 64)
			r.Seq, numbered = n, err == nil
		case trailerStore:
			r.store = value
		case trailerEntry:
			r.Head = value
		}
	}
	return r, numbered && r.store != "" && (r.Seq == 0) == (r.Head == "") && (r.Head == "" || txlog.ValidHash(r.Head))
}
