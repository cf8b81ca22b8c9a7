package store

import (
	"crypto/rand"
	"io"
	"os"
	"time"

	"vespe/model/review"
	"vespe/store/fsys"
	"vespe/store/score"
)

// Options inject what a store takes from outside. The zero value is right for a program.
type Options struct {
	Now         func() time.Time                   // time.Now when nil
	Rand        io.Reader                          // crypto/rand when nil
	FS          func(root string) (fsys.FS, error) // OpenFS when nil
	Scratch     bool                               // never wait for the disk: for a store that can be made again
	Channel     string                             // of operations that name none: model.ChannelCLI and the like
	ReadOnly    bool                               // write nothing, not even a recovery
	AllowNested bool                               // Init below another store
	OwnStore    bool                               // Init in a git worktree although its main checkout has a store
	// CacheDir is the directory for caches of the tasks of stores without a checkpoint; "" means no cache.
	CacheDir string
	Name     string // of the store that Init makes; its directory's when ""
	Config   []byte // config.json of the store that Init makes; one with the name when nil

	// Trusted says that the person trusts the store: git may be run in its repository, and
	// what someone else owns may be written. Trust is asked, each time, where Trusted is
	// false; id is "" in a store that has none yet. nil: never.
	Trusted bool
	Trust   func(root, id string) bool
	// TrustCommand is asked whether score_command of the rules of a trusted store may be run, which may
	// have come into it since; Trusted answers that, too. nil: no.
	TrustCommand func(root, id string, argv []string) bool
	// Owners are the users whose stores may be written without trust; nil: the one that
	// this process runs as.
	Owners []uint32
	// Attestor knows keys, and what level of approval the person asks for; nil: signatures are
	// not looked at, and every approval is a claim.
	Attestor review.Attestor
	// StartConsent is the least risk of tasks that the person wants to be asked about before an
	// agent starts them, whatever the project says: low, medium, high, or "" for none.
	StartConsent string
	Environ      func() []string                              // of the person, for git; os.Environ when nil
	Scorer       func(own []string, root string) score.Scorer // nil: there are no scores
	// Working is told how far something has come that may take long in a large store. It is
	// called from one goroutine at a time. nil: nobody wants to know.
	Working func(what string, done, total int)
}

func (o Options) filled() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	if o.FS == nil {
		o.FS = fsys.Default
		if o.Scratch {
			o.FS = fsys.Unsynced
		}
	}
	if o.Environ == nil {
		o.Environ = os.Environ
	}
	if o.Owners == nil {
		o.Owners = []uint32{uint32(os.Geteuid())} //nolint:gosec // an uid has 32 bits
	}
	return o
}
