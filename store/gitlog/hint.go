package gitlog

import (
	"time"

	"github.com/go-json-experiment/json"

	"vespe/store/git"
	"vespe/store/layout"
)

// HintFile notes how far recording has come.
const HintFile = "cache/git.json"

// hint is cache/git.json: how far recording has come. In the mode "ref" it only saves
// time: the reference itself says. In the mode "branch" it says what is on no branch that
// is checked out now; an entry that it names must be one of this log.
type hint struct {
	Mode string    `json:"mode"`
	Seq  uint64    `json:"seq"`
	Head string    `json:"head,omitzero"` // of that entry
	OID  git.OID   `json:"commit,omitzero"`
	Tree int       `json:"tree,omitzero"` // bytes of the largest directory
	At   time.Time `json:"at,omitzero"`
	// Commits of the mode "branch" that are under way: the lock of the index that is ours,
	// the commit that HEAD had, and the one it has when that lock is to become the index.
	Lock []string `json:"lock,omitzero"`
	From git.OID  `json:"from,omitzero"`
	Next git.OID  `json:"next,omitzero"`
	// Others that were to follow From: the git that was to move the branch there may do so
	// after the process that started it has died.
	Past []git.OID `json:"past,omitzero"`
}

func (s *Recorder) readHint(mode string) hint {
	var h hint
	b, err := s.Disk.FS.ReadFile(HintFile, layout.MaxJSON)
	if err != nil || json.Unmarshal(b, &h) != nil || h.Mode != mode || (h.Seq == 0) != (h.Head == "") {
		return hint{Mode: mode, Lock: h.Lock, From: h.From, Next: h.Next, Past: h.Past}
	}
	return h
}

// writeHint is not durable, and need not be.
func (s *Recorder) writeHint(h hint) error {
	b, err := json.Marshal(h)
	if err != nil {
		return err
	}
	tmp := s.Disk.TempName("git")
	if err := s.Disk.WriteFile(tmp, append(b, '\n'), false); err != nil {
		return err
	}
	return s.Disk.FS.Rename(tmp, HintFile)
}

// wait: it is too early to write a tree as large as the last one again.
func (h hint) wait(last uint64, now time.Time) bool {
	pause := time.Duration(h.Tree/pauseTree) * pauseEach
	since := now.Sub(h.At)
	return h.Seq > 0 && last > h.Seq && last-h.Seq < pauseMost && since >= 0 && since < pause
}
