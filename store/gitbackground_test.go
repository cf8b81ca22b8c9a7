package store

import (
	"context"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/follow"
	"vespe/store/gitlog"
)

// The first commit of a store tells how far it is; those that follow have nothing to tell.
func TestAFirstCommitTellsHowFarItIs(t *testing.T) {
	for _, mode := range []string{model.GitRef, model.GitBranch} {
		t.Run(mode, func(t *testing.T) {
			s, _ := gitStore(t, model.GitOff, "sha1")
			for _, name := range []string{"one", "two", "three"} {
				create(t, s, name, "o\n")
			}
			type call struct{ done, total int }
			var calls []call
			s.git.Working = func(_ string, done, total int) { calls = append(calls, call{done, total}) }
			setMode(t, s, mode)
			create(t, s, "four", "o\n")
			if n := len(calls); n < 2 || calls[0] != (call{0, 4}) || calls[n-1] != (call{4, 4}) {
				t.Fatalf("it was told of %v", calls)
			}
			calls = nil
			create(t, s, "five", "o\n")
			if len(calls) > 0 {
				t.Errorf("the second commit told of %v", calls)
			}
		})
	}
}

// Where somebody sits in front of a store a transition does not wait for git, and git misses
// nothing.
func TestAFollowedStoreIsRecordedInTheBackground(t *testing.T) {
	s, env := gitStore(t, model.GitRef, "sha1")
	ctx, cancel := context.WithCancel(t.Context())
	s.Follow(ctx, follow.Options{LookOnly: true})
	if err := s.git.Turn.Take(t.Context()); err != nil { // git is slow
		t.Fatal(err)
	}
	uids := []model.UID{create(t, s, "one", "o\n"), create(t, s, "two", "o\n")}
	s.git.Turn.Give()
	if late := s.RecordGit(t.Context()); len(late) > 0 {
		t.Fatal(late)
	}
	treeIsLog(t, s, env, gitlog.Ref)
	for _, uid := range uids {
		if !strings.Contains(runGit(t, s.Root(), env, "ls-tree", "-r", "--name-only", gitlog.Ref), string(uid)) {
			t.Errorf("%s is not recorded", uid)
		}
	}
	cancel()
	s.background.Wait()
}

// What goes wrong beside is told with a later transaction, once.
func TestTroubleInTheBackgroundIsToldLater(t *testing.T) {
	s := initIn(t, fastDir(t), gitOptions(gitEnv(t))) // in no repository
	setMode(t, s, model.GitRef)
	ctx, cancel := context.WithCancel(t.Context())
	s.Follow(ctx, follow.Options{LookOnly: true})
	made := func(name string) snapshot.Applied {
		t.Helper()
		a := mustGet(s.Do(t.Context(), model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: name}}))(t)
		return a
	}
	told := made("one").Warnings // where git was fast
	cancel()
	s.background.Wait()
	told = append(told, made("two").Warnings...)
	if len(told) != 1 || !strings.Contains(told[0], "git") {
		t.Errorf("it was told %q", told)
	}
	s.background.Wait()
	if late := s.RecordGit(t.Context()); len(late) > 0 {
		t.Errorf("it was told again: %q", late)
	}
}
