package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/gitmerge"
)

// TestTextMergeThatIsClean: git without vespe's driver merges by lines, here into a spec.json with a key written twice.
// `vespe store merge --continue` merges it anew, beside the conflicts that git names.
func TestTextMergeThatIsClean(t *testing.T) { textMerge(t, "rebase") }

func textMerge(t *testing.T, ways ...string) {
	t.Helper()
	for _, how := range ways {
		t.Run(how, func(t *testing.T) {
			tm := newTeam(t, 7, 2, 1)
			uid := tm.tasks[0]
			tm.git(tm.clones[1].dir, "config", "--unset", "merge.vespe.driver")
			set := func(c *clone, sets ...model.Assignment) {
				tm.in(c, func(s *Store) {
					do(t, s, model.Op{UID: uid, Actor: ann, Name: model.SetFields, Args: model.FieldEdit{Set: sets}})
				})
				tm.commit(c, "set")
			}
			add := func(key, value string) model.Assignment { return model.Assignment{Key: key, Value: value, Mode: '+'} }
			set(tm.clones[0], add("files_to_modify", "h"))
			tm.bring(tm.clones[1], tm.clones[0], "merge")
			set(tm.clones[0], model.Assignment{Key: "files_to_modify", Value: "h", Mode: '-'}, add("test_files", "h"))
			set(tm.clones[1], add("test_files", "g"))
			tm.bring(tm.clones[1], tm.clones[0], how)
			for _, c := range tm.clones {
				if how == "cherry-pick" && c == tm.clones[0] {
					continue
				}
				tm.finish(c)
			}
			tm.in(tm.clones[1], func(s *Store) {
				got := task(t, load(t, s), uid)
				if files := got.Spec.TestFiles; len(got.Problems) > 0 || !slices.Equal(files, []string{"g", "h"}) || len(got.Spec.FilesToModify) > 0 {
					t.Errorf("%+v, test files %q, files to modify %q", got.Problems, files, got.Spec.FilesToModify)
				}
			})
			tm.everyone()
			tm.check()
		})
	}
}

// Conflicts that somebody commits as git left them are merged like any others, here and in clones that get them.
func TestConflictsThatWereCommitted(t *testing.T) {
	tm := newTeam(t, 7, 3, 1)
	uid := tm.tasks[0]
	one, two, late := tm.clones[0], tm.clones[1], tm.clones[2]
	for c, sets := range map[*clone][]model.Assignment{
		one: {{Key: "priority", Value: "high", Mode: '='}, {Key: "labels", Value: "x", Mode: '+'}}, two: {{Key: "priority", Value: "low", Mode: '='}, {Key: "labels", Value: "y", Mode: '+'}},
	} {
		tm.in(c, func(s *Store) {
			do(t, s, model.Op{UID: uid, Actor: ann, Name: model.SetFields, Args: model.FieldEdit{Set: sets}})
		})
		tm.commit(c, "set")
	}
	tm.fetch(one, two)
	if out, err := tryGit(one.dir, "merge", "-q", "--no-edit", "FETCH_HEAD"); err == nil || !strings.Contains(out, "CONFLICT") {
		t.Fatalf("%v: %s", err, out)
	}
	tm.git(one.dir, "commit", "-qam", "with the markers")
	tm.bring(late, one, "merge")
	for _, c := range []*clone{one, late} {
		tm.in(c, func(s *Store) {
			if got := task(t, load(t, s), uid); len(got.Problems) == 0 {
				t.Fatal("no conflict is in its files")
			}
			if m := mustGet(s.ContinueMerge(t.Context()))(t); len(m.Resolved) == 0 || len(m.Left) > 0 {
				t.Errorf("%+v", m)
			}
			got := task(t, load(t, s), uid)
			if p := got.Spec.Priority; len(got.Problems) > 0 || p != "high" && p != "low" || !slices.Equal(slices.Sorted(slices.Values(got.Spec.Labels)), []string{"x", "y"}) {
				t.Errorf("%+v, priority %q, labels %q", got.Problems, got.Spec.Priority, got.Spec.Labels)
			}
			healthy(t, s)
		})
		tm.commit(c, "merged")
	}
	tm.everyone()
}

// TestContinueMergeRunsNoProgramOfTheRepository: a repository's filters run where git adds a file, and it may name any
// program. Where nobody trusts it git isn't even asked.
func TestContinueMergeRunsNoProgramOfTheRepository(t *testing.T) {
	tm := newTeam(t, 3, 2, 1)
	first, second := tm.clones[0], tm.clones[1]
	for i, c := range tm.clones {
		tm.in(c, func(s *Store) {
			set := []model.Assignment{{Key: "labels", Value: fmt.Sprint("l", i), Mode: '+'}}
			do(t, s, model.Op{UID: tm.tasks[0], Actor: ann, Name: model.SetFields, Args: model.FieldEdit{Set: set}})
		})
		tm.commit(c, "label")
	}
	tm.fetch(first, second)
	if out, err := tryGit(first.dir, "merge", "-q", "FETCH_HEAD"); err == nil {
		t.Fatal(out)
	}
	ran := filepath.Join(t.TempDir(), "ran")
	tm.git(first.dir, "config", "filter.x.clean", "touch "+ran+"; cat")
	tm.git(first.dir, "config", "filter.x.process", "touch "+ran)
	must(t, os.WriteFile(filepath.Join(first.dir, ".git/info/attributes"), []byte("* filter=x\n"), 0o644))
	o := tm.options(first.seed)
	o.Trusted = false
	s := open(t, first.dir, o)
	var refused *model.Refusal
	if m, err := s.ContinueMerge(t.Context()); !errors.As(err, &refused) || refused.Guard != failure.GuardTrust {
		t.Errorf("without trust: %+v, %v", m, err)
	}
	if err := s.InGit().SetDriver(t.Context(), "/vespe"); !errors.As(err, &refused) || refused.Guard != failure.GuardTrust {
		t.Errorf("without trust: %v", err)
	}
	s.Close()
	tm.in(first, func(s *Store) {
		if m, err := s.ContinueMerge(t.Context()); err != nil || len(m.Resolved) == 0 {
			t.Errorf("%+v, %v", m, err)
		}
	})
	if _, err := os.Stat(ran); err == nil {
		t.Error("vespe ran a filter of the repository")
	}
	if left := tm.git(first.dir, "ls-files", "--unmerged"); left != "" {
		t.Error(left)
	}
}

// TestDriveWritesWhatGitMade: agents may run the merge driver, too. It writes the file that git made for it, and
// neither another one nor what a link in its place leads to.
func TestDriveWritesWhatGitMade(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, os.Mkdir("sub", 0o755))
	const target = ".vespe/tasks/a/spec.json"
	write := func(name, body string) {
		must(t, os.WriteFile(name, []byte(body), 0o644))
	}
	names := []string{".merge_file_a", ".merge_file_b", ".merge_file_c", target}
	for i, other := range []string{"base", "config.toml", "sub/.merge_file_b"} {
		write(other, "mine")
		args := slices.Clone(names)
		args[i] = other
		for _, name := range names[:3] {
			write(name, `{"priority":"low"}`)
		}
		if err := gitmerge.Drive(t.Context(), os.Environ(), args); err == nil || read(t, other) != "mine" {
			t.Errorf("%v: %v, %q", args, err, read(t, other))
		}
	}
	for _, link := range []func(old, new string) error{os.Symlink, os.Link} {
		os.Remove(names[1])
		write("config.toml", `{"priority":"low"}`)
		must(t, link("config.toml", names[1]))
		write(names[2], `{"priority":"high"}`)
		if err := gitmerge.Drive(t.Context(), os.Environ(), names); err != nil || read(t, "config.toml") != `{"priority":"low"}` || read(t, names[1]) == read(t, "config.toml") {
			t.Errorf("%v: %s", err, read(t, "config.toml"))
		}
	}
}
