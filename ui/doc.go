// Package ui is the workbench: the Bubble Tea program in which a person looks at tasks and
// decides about them.
//
// # How a keypress travels
//
// The terminal's key arrives in App.Update as a tea.KeyPressMsg and goes, in this order:
//
//  1. to the overlay on top, when one is open. A component is no tea.Model: it changes its
//     own state and answers with an outcome (moved, chosen, cancelled), which the root
//     acts on;
//  2. through the keymap, which resolves keys in the scopes from the focused pane outwards
//     to an action (a chord that is not complete shows how it may go on);
//  3. to the action's handler (actions.go), which changes the App and may return commands.
//
// Nothing below the root knows about keys of its own, so that the footer, the help and the
// palette, which are made from the same table, cannot say anything else than what happens.
//
// # How a transition travels
//
// A handler never writes. It makes a proposal: the operations, previewed by model.Apply on
// the snapshot with the bytes that are on screen (propose.go). The person sees one line of
// what will happen and says yes, types a reason, or leaves (transitions.go). Accepting has
// a sheet of its own with the hashes of the bytes on screen, and those hashes travel with
// the operation: what was seen is what is accepted (review.go). A question takes its answer
// only after a moment without a key (quiet.go). Then the operation is a job
// (jobs.go): marked as pending, applied by the store in a command, and answered by a
// snapshot or by a refusal, which stays on screen until it is read.
//
// # How a plan is reviewed
//
// The review is the plan tab itself, not a tab of its own: comments
// belong under the lines that they mean, and whoever had to leave the text to read them
// would lose the place. The objective is commented on in the same way.
//
// The rendered text has a cursor that stops at every source line (ui/markdown), and the
// detail sets comments and drafts between its rows (ui/detail, comments.go). A comment is
// anchored to the bytes on screen with their quotation. While it is typed it is a
// model.Draft of the App (drafts.go): shown in its place, and written by the Drafts that main
// gives, one writing at a time and at most one every keepAfter. A verdict takes the drafts of
// its task along (propose.go), and only what the store has taken is forgotten. Every other text of
// several lines is kept the same way, under an id that is always the same for the same purpose
// (wordsKey in compose.go): reasons, notes, answers to comments and requests, changed arguments.
// Nothing of these is written before it is known what lies there already.
//
// What a person says to a comment that has its answer opens it again (reopen_comment with the words
// as its reason), so that the agent has to answer once more. After a verdict the right pane keeps its
// task as long as it has the focus: the inbox holds its row, which says that it does not wait any more, until
// the cursor leaves it (ui/inbox, hold.go). The next key would else decide on another plan.
//
// How much of a text has been read is counted in lines that were on screen, not by how far down
// somebody has been: who jumps to the end has not read it (ui/markdown/seen.go). It is forgotten with the
// program, and the sheet says since when it counts. It stands above
// the text, beside each heading in its contents, and in the sheet for its acceptance. The contents
// stand beside the text where the pane leaves room for them.
//
// The difference compares with the revision that this actor decided on last, as the task's
// history says (revisions.go). Comments stand on the side of the text that they were made
// on, with the answers that later reviews hold; a change is labelled as unasked when no
// comment touches its lines on either side (plandiff.go). It has a cursor, so that what can be said
// on the text can be said there (talkdiff.go): a comment is anchored to the lines of the later
// revision. One on lines that are gone is anchored to the nearest line with words that is left,
// first above them, and begins with them as a quotation: the plan that it is about has them no
// more. A range that has lines of both is about those of the later one. The sheet (review.go,
// verdictsheet.go) previews the acceptance on the snapshot and says what becomes of the
// tasks that it reaches.
//
// What was said with the last verdict stands above the plan in one line, whole in the overview
// (model.LastSaid): whoever sent a plan back compares the next revision with it.
//
// The gutter of the plan marks what changed since the last revision that this actor decided on:
// + added, ~ changed, - where something is gone, and ! beside what no comment asked for. The
// comparison is made behind the first frame (changed.go). Where there is no such revision nothing
// is marked, and the key says so.
//
// Tabs keep the keys ] and [, so comments are gone through with ) and (, headings with } and
// {, and changes with J and K, in the plan as in a difference; there n and N, and ] and [, do
// the same.
//
// # How a task and those below it are reviewed at once
//
// A changeset is one page over the right pane: the objective and the plan of a task, and of every
// one below it whose plan waits for a verdict, each under a head; of the others a line that says
// why they are not part of it. The page is a stack of documents (ui/markdown: Stack) of which only
// those near the window are parsed. Each task in it is a detail.Detail of its own, so that
// comments, drafts and ranges of lines are those of its tabs, and what is typed goes to the task
// whose text the cursor is in (detail.Changeset, changeset.go).
//
// The page knows which rows of each objective and plan have been in the window with nothing over
// them. A plan of more than low risk is accepted with others only when all of both has; a risk that
// nobody named counts as medium. Other bytes of a text are unread again.
//
// The verdict is one sheet with the bytes and the terms of every plan and what all of them together
// set off (changesetsheet.go). One transaction accepts all, parents first, or none: each operation binds
// to the bytes on the page. A guard that refuses one of them voids the sheet; nothing is left out
// but what the person leaves out, which the acceptance of its parent then excludes. Sections are
// left out in the same list (parts.go). A rejection, a question and a deferral go to all of them
// with one text.
//
// # How a plan is broken down
//
// A command reads the plan and what there is of its tasks (Plans); the page (breakpage.go) changes that proposal and
// nothing else, and the sheet is the preview of the one operation that makes the subtasks. Their plans are then decided on
// as any others, one by one or as a changeset.
//
// # How a run is watched
//
// A run is known by its run.json, and while it is under way by the log that its worker's guard appends to.
// Nothing pushes: the log on screen is asked for what is new a few times a second (runshown.go), those of
// other runs under way with each poll (runsview.go), and an answer without anything new keeps the last frame. Whole
// lines become events beside the keys; half a line waits for the rest of it. ui/runpane pairs calls with their results
// and draws the entries in view. The loop is asked how it stands, and told what to do, through an interface (loopview.go).
//
// Finished work is reviewed as a plan is: its patch is a difference with a cursor, comments are
// anchored to lines of the patch and go along with the verdict (workreview.go), and the sheet has what verification found.
//
// # How a task is split
//
// The page of a split shows the parts of one way side by side (splitpage.go); what is moved is moved in
// values of the page (splitparts.go), and each frame scores the parts anew. Each way keeps what was done to
// it. Nothing is proposed to the store before a sheet has said what will happen; the operation holds the parts
// as they are on the screen, and is refused when the task has other files or criteria by then.
//
// # How a request is answered
//
// A request is opened whole, in a dialog of its own scope. No key decides on it before it has
// been there for a moment of the clock, nor on one that came under the cursor by itself. The
// answer carries the hash of what was on screen; when what is asked is another by then, the
// store refuses and the difference is shown. Words and arguments that were typed are kept until
// the store has taken them.
//
// # How a card moves
//
// The board has no transitions of its own. A key or the mouse names a column, model.Snapshot.StepTo
// finds the transition that leads there by previews, and the action that fires it is run as its own
// key would run it, with the same question (boardview.go). Where there is none, the reason is that of
// the transition that would have led there.
//
// The board lies above the detail on any screen, since columns need the width (layout.go). So does the
// map, which on a low screen also takes rows of the detail.
//
// # How a change of the store reaches the screen
//
// A command waits in the store until something has changed, pollEvery at the longest. When
// the head moved, or a task was edited past vespe, the store reads what
// newer transactions name (Refresh; a whole Load is for the start and for ctrl+r, which
// also finds edits without a transaction) and the new snapshot is handed to the panes,
// which find their cursor, their folds and their selection again by uid. The files of the
// task under the cursor are read again behind what is on screen. Every answer carries the
// generation of its question; an older one is dropped.
//
// Between two events the workbench costs next to nothing: a poll whose answer changes
// nothing keeps the last frame, and the ages on screen grow once a minute.
//
// # How a view of the left is added
//
// A view is a package below ui that satisfies list (views.go): rows with a cursor, found again by uid in
// the next snapshot, and drawn only as far as they are in view. It embeds rows.Pane and rows.Search, and its
// tests begin with viewtest.Goldens and viewtest.Frames. The rest is a row each in two tables.
// keymap has its Scope (scope.go: places and views) and the action that shows it (table.go). views.go has
// its number, whose place is that of its name in the title, and its row of leftViews. panes (panes.go) has the
// field for it, as other keys than those of every list need it; they have handlers of their own
// (actions.go), which say where they work. A SetNow, if it has one, is called as time goes on. The keys of
// the views, the help, the title, the mouse and the tests of all views follow.
//
// # Files
//
//   - deps.go: what the workbench needs from outside, as interfaces
//   - app.go: the App, its start, and Update, which only dispatches; follow.go: loading and polling
//   - msgs.go, cmds.go: every message and every command
//   - layout.go: the rectangles of the screen, from size, ratio and zoom
//   - view.go, header.go, footer.go: the frame; loading.go: the panes before the first load
//   - idle.go: what is drawn ahead while the keyboard is still
//   - keys.go, mouse.go: input
//   - actions.go: action → handler, and why an action is disabled
//   - views.go: the table of the left views
//   - panes.go, right.go: the left views and the detail, and what they are given
//   - facts.go: the files of the task under the cursor
//   - items.go: problems, opened
//   - asked.go, askpage.go: a request, opened: how it follows the store, and how it is drawn;
//     askacts.go, askedit.go, args.go: what decides on it, and other arguments
//   - nav.go, find.go, complete.go, select.go: jumps and the way back; filter and search;
//     what tab makes of a filter; selection
//   - milestonesview.go: milestones made, edited, assigned, and read on the right
//   - lookview.go: pages with statistics and with the timeline of a task
//   - feedview.go: what happened in the whole store, read behind the screen once somebody looks at it
//   - rundeps.go: what the workbench needs of runs and of the loop, as interfaces
//   - runsview.go, runshown.go: every run, and the one on the right; loopview.go: the loop, and what is asked
//     of it; workreview.go: finished work, its patch and its evidence
//   - boardview.go: moving cards across the board, which fires the transition that leads there
//   - graph.go: moving along edges, and what the graph lights up and hides; mapview.go: the map, which
//     is around one task, and the way there and back
//   - texts.go: what was written about tasks, found in the index: `/` in a list asks it as somebody types
//   - compose.go: texts of several lines for transitions, kept until they are taken
//   - propose.go, transitions.go, review.go, reviewrows.go, verdictsheet.go, work.go,
//     jobs.go: transitions
//   - talkdiff.go: comments beside the lines of a difference
//   - parts.go: what an acceptance leaves out
//   - changeset.go, changesetread.go, changesetsheet.go: a task and those below it, reviewed at once
//   - split.go, splitpage.go, splitparts.go: a task split into parts; the dependencies that files suggest
//   - breakdown.go, breakpage.go: the tasks that a plan lists, to be made subtasks of
//   - comments.go, drafts.go: comments on lines, and what was typed and not sent
//   - revisions.go, plandiff.go: what revisions changed, and what was said about them; changed.go:
//     the same in the gutter of the plan
//   - verdicts.go: which verdict undo takes back, and whom an action is for
//   - create.go, edit.go: new tasks, dependencies, names; texts in the person's editor
//   - quiet.go: the moment without a key before a question takes an answer
//   - dialogs.go: the stack of overlays; ask.go, pagers.go, page.go: what is put on it
//   - notices.go, words.go: messages to the person, and their log; the words they use
//   - whereabouts.go: where the task on screen lies in the schedule, worked out beside the keys
//   - explain.go: why a task stands where it does, and what would come of it; linkpage.go: pages whose
//     rows lead to the tasks that they name
//   - legend.go: the signs of the screen, explained
//
// The package imports neither the store nor os nor os/exec.
package ui
