package txlog

import (
	"encoding/json"
	"testing"
)

// What a file image holds in memory stays out of the log.
func TestResolvedBytesAreNotWritten(t *testing.T) {
	got, err := json.Marshal(FileImage{Path: "a", Was: "b", Hash: "c", Bytes: []byte("d"), Replaced: []byte("e")})
	if want := `{"path":"a","was":"b","sha256":"c"}`; err != nil || string(got) != want {
		t.Errorf("%s, %v\nexpected %s", got, err, want)
	}
}
