package desk

import (
	"encoding/json"
	"strings"
	"testing"
)

// A time that is not known is left out.
func TestUnknownTimesAreLeftOut(t *testing.T) {
	b, err := json.Marshal(PlanReview{SentBack: &SentBack{}, Fetched: &Fetched{}, Comments: []Comment{{Replies: []Reply{{}}}}})
	if err != nil || strings.Contains(string(b), "0001-01-01") {
		t.Errorf("%s, %v", b, err)
	}
}
