package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vespe/agents/install/settings"
)

// The clients.
const (
	ClaudeCode = "claude-code"
	Codex      = "codex"
	OpenCode   = "opencode"
	Generic    = "generic"
)

// Clients are those that can be set up, in the order in which they are listed.
func Clients() []string { return []string{ClaudeCode, Codex, OpenCode, Generic} }

// Scope says whose settings are changed.
type Scope string

// The scopes.
const (
	Project Scope = "project" // those that lie with the store, for everybody who works there
	User    Scope = "user"    // the person's own, for all projects
)

// Setup is what is to be set up, and where.
type Setup struct {
	Client string
	Scope  Scope
	Root   string // the directory of the store; "" is only possible for User
	Getenv func(string) string
	// Program is how vespe is called in what is written: "vespe", or an absolute path.
	Program string
	// Sandbox asks for the client's sandbox, in which commands cannot write into .vespe.
	Sandbox bool
}

// File is a file that a plan changes.
type File struct {
	Path    string // absolute
	Exists  bool   // it is there
	Was, Is []byte
	Gone    bool // it is to be taken away, as it came with vespe
	// Unread says why the client takes nothing of what the file will be; "" where it does.
	Unread string
	Left   []string // hooks that run vespe, as it seems, and stay, because vespe didn't write them
}

// Changed reports that there is something to be done.
func (f *File) Changed() bool {
	return f.Gone || !bytes.Equal(f.Was, f.Is) || !f.Exists && !f.Gone && len(f.Is) > 0
}

// Plan is what an installation, or its removal, does.
type Plan struct {
	Files []File
	// Notes are for the person, one line each: what is left to do, and what this client cannot do.
	Notes []string
}

// Changed reports that there is something to be done.
func (p *Plan) Changed() bool {
	return slices.ContainsFunc(p.Files, func(f File) bool { return f.Changed() })
}

// target is one file of a client.
type target struct {
	path   string
	open   func(text []byte) (document, error)
	want   func(d document) error            // makes the text what it should be
	stale  func(d document) bool             // hooks of an older vespe, or for another path, are in it
	strip  func(d document, how strip) error // takes away what is vespe's
	strict bool                              // the client reads plain JSON only
	others bool                              // not only of this client, though it may write it alone
	alone  bool                              // of the clients only this one writes it
}

// strip is how much is taken away.
type strip int

const (
	stripRunning strip = iota // hooks and servers that run vespe: nobody else can have written them
	stripAll                  // and rules that are known by their text alone, which a person may have written
)

// document is a text that is changed by position.
type document interface{ Bytes() []byte }

// Unchanged is how an error ends for which there is no plan.
const Unchanged = "; nothing was changed"

// Install plans what is to be written.
func (s *Setup) Install() (*Plan, error) { return s.plan(s.install) }

// Remove plans how what was written is taken back.
func (s *Setup) Remove() (*Plan, error) {
	p, err := s.plan(s.remove)
	if err == nil && !p.Changed() {
		p.Notes = nil
	}
	return p, err
}

func (s *Setup) plan(each func(t *target, f *File) error) (*Plan, error) {
	if !slices.Contains(Clients(), s.Client) {
		return nil, fmt.Errorf("unknown client %q; the clients are %s", s.Client, strings.Join(Clients(), ", "))
	}
	if s.Scope == Project && s.Root == "" {
		return nil, errors.New("not a project")
	}
	targets, err := s.targets()
	if err != nil {
		return nil, err
	}
	p := &Plan{Notes: s.notes()}
	for i := range targets {
		t := &targets[i]
		f, err := s.read(t.path)
		if err != nil {
			return nil, err
		}
		if err := each(t, &f); err != nil {
			return nil, fmt.Errorf("%s: %w%s", f.Path, err, Unchanged)
		}
		if note := t.unread(&f); note != "" {
			p.Notes = append(p.Notes, note)
			f.Unread = note
		}
		if !slices.ContainsFunc(p.Files, func(o File) bool { return o.Path == f.Path }) { // CLAUDE.md may be a link to AGENTS.md
			p.Files = append(p.Files, f)
		}
	}
	return p, nil
}

// unread says why a client takes nothing of a file, comments and all; "" where it does.
func (t *target) unread(f *File) string {
	if !t.strict || f.Gone || len(f.Is) == 0 {
		return ""
	}
	line := settings.NotPlain(f.Is)
	if line == 0 {
		return ""
	}
	return fmt.Sprintf("%s has a comment or a comma too many in line %d: this client reads plain JSON only and takes nothing of the file. Take them out.", f.Path, line)
}

// install makes a file what it should be.
func (s *Setup) install(t *target, f *File) error {
	d, err := t.open(f.Was)
	if err != nil {
		return err
	}
	if t.stale != nil && t.stale(d) {
		if err := s.stripHooks(d.(settings.Doc)); err != nil {
			return err
		}
	}
	err = t.want(d)
	f.Is = d.Bytes()
	return err
}

// remove takes away what is vespe's. Rules that are known by their text go with hooks or a server that run vespe, and
// are a person's own without them. A file in which nothing is left goes, too.
func (s *Setup) remove(t *target, f *File) error {
	f.Is = f.Was
	if !f.Exists || t.others && !t.alone && s.elsewhere() {
		return nil
	}
	d, err := t.open(f.Was)
	if err != nil {
		return err
	}
	how := stripRunning
	if s.Found() {
		how = stripAll
	}
	if err := t.strip(d, how); err != nil {
		return err
	}
	if doc, ok := d.(settings.Doc); ok {
		f.Left = leftHooks(doc)
	}
	f.Is = d.Bytes()
	left := bytes.TrimSpace(f.Is)
	f.Gone = !bytes.Equal(f.Is, f.Was) && (len(left) == 0 || string(left) == "{}")
	return nil
}

// elsewhere reports that another client is set up in the same project, which shares a file.
func (s *Setup) elsewhere() bool {
	for _, other := range []string{ClaudeCode, Codex, OpenCode} {
		o := *s
		if o.Client = other; other != s.Client && o.Found() {
			return true
		}
	}
	return false
}

// Found reports that a client's own settings have something of vespe.
func (s *Setup) Found() bool {
	targets, err := s.targets()
	if err != nil {
		return false
	}
	for i := range targets {
		t := &targets[i]
		if t.others {
			continue
		}
		f, err := s.read(t.path)
		if err != nil || !f.Exists {
			continue
		}
		d, err := t.open(f.Was)
		if err != nil {
			continue
		}
		if err := t.strip(d, stripRunning); err == nil && !bytes.Equal(d.Bytes(), f.Was) {
			return true
		}
	}
	return false
}

// read reads a file, or that there is none. A symbolic link is followed.
func (s *Setup) read(path string) (File, error) {
	real, err := resolve(path)
	if err != nil {
		return File{}, err
	}
	if s.Scope == Project && !below(s.Root, real) {
		return File{}, fmt.Errorf("%s is a link to %s, outside of the project. It was not changed", path, real)
	}
	f := File{Path: real}
	in, err := os.Stat(real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return f, err
	case !in.Mode().IsRegular():
		return f, fmt.Errorf("%s is not a regular file", real)
	case in.Size() > maxFile:
		return f, fmt.Errorf("%s has %d bytes, which is too large for a settings file", real, in.Size())
	}
	f.Exists = true
	f.Was, err = os.ReadFile(real)
	return f, err
}

const maxFile = 64 << 20 // bytes

// resolve follows symbolic links, of the directories that lead to a file that is not there yet too.
func resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if to, err := os.Readlink(path); err == nil { // a link to what is not there
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		if to = filepath.Clean(to); to == path {
			return "", fmt.Errorf("%s is a link to itself", path)
		}
		return resolve(to)
	}
	dir, err := resolve(filepath.Dir(path))
	return filepath.Join(dir, filepath.Base(path)), err
}

func below(root, path string) bool {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
