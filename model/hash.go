package model

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// HashPrefix begins every hash in a file.
const HashPrefix = "sha256-"

// HashBytes is the name of content: "sha256-" and 64 lower-case hex digits.
func HashBytes(b []byte) string {
	sum := sha256.Sum256(b)
	return formatHash(sum[:])
}

// HashResult is the hash of a whole result directory: sha256 over one line a
// file, "<slash path>\0<64 hex digits>\n", in byte order of the paths. The digits are
// those of each file's Hash without its "sha256-". It is "" when there is no file, and
// does not depend on the order of files.
func HashResult(files []ResultFile) string {
	if len(files) == 0 {
		return ""
	}
	sorted := slices.Clone(files)
	slices.SortFunc(sorted, func(a, b ResultFile) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Hash, b.Hash))
	})
	h := sha256.New()
	var line []byte
	for _, f := range sorted {
		line = append(line[:0], f.Path...)
		line = append(line, 0)
		line = append(line, strings.TrimPrefix(f.Hash, HashPrefix)...)
		line = append(line, '\n')
		h.Write(line) // never fails: hash.Hash
	}
	return formatHash(h.Sum(nil))
}

func formatHash(sum []byte) string {
	var buf [len(HashPrefix) + 2*sha256.Size]byte
	n := copy(buf[:], HashPrefix)
	hex.Encode(buf[n:], sum)
	return string(buf[:])
}

// canonicalHash turns the spellings of older systems (64 bare hex digits, "sha256:…",
// capitals) into ours. Anything else is returned as it is: it then equals no hash of ours.
// So is a mixture of capitals and small letters, which no system writes: a byte is another.
func canonicalHash(s string) string {
	digits, prefixed := strings.CutPrefix(s, HashPrefix)
	if !prefixed && len(s) > len(HashPrefix) && (s[:6] == "sha256" || s[:6] == "SHA256") && (s[6] == '-' || s[6] == ':') {
		digits = s[len(HashPrefix):]
	}
	if len(digits) != 2*sha256.Size {
		return s
	}
	var capitals, small bool
	for i := range len(digits) {
		switch c := digits[i]; {
		case '0' <= c && c <= '9':
		case 'a' <= c && c <= 'f':
			small = true
		case 'A' <= c && c <= 'F':
			capitals = true
		default:
			return s
		}
	}
	if prefixed && !capitals || capitals && small {
		return s
	}
	return HashPrefix + strings.ToLower(digits)
}
