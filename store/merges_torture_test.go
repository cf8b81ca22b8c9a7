//go:build torture

package store

import (
	"fmt"
	"testing"

	"vespe/model"
)

// TestTortureClonesMerge is TestClonesMerge for 2,000 rounds: 40 teams of two and three, and then for 500 with more kinds
// of operations.
func TestTortureClonesMerge(t *testing.T) {
	for seed := range 50 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			tm := newTeam(t, uint64(seed)+100, 2+seed%2, 20)
			tm.wide = seed >= 40
			for range 5 {
				tm.rounds(10, 6)
				tm.everyone()
				tm.check()
			}
		})
	}
}

// TestTortureMergeWithoutTheDriver is TestClonesMergeWithoutTheDriver with every way to merge.
func TestTortureMergeWithoutTheDriver(t *testing.T) {
	mergeWithoutTheDriver(t, "merge", "rebase", "cherry-pick")
}

// TestTortureMergeParents and TestTortureMergeAnswers are TestClonesMergeParents and TestClonesMergeAnswers with every way
// to merge.
func TestTortureMergeParents(t *testing.T) { mergeParents(t, "merge", "rebase") }

func TestTortureMergeAnswers(t *testing.T) { mergeAnswers(t, "merge", "rebase") }

// TestTortureTextMergeThatIsClean is TestTextMergeThatIsClean with every way to merge.
func TestTortureTextMergeThatIsClean(t *testing.T) { textMerge(t, "merge", "rebase", "cherry-pick") }

// TestTortureClonesMergeComments is TestClonesMergeComments the other way round.
func TestTortureClonesMergeComments(t *testing.T) { mergeComments(t, 1) }

// TestTortureManyWriters is TestManyWritersMakeOneHistory in the other two ways.
func TestTortureManyWriters(t *testing.T) {
	manyWriters(t, model.GitRef, true)
	manyWriters(t, model.GitBranch, false)
}

// TestTortureADeadProcess is TestADeadProcessLeavesNoLock with the other deaths.
func TestTortureADeadProcess(t *testing.T) {
	dieAndRecord(t, []death{{unlocked: true}, {moved: true, unlocked: true}, {empty: true}})
}
