package workbench

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"vespe/keymap"
	"vespe/ui/habits"
	"vespe/ui/screen"
)

// Habits are read as they were kept. A file that can't be read gives those of a first start.
func TestHabitsAreOnDisk(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	if got := readHabits(); !reflect.DeepEqual(got, habits.Habits{}) {
		t.Errorf("at the first start they are %+v", got)
	}
	want := habits.Habits{
		Theme: "contrast", Over: "vespe", Layouts: []keymap.Action{keymap.ViewBoard},
		Divider: screen.Divider{Ratio: 0.3, Turn: true}, Used: []habits.Use{{Action: keymap.ThemePicker, Times: 2}},
	}
	if err := keepHabits(want); err != nil {
		t.Fatal(err)
	}
	if got := readHabits(); !reflect.DeepEqual(got, want) {
		t.Errorf("they are %+v, want %+v", got, want)
	}
	for _, bad := range []string{"{", `{"format": 9}`, `{"format": 1, "used": 3}`} {
		if err := os.WriteFile(filepath.Join(dir, "vespe", "workbench.json"), []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := readHabits(); !reflect.DeepEqual(got, habits.Habits{}) {
			t.Errorf("%s gives %+v", bad, got)
		}
	}
}
