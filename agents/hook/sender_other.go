//go:build !linux

package hook

import (
	"errors"
	"io"
)

// SenderOf is the process that made the socket which a hook reads its event from: that can't be known here.
func SenderOf(io.Reader) (pid int, err error) { return 0, errors.ErrUnsupported }
