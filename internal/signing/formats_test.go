package signing

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/model/review"
)

// testdata holds approvals as each version of the program that changed their statement wrote them, with
// a key that is gone. Files are added, never made anew: what was signed once must continue counting.
func TestSignedFormatsKeepCounting(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	keys := New(Config{AllowedSigners: "testdata/allowed_signers"}, os.Environ())
	read := func(text string) review.Attested {
		a, err := review.DecodeApproval([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return keys.Attest(a)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := read(string(b)); got.Level != review.LevelSigned || got.False || got.Why != "" {
			t.Errorf("%s: %+v", file, got)
		}
		a, err := review.DecodeApproval(b)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{string(a.Task), a.StoreID, a.Nonce, a.Time, a.SeenHead, a.Plan.Hash, a.Objective.Hash, a.Bound["spec.json"], a.Comments.Hash, string(a.Approver)} {
			if word == "" {
				continue
			}
			other := strings.ReplaceAll(string(b), word, word[:len(word)-1]+"!")
			if got := read(other); !got.False || got.Level != review.LevelClaimed {
				t.Errorf("%s with another %s: %+v", file, word, got)
			}
		}
		if strings.HasSuffix(file, "2-comments.json") {
			if a.Comments.Hash = ""; !keys.Attest(a).False {
				t.Error("comments that were taken away are not missed")
			}
		}
	}
}
