//go:build !faults

package fsys

// systemFS is the file system of a store. A build with the tag `faults` can be made to break
// what it promises, so that tests can see that they would notice.
func Default(root string) (FS, error) { return OpenFS(root) }
