package engine

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"vespe/model"
	"vespe/model/complexity"
)

// writes are the files that a task says it creates or changes, its tests included.
func writes(t *model.Task) []string {
	if t.Spec == nil {
		return nil
	}
	return slices.Concat(t.Spec.FilesToCreate, t.Spec.FilesToModify, t.Spec.TestFiles)
}

// taken are the files that tasks write, as they are compared by, with the name of the task.
type taken map[string]string

func (b taken) add(t *model.Task) {
	for _, f := range writes(t) {
		b[compared(f)] = t.Config.Name
	}
}

// overlap is a task that writes a file which another one writes, with that file as the other task names it.
func overlap(busy taken, t *model.Task) (other, file string) {
	for _, f := range writes(t) {
		mine := compared(f)
		if by, ok := busy[mine]; ok {
			return by, f
		}
		for theirs, by := range busy {
			if meet(mine, theirs) {
				return by, f
			}
		}
	}
	return "", ""
}

// compared is a path as it is compared by: however it is spelt, and on whatever file system the work will be
// checked out.
func compared(file string) string {
	return strings.ToLower(complexity.CleanPath(strings.ReplaceAll(file, `\`, "/")))
}

// meet reports whether two names may be of one file: a directory holds all that lies in it, and a pattern
// whatever may match it.
func meet(a, b string) bool {
	if a == b || within(a, b) || within(b, a) {
		return true
	}
	x, y := fixed(a), fixed(b)
	switch {
	case x == a && y == b:
		return false
	case y == b && !strings.Contains(a, "**"): // a file, or a directory of some
		ok, err := path.Match(a, b)
		return ok || err != nil || within(x, b)
	case x == a && !strings.Contains(b, "**"):
		ok, err := path.Match(b, a)
		return ok || err != nil || within(y, a)
	}
	return x == y || within(x, y) || within(y, x)
}

// covers reports whether a name that a task gives is of a file that is there: it is that file's, or that of a
// directory it lies in, or a pattern that matches one of these. What the file is called is never a pattern.
func covers(name, file string) bool {
	name, file = compared(name), compared(file)
	if name == "." {
		return true
	}
	for at := file; at != "." && at != "/"; at = path.Dir(at) {
		if at == name {
			return true
		}
		if ok, err := doublestar.Match(name, at); ok && err == nil {
			return true
		}
	}
	return false
}

// within reports whether a path lies below a directory.
func within(file, dir string) bool {
	return dir == "." && !strings.HasPrefix(file, "../") && file != ".." || strings.HasPrefix(file, dir+"/")
}

// fixed is the directory below which a pattern matches; a path that is none is itself.
func fixed(pattern string) string {
	at := strings.IndexAny(pattern, "*?[{")
	if at < 0 {
		return pattern
	}
	return path.Dir(pattern[:at] + "x")
}
