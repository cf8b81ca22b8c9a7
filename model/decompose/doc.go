// Package decompose proposes what a task could be decomposed into. A Proposal has two sources: the tasks that
// the text of a plan lists (Propose), and parts of the task's own files and criteria (Divide, as complexity divides them). What
// a person accepts is one operation (model.Decompose). The package is pure:
// whether a file exists is asked of a function of the caller, and nothing is written.
//
// # What is read of a plan
//
// The first of these forms that a plan has is taken, and the others are then words of it:
//
//	tasks block   fenced code with the info string `tasks`: YAML or JSON, a list of tasks or a mapping
//	              with one under `tasks`. It is strict: what is not understood is a problem with its line
//	phases        the orchestrator's plan: an object with `phases`, each with `name` and `tasks`, which have
//	              id, description, files and dependencies; the whole text, or fenced as json or yaml
//	headings      "## Task 2: …", "### T2 …", "Step 2: …"; or the headings below one that is called Tasks,
//	              Implementation steps or the like
//	checkboxes    "- [ ] …" outside of sections that say when all is done; and the numbers of a list below
//	              a heading that is called Tasks or the like
//
// A heading "Phase 2: …", "Milestone 2: …" (Stage, Sprint, Epic, Iteration, Part) with tasks below it is
// their milestone, and so is a numbered task with numbered tasks below it. Without tasks below any of them
// the phases are the tasks. What stands below a task's heading down to the next of its level is its section,
// headings and steps in it included. Fenced code, HTML comments and front matter hold no tasks.
//
// In a task's section a list called Acceptance criteria (Done when, Success criteria, Definition of done)
// gives its criteria. Where there is none its checkboxes are criteria; one that has checkboxes below it
// stands for those. In a list of checkboxes the nested ones are criteria of the one above, unless they
// have ids of their own ("1.2"): then they are the tasks, and the one above is their milestone.
// A task of which every box is ticked is done, and is not proposed to be made.
//
// # Files
//
// A section's list of files is what the task is about ("Files:", "Create:", "Modify:", "Test:"); without
// one, the paths in backquotes, and those with a directory and a known ending. What a file is for is said by the word before it; where none does, by
// whether an earlier task creates it or it exists: what is there is modified, what is not is created. (The
// orchestrator's own reader takes every path for a file to create, and finds no dependencies by that.)
// Files that are named like tests are test files.
//
// # Dependencies
//
// "Depends on: T1", "depends on task 1", "blocked by", "requires", "after task 1" and the like; "must pass
// before task 3", which makes task 3 wait; "T1 → T2 → T3"; and words outside the tasks by which each is to
// be finished before the next is begun. A phase that is named stands for its tasks. And a task that modifies
// a file which another creates waits for that one, unless that would close a cycle.
package decompose
