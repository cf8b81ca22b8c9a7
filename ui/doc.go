// Package ui is the workbench: the Bubble Tea program in which a person reads tasks and decides on them. It imports
// neither the store nor os nor os/exec. deps.go declares what it needs from outside, as interfaces.
//
// # A keypress
//
// A key arrives in App.Update as a tea.KeyPressMsg and goes through these steps:
//
//  1. The keymap resolves it to an action, in the scope of the dialog on top, or in the scopes from the
//     focused pane outwards. An incomplete chord shows its possible next keys.
//  2. The dialog on top does the action. Without one the workbench does it (actions.go): it changes the App and can
//     return commands.
//  3. A key that is bound to nothing is text, where a dialog takes text.
//
// Nothing below the root has keys of its own. Footer, help and palette come from the same table, so they can't
// contradict the keys.
//
// # Dialogs
//
// A dialog lies over the panes: a question, a list, a text that is typed, a page. It is a value that owns its state
// (ui/dialog). The App has a dialog.Stack of them and knows no more of one than dialog.Dialog. It asks the one on top
// what an action is there (Can), to draw the footer and the help, lets it do the action (Do), and gives it what came
// of keys, text and the mouse (On). All of them hear what changes beside them: another snapshot, drafts that were
// read, a plan that was replaced under the reader (Heard). The dialogs of verdicts are verdict.Dialog.
//
// # Parts
//
// The App hands each message to the part of the workbench that it is about. All parts share the core (core.go): what is
// on the screen, and how things are said, asked and named there. Each knows those above it in this list, and none below:
//
//	commenter   comments, drafts, and the differences that they stand beside (comments.go, difference.go)
//	navigator   the cursor, the views, the right pane (nav.go, panes.go, right.go)
//	loader      the store's snapshot, and what is new in it (follow.go)
//	taskEditor  names, dependencies, steps, documents, subtasks (create.go, edit.go, decompose.go)
//	decider     verdicts, and what the store answers (decide.go, verdicts.go, jobs.go)
//	frame       header, footer and panes as they are drawn, and what lies under the mouse (view.go, footer.go, mouse.go)
//
// The keys, the table of actions, the palette and the help are the App's. What needs little of the rest is a package
// that declares what it gets (host.go), such as requests (ui/request), drafts (ui/drafts), filter and search (ui/find).
//
// # A decision
//
// An action never writes. It makes a proposal: operations that lifecycle.Apply previews on the snapshot, with the
// hashes of the bytes on screen. A dialog shows the consequences (ui/verdict), and decide.go handles the choice. A
// dialog takes its answer only after a moment without a key (ui/dialog). Then the operation is a job (jobs.go): the
// store applies it in a command, and answers with a snapshot or a refusal. A refusal stays on screen until it is
// read. So the accepted bytes are the bytes on screen.
//
// # Reviews
//
// A plan is reviewed in its own tab, because comments belong under their lines. The cursor of the rendered text stops
// at every source line (ui/markdown), and ui/detail puts comments and drafts between the rows. A comment is anchored
// to the bytes on screen by a quotation. A difference has the same cursor. A comment on deleted lines is anchored to
// the nearest remaining line, and quotes the deleted ones (ui/discussion). Finished work is reviewed like a plan: its
// patch is a difference (workreview.go).
//
// A difference starts at the revision that this actor decided on last (revisions.go). A change without a comment on
// either side is marked, there and in the plan's gutter (ui/discussion).
//
// A request is decided on in the right pane, which shows what the item under the inbox's cursor asks for, or in a
// dialog with its own scope (ui/request). The answer carries the hash of the request on screen.
//
// # Changes of the store
//
// A command waits in the store until something changes, at most pollEvery, and the panes get the new snapshot. They
// find cursor, folds and selection by uid. Every answer carries the generation of its question, and older answers are
// dropped. A poll without news keeps the last frame, so an idle workbench costs almost nothing.
//
// # Views
//
// The workbench has five views, some with several layouts. Each is a value (view.View): rows that are found again by
// uid and drawn only where visible, and what it does with them. It needs a Scope and an action in keymap, a package
// below ui, a constant in ui/panes, and a row of leftViews (views.go). Its rows embed rows.Pane and rows.Search, and
// their tests begin with viewtest.Goldens and viewtest.Frames. Help, title, mouse and the tests of all views follow.
//
// # Where to start reading
//
// Start with app.go (the App and Update), actions.go (what each action does), decide.go (decisions), and views.go (the
// table of views). msgs.go and cmds.go list every message and command. ui/screen divides the screen, and view.go draws it.
package ui
