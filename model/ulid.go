package model

import (
	"encoding/hex"
	"strings"
)

// UIDHead begins every uid.
const UIDHead = "tsk-"

const ulidAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ" // Crockford's base 32

// ULID is the ULID with the bits of a uid; a uid that has other than 128 bits stays as it is.
func ULID(uid UID) string {
	b, err := hex.DecodeString(strings.TrimPrefix(string(uid), UIDHead))
	if err != nil || len(b) != 16 {
		return string(uid)
	}
	var out [26]byte
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = ulidAlphabet[b[15]&31]
		for k := 15; k > 0; k-- {
			b[k] = b[k]>>5 | b[k-1]<<3
		}
		b[0] >>= 5
	}
	return string(out[:])
}
