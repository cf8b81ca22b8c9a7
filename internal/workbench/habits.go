package workbench

import (
	"os"
	"path/filepath"

	"vespe/store/statedir"
	"vespe/ui/habits"
)

// habitsFile is workbench.json in the state directory: what the workbench remembers of a person.
func habitsFile() (statedir.File, bool) {
	dir := statedir.Path(os.Getenv)
	return statedir.File{Name: filepath.Join(dir, "workbench.json"), MaxBytes: 1 << 16, Format: habitsFormat}, dir != ""
}

const habitsFormat = 1

// habitsOnDisk is what is in the file.
type habitsOnDisk struct {
	Format int `json:"format"`
	habits.Habits
}

// readHabits are those of the last time. They are a convenience: without a file that can be read there are none.
func readHabits() habits.Habits {
	var h habitsOnDisk
	if f, ok := habitsFile(); !ok || f.Read(&h) != nil {
		return habits.Habits{}
	}
	return h.Habits
}

// keepHabits writes those that the next start is to have.
func keepHabits(h habits.Habits) error {
	f, ok := habitsFile()
	if !ok {
		return nil
	}
	return f.Write(habitsOnDisk{habitsFormat, h})
}
