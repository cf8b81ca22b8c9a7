//go:build faults

package fsys

import (
	"os"

	"vespe/store/layout"
)

// faultEnv says how a build with the tag `faults` breaks its promises:
//
//	unsynced   new files are not synced
//	unnamed    directories are not synced
//	retried    an fsync that failed is asked again, and believed
//	in-place   a file is written over instead of being exchanged
//	torn       an entry is written under its name instead of being linked to it
const faultEnv = "VESPE_FAULT"

func Default(root string) (FS, error) {
	f, err := OpenFS(root)
	if how := os.Getenv(faultEnv); err == nil && how != "" {
		return brokenFS{f, how}, nil
	}
	return f, err
}

type brokenFS struct {
	FS
	how string
}

func (f brokenFS) Create(name string) (File, error) {
	file, err := f.FS.Create(name)
	if err != nil {
		return nil, err
	}
	return brokenFile{file, f.how}, nil
}

func (f brokenFS) SyncDir(name string) error {
	if f.how == "unnamed" {
		return nil
	}
	return f.FS.SyncDir(name)
}

func (f brokenFS) Link(a, b string) error {
	if f.how != "torn" {
		return f.FS.Link(a, b)
	}
	body, err := f.ReadFile(a, layout.MaxEntry)
	if err != nil {
		return err
	}
	return f.halves(b, body)
}

func (f brokenFS) Exchange(a, b string) error {
	if f.how != "in-place" {
		return f.FS.Exchange(a, b)
	}
	body, err := f.ReadFile(a, layout.MaxObject)
	if err != nil {
		return err
	}
	old, err := f.ReadFile(b, layout.MaxObject)
	if err != nil {
		return err
	}
	for _, name := range []string{a, b} {
		if err := f.Remove(name); err != nil {
			return err
		}
	}
	if err := f.halves(a, old); err != nil {
		return err
	}
	return f.halves(b, body)
}

// halves writes a new file in two steps.
func (f brokenFS) halves(name string, body []byte) error {
	file, err := f.FS.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Write(body[:len(body)/2]); err != nil {
		return err
	}
	if _, err := file.Write(body[len(body)/2:]); err != nil {
		return err
	}
	return file.Sync()
}

type brokenFile struct {
	File
	how string
}

func (f brokenFile) Sync() error {
	switch f.how {
	case "unsynced":
		return nil
	case "retried":
		if f.File.Sync() == nil {
			return nil
		}
	}
	return f.File.Sync()
}
