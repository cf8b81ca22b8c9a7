package core

import (
	"testing"
)

func TestRevisionFlag(t *testing.T) {
	var r revisionFlag
	if err := r.Set("7"); err != nil || r != 7 || r.String() != "7" {
		t.Errorf("7 is %d, %v", r, err)
	}
	for _, bad := range []string{"", "0", "-1", "x", "1.5", "99999999999999999999"} {
		if err := r.Set(bad); err == nil {
			t.Errorf("%q is taken as %d", bad, r)
		}
	}
}
