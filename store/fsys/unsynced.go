package fsys

// Unsynced is an FS that never waits for the disk. After a crash, its files may be incomplete.
func Unsynced(root string) (FS, error) {
	f, err := Default(root)
	return unsyncedFS{f}, err
}

type unsyncedFS struct{ FS }

func (f unsyncedFS) Create(name string) (File, error) {
	file, err := f.FS.Create(name)
	return unsyncedFile{file}, err
}

func (f unsyncedFS) Append(name string) (File, int64, error) {
	file, size, err := f.FS.Append(name)
	return unsyncedFile{file}, size, err
}

func (unsyncedFS) SyncDir(string) error { return nil }
func (unsyncedFS) SyncAll() error       { return nil }

type unsyncedFile struct{ File }

func (unsyncedFile) Sync() error { return nil }
