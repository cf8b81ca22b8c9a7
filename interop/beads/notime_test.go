package beads

import (
	"strings"
	"testing"

	"vespe/model"
)

// An issue that does not say when it was updated is not of the year 1.
func TestNoUpdatedAt(t *testing.T) {
	im, _ := imported(t, `{"id":"x-1","title":"T","status":"open","created_at":"2024-11-29T10:00:00Z"}`)
	all := string(model.EncodeSpec(im.Task.Spec)) + string(model.EncodeStatus(im.Task.Status)) + string(model.EncodeConfig(im.Task.Config))
	if strings.Contains(all, "0001-") || strings.Contains(all, "beads_updated_at") {
		t.Errorf("it arrives as %s", all)
	}
}
