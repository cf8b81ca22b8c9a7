package hook

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// SenderOf is the process that made the socket which a hook reads its event from.
func SenderOf(r io.Reader) (pid int, err error) {
	f, ok := r.(*os.File)
	if !ok {
		return 0, os.ErrInvalid
	}
	cred, err := unix.GetsockoptUcred(int(f.Fd()), unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Pid), nil
}
