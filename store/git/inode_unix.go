//go:build unix

package git

import (
	"fmt"
	"io/fs"
	"syscall"
)

// inode tells files apart that have the same size and time.
func inode(in fs.FileInfo) string {
	if st, ok := in.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(st.Dev, " ", st.Ino)
	}
	return ""
}
