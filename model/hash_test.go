package model

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
)

func TestHashBytes(t *testing.T) {
	for in, want := range map[string]string{ // from FIPS 180-2 and the empty message
		"":    "sha256-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"abc": "sha256-ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	} {
		if got := HashBytes([]byte(in)); got != want {
			t.Errorf("HashBytes(%q) = %s", in, got)
		}
	}
}

func TestHashResult(t *testing.T) {
	a := ResultFile{Path: "a.md", Size: 3, Hash: HashBytes([]byte("abc"))}
	b := ResultFile{Path: "dir/b.bin", Hash: HashBytes(nil)}
	digits := func(f ResultFile) string { return strings.TrimPrefix(f.Hash, "sha256-") }
	lines := "a.md\x00" + digits(a) + "\ndir/b.bin\x00" + digits(b) + "\n"
	want := fmt.Sprintf("sha256-%x", sha256.Sum256([]byte(lines)))
	if got := HashResult([]ResultFile{a, b}); got != want {
		t.Errorf("HashResult = %s, want %s", got, want)
	}
	files := []ResultFile{b, a}
	if got := HashResult(files); got != want {
		t.Errorf("the order of the files changed the hash: %s", got)
	}
	if files[0] != b {
		t.Error("HashResult sorted its argument")
	}
	if got := HashResult([]ResultFile{a}); got == want {
		t.Error("a missing file did not change the hash")
	}
	if got := HashResult(nil); got != "" {
		t.Errorf("no files hash to %q", got)
	}
}

func TestCanonicalHash(t *testing.T) {
	digits := strings.Repeat("0AF9", 16)
	mixed := strings.Repeat("0aF9", 16)
	want := "sha256-" + strings.ToLower(digits)
	for in, want := range map[string]string{
		digits:                         want,
		"sha256:" + digits:             want,
		"SHA256-" + digits:             want,
		"Sha256-" + digits:             "Sha256-" + digits,
		mixed:                          mixed,
		"sha256-" + mixed:              "sha256-" + mixed,
		"sha256-" + digits:             want,
		want:                           want,
		"sha256-short":                 "sha256-short",
		strings.Repeat("g", 64):        strings.Repeat("g", 64),
		"":                             "",
		"sha512-" + digits:             "sha512-" + digits,
		strings.Repeat("a", 63) + "\n": strings.Repeat("a", 63) + "\n",
	} {
		if got := canonicalHash(in); got != want {
			t.Errorf("canonicalHash(%q) = %q, want %q", in, got, want)
		}
	}
}
