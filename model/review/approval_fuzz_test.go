package review

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// What decodes as an approval says whose it is and of which bytes, also once it is written
// again; nothing else does.
func FuzzDecodeApproval(f *testing.F) {
	for _, s := range []string{
		`{"type":"vespe/approval/v1","task":"tsk-1","verdict":"accept"}`, `{"type":"other"}`, `{"type":"vespe/approval/v1","type":"x"}`,
		`{}`, `[]`, `null`, "", `{"type":1}`, strings.Repeat(`{"a":`, 100), "{\"type\":\"\xff\"}",
	} {
		f.Add([]byte(strings.ReplaceAll(s, "vespe/approval/v1", approvalType)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := DecodeApproval(b)
		if err != nil {
			if !reflect.DeepEqual(a, Approval{}) {
				t.Fatalf("half of it was read: %+v", a)
			}
			return
		}
		again, err := DecodeApproval(a.Encode())
		if err != nil || !bytes.Equal(again.Statement(), a.Statement()) || again.Objective != a.Objective || again.Plan != a.Plan ||
			!slices.Equal(again.DependsOn, a.DependsOn) || !maps.Equal(again.Dependencies, a.Dependencies) {
			t.Fatalf("%+v reads back as %+v, %v", a, again, err)
		}
	})
}
