package engine

import (
	"context"
	"fmt"
	"strings"
	"time"
)

const (
	// ReflectTime is how long a program may take to distil reflections.
	ReflectTime = 5 * time.Minute

	maxDistilled = 1 << 20 // bytes of what it says
)

// Reflector distils reflections with a program of the person's own.
type Reflector struct{ program }

// NewReflector runs argv in dir, never by a shell. A program that is named by a relative path with a slash in it
// lies below dir; any other is looked for in $PATH.
func NewReflector(argv []string, dir string) *Reflector {
	return &Reflector{program{argv, dir, ReflectTime}}
}

// Name is the program and its arguments, for people.
func (r *Reflector) Name() string { return strings.Join(r.argv, " ") }

// Distil gives the program one JSON object on standard input and returns what it prints. It is an error where it
// fails, takes longer than ReflectTime, or prints more than 1 MiB.
func (r *Reflector) Distil(ctx context.Context, input []byte) ([]byte, error) {
	out, err := r.run(ctx, input, maxDistilled)
	if err == nil && out.over {
		err = fmt.Errorf("%s printed more than %d KiB", r.argv[0], maxDistilled>>10)
	}
	if err != nil {
		return nil, err
	}
	return out.kept, nil
}
