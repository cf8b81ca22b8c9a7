package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/gitfiles"
	"vespe/store/layout"
	"vespe/store/runs"
)

// gitIgnored is what of a store is machinery and does not belong into git.
const gitIgnored = "log/\nobjects/\ntmp/\nlock\ncache/\n*.theirs-*\n" + runs.Ignored

// Init makes an empty store in dir and opens it. It is refused when there is one, and
// below another store unless Options.AllowNested is set. The marker is written last: what
// an interrupted Init leaves does not open, and the next Init completes it.
func Init(dir string, opt Options) (*Store, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("init %s: %w", dir, err)
	}
	if isMarked(abs) {
		return nil, failure.New(model.CodeRefused, failure.GuardStore, nil, nil, "open it: `vespe -C "+abs+"`", "there is a store in %s already", abs)
	}
	if !opt.AllowNested {
		if outer, err := Locate(abs, opt.OwnStore); err == nil && outer.Root != abs {
			return nil, failure.New(model.CodeRefused, failure.GuardStore, nil, nil, "use that store, or allow a nested one", "%s is inside the store of %s", abs, outer.Root)
		}
	}
	opt = opt.filled()
	if err := os.MkdirAll(abs, 0o755); err != nil {
		return nil, fmt.Errorf("init %s: %w", dir, err)
	}
	// The one directory that is made without an FS: an FS is rooted in it.
	if err := os.Mkdir(filepath.Join(abs, layout.Name), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("init %s: %w", dir, err)
	}
	f, err := opt.FS(abs)
	if err != nil {
		return nil, err
	}
	s := newStoreOn(abs, f, opt)
	s.setFormat(Format)
	if err := s.lay(); err != nil {
		return nil, errors.Join(fmt.Errorf("init %s: %w", dir, err), f.Close())
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return Open(abs, opt)
}

// firstPolicy is config.json of a new store.
func (s *Store) firstPolicy() []byte {
	if s.opt.Config != nil {
		return s.opt.Config
	}
	return model.EncodePolicy(model.Policy{Name: cmp.Or(s.opt.Name, filepath.Base(s.root))})
}

// lay writes the files of an empty store.
func (s *Store) lay() error {
	for _, d := range []string{layout.LogDir, layout.ObjectsDir, layout.TmpDir, layout.CacheDir, layout.TasksDir, layout.RequestsDir} {
		if err := s.disk.FS.Mkdir(d); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	id, err := json.Marshal(storeJSON{Format: Format, StoreID: s.randomHex(16), CreatedAt: s.now()})
	if err != nil {
		return err
	}
	files := []struct {
		name string
		body []byte
	}{
		{layout.StoreFile, append(id, '\n')},
		{layout.IgnoreFile, []byte(gitIgnored)},
		{gitfiles.AttributesFile, []byte(gitfiles.Attributes)},
		{layout.PolicyFile, s.firstPolicy()},
		{layout.LockFile, nil},
	}
	if _, err := s.disk.FS.ReadBeside(layout.ProjectConfig, layout.MaxJSON); err == nil {
		files = slices.Delete(files, 3, 4) // the policy is there already
	}
	for _, f := range files {
		if err := s.disk.WriteNew(f.name, f.body); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if err := s.disk.FS.SyncDir("."); err != nil {
		return err
	}
	// What is a store is one for good, so its own name is durable before the marker is there.
	if err := syncParent(s.root); err != nil {
		return err
	}
	if err := s.disk.WriteNew(layout.RootMarker, nil); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return s.disk.FS.SyncDir(".")
}

// syncParent makes the name .vespe itself durable.
func syncParent(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
