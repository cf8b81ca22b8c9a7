package engine

import (
	"time"

	"vespe/engine/worker"
	"vespe/model"
)

// Options are what a loop is to do, and everything that it takes from outside.
type Options struct {
	Settings worker.Settings
	Workers  int         // runs at a time; those of the settings when 0
	Max      int         // runs in all; 0 is no bound
	Idle     bool        // end when nothing runs and nothing can be started
	Only     []model.UID // run no others

	Guard    []string // argv prefix by which vespe is its workers' guard
	Vespe    string   // the program itself, for workers
	Environ  []string
	Getenv   func(string) string
	Now      func() time.Time
	Template func(name string) (worker.Template, error) // another worker than that of the settings
	Worker   string                                     // the one to use; as set when ""
	// Client makes the client of a worker ask people here: it writes what files that takes into a directory that is
	// the run's own, and answers with arguments for the client. env is what the worker's environment has besides.
	// nil: clients are left as they are.
	Client func(format, dir string, env []string) ([]string, error)
	Grace  time.Duration // between asking a program to end and ending it; 10 s when 0
	NewID  func() string // the random part of a run's id
	// Say is told what happens, line by line; nil: nobody listens. It is called from several goroutines.
	Say func(Said)
}

// Said is one thing that the loop says.
type Said struct {
	At   time.Time
	Run  string
	Task model.UID
	Name string // of the task; untrusted
	Text string // untrusted
}

// Summary is what a loop did.
type Summary struct {
	Started   int      `json:"started"`
	Completed int      `json:"completed"`
	Failed    int      `json:"failed"`
	Canceled  int      `json:"cancelled"`
	Waiting   int      `json:"waiting"`       // runs that wait for a person
	Left      int      `json:"left"`          // tasks that are not finished
	Why       []string `json:"why,omitempty"` // why nothing more can be started, where something is left
}
