package failure

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// Theirs is the code of the problem that bytes of somebody else were kept aside.
const Theirs = "theirs"

// TheirsProblem is the problem that a file holds such bytes.
func TheirsProblem(path string) model.Problem {
	return model.Problem{
		Path: path, Severity: model.Warning, Code: Theirs,
		Reason: "is what vespe found in place of the file next to it when it rewrote that file",
		Hint:   "compare the two, then remove this one to clear this warning",
	}
}

// Unreadable is the code of the problem that a file's bytes were not to be had.
const Unreadable = "unreadable"

// OfFile turns an error of reading a file into a problem.
func OfFile(path string, err error) model.Problem {
	p := model.Problem{Path: path, Severity: model.Error, Code: Unreadable, Reason: err.Error(), Hint: "check its permissions"}
	var nr *fsys.NotRegularError
	var tl *fsys.TooLargeError
	var pe *fs.PathError
	switch {
	case errors.As(err, &nr):
		p.Code, p.Reason = "not-regular", "is "+nr.What+", which vespe doesn't read"
		p.Hint = "replace it with a plain file"
		if strings.Contains(nr.What, "directory belongs") {
			p.Hint = "replace it with a plain directory"
		}
	case errors.As(err, &tl):
		p.Code = "too-large"
		p.Reason = fmt.Sprintf("has %d bytes; the limit is %d", tl.Size, tl.Limit)
		p.Hint = "shorten it"
	case errors.As(err, &pe):
		p.Reason = "cannot be read: " + pe.Err.Error()
	}
	return p
}

// NoTasks is what to say where tasks/ is missing: it is there from the first transaction on.
func NoTasks(with string) model.Problem {
	return model.Problem{
		Path: layout.Shown(layout.TasksDir), Severity: model.Error, Code: "missing-directory",
		Reason: "is missing, and with it " + with, Hint: MissingTaskHint(layout.TasksDir),
	}
}

// MissingTaskHint is how to get the directory of a task back.
func MissingTaskHint(dir string) string {
	return "if that was a mistake, restore the directory: `git checkout -- " + layout.Shown(dir) + "`, or from a backup; `vespe task at` shows what was there"
}

// ErrRestless says that others write all the time.
var ErrRestless = errors.New("the store changes faster than vespe can read it: try again")

// NotTheStores turns a directory of the store that is something else, or forbidden, into a problem.
func NotTheStores(name string, err error) ([]model.Problem, bool) {
	var nr *fsys.NotRegularError
	if !errors.As(err, &nr) && !errors.Is(err, fs.ErrPermission) {
		return nil, false
	}
	return []model.Problem{OfFile(layout.Shown(name), err)}, true
}
