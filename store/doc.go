// Package store keeps the tasks of one repository in plain files under .vespe and is the
// only package that touches them.
//
// # What is promised
//
//   - When Do or DoAll returns without an error, the transaction survives a killed
//     process and a power cut. Before that point nothing has happened. In between the
//     error has CodeNotDurable: the transaction is there for everyone, the disk has not
//     confirmed it (or a task's directory refuses to take it), and repeating it with the same ids applies it no second time.
//   - A transaction of any number of tasks and files is there as a whole or not at all,
//     for every reader, also for one that reads while it is written.
//   - Writers of any number of processes are ordered by the log; nobody's update is lost.
//   - What somebody else wrote into a task's or a request's file is never lost: it is taken
//     over, or kept beside as <file>.theirs-<seq> and reported. Another form of what vespe knows
//     (other spaces, keys in another order), and what a result's file held before a transition
//     wrote it, is in the log until that is compacted.
//   - Only regular files with one name are read, no symbolic link is followed anywhere
//     below .vespe, and sizes are capped. Whatever is wrong with one file is a
//     model.Problem; everything else still loads.
//
// # How a transaction is written
//
// The truth is log/: one immutable file a transaction, numbered without gaps, each naming
// the hash of the one before. The tasks' files are its projection.
//
//  1. Take lock (flock, never unlinked; the descriptor must still be the file of that
//     name); who comes while others wait stands behind them. All that is for fairness: step 6
//     alone decides who is next.
//  2. Finish the projection of the last entry, if whoever committed it did not.
//  3. Bring the snapshot to the last entry: the tasks that newer entries name are read
//     again. Answer from the log when the operation's id is there already.
//  4. Read the subjects' files, apply the operations (model.Apply), read the files of
//     every task that they change: if someone edited one meanwhile, start again from what
//     it says now.
//  5. Write bodies that do not fit into the entry to objects/, durably. Write the entry to
//     tmp/, fsync.
//  6. Look whether entry n still is the one that it was computed from: log/ may have been
//     taken away or set back, then everything is read anew. Commit: link it to
//     log/<n+1>.json, which fails if the number is taken; then from step 2 again.
//  7. fsync log/. Acknowledged from here on. An fsync that fails is never repeated: the
//     kernel has forgotten by then what it could not write. Then nothing is noted as durable, and
//     the next process writes the entry again before it asks (syncEntry).
//  8. Project: content, then what describes it, then events, status.json last; each to
//     tmp/, fsync, rename. A target is looked at just before it is replaced, drafts
//     (objective.md, plan.md) are exchanged and looked at after it too. New tasks are
//     built in tmp/ and moved into place as whole directories. Then fsync the directories.
//     Many files are synced together, before and after their renames (syncfs).
//  9. Note in cache/projected that it is done and durable, unlock.
//
// A failure after step 7 is a warning, not an error: the next to come does step 2.
//
// # What recovery does
//
// Only the last entry can be unfinished: the next is not committed before it is projected
// and durable. If cache/projected says that it is, then whatever differs now is a later
// edit by someone else, and stays. The hint is written after what it speaks of is durable;
// without it, or with one of another log, hashes decide, for each file of the entry. The
// after-image is there: done. What was there before is there: it is written. Anything else
// is there: it is kept beside, and the file is written. An entry that cannot be read is a
// problem, and nothing is appended after it until it is mended (Fix).
//
// What a killed process has done is there for all others, and not durable. Nothing is built on
// it: recovery syncs log/ before it writes a file of the entry, and afterwards every directory
// above those files, whoever made it; a writer syncs .vespe and objects/ for the names that it
// found there as for its own.
//
// Readers take no lock. Load finishes an unfinished projection only when nobody holds the
// lock, and otherwise reads the files through the after-images in the log; tasks named by
// entries that appear meanwhile are read again, until there are none. Documents, results and
// events are read through them too (view).
//
// Where a task's directory refuses to be written, everything else is projected, and an empty
// file in log/owed says which entry is owed to which task. That transaction ends with
// CodeNotDurable, the others go on, readers take the task's files from the entry, and whoever
// comes once the directory can be written writes them. Of a task whose directory was aside just then the
// name of the file there ends in .away, and who writes next writes what its history lacks.
//
// # What is written past vespe
//
// Editors, agents and git write the tasks' files too. What the log knows of a task is in the
// snapshot, by way of the checkpoint and the entries since; a sweep stats the files of
// tasks, their approvals among them, and reads those that look other than when they were last known (marks). A task that
// says something else than the log is shown as its files say, except verdicts in them
// (model.Believed), and is kept in mind as it was. The next transaction that changes it, or
// ImportEdits, puts an external_edit before everything else: documents become revisions, the
// edited bytes are in the entry, those of a status.json in persistent/edits/ as well, and the
// next status.json is written from what is believed. Until then a checkpoint holds the task
// as it was, so that no process takes the edit for what the log knows. That is why every
// process that wrote to a small store leaves a checkpoint.
//
// A whole directory may come or go as well. One that went leaves the snapshot, and an entry says
// so and keeps the task's own files as they were last known; until there is one, checkpoints keep
// the task as it was. One that came is shown at once, and believed against what was last known of
// it before it went, however long ago: nothing, where the log never knew it, and then no verdict in
// it counts. The entry that takes it over holds all of its own files, and these stay as they came
// where all of it is believed. What is known of tasks that are away is in the index of the log's
// operations (opIndex), in checkpoints and in the base, and takes nothing where there are none.
//
// Without a checkpoint of its own (the first process after a clone, or after somebody removed
// it) files are believed as they are, but for a status.json that the log has written: it is compared with
// what was last written there, and is an edit where it differs. Before such a process writes a checkpoint it looks in the heads of all
// entries for tasks that went unseen.
//
// Follow watches log/ and the tasks' directories and calls the sweep; its watches are hints,
// and everything is gone through piece by piece besides. On Linux it asks inotify itself and
// knows directories by numbers: their paths would be most of what a program remembers of a
// large store. A load that compares all files first has everything watched, so that nothing
// has to be compared again for what happened in between. What is on somebody's screen (Watch) is
// watched before all else, and looked at more often where the system has no watch left for it.
//
// # What runs leave
//
// run.json is of transactions. The other files in persistent/runs/RUN are written by whoever runs the
// worker, without the lock and past the log (WriteRunFile, AppendRunFile), so that others can follow
// them; nothing is decided by them.
//
// reflections/ gets a file with a line for each run that is over and each verdict, of the entry, after it is projected
// and before cache/projected says so: what is left out by a crash is what the next writer finds unfinished. The
// name is made of what the file says, so that it is written once.
//
// # What git gets
//
// Where git.mode asks for it and the store is trusted, every entry of the log becomes a
// commit, once the transaction is durable and the lock is given back. Commits are made from
// the after-images in the log, never from the worktree, and the last one says at which
// entry to go on; so whatever keeps git from recording costs nothing but time, and is a
// warning. In a store that is followed they are made beside the transaction.
//
// # Checkpoints
//
// log/snap-<seq>.ck is the snapshot as of an entry (model.Snapshot.Pack), the operations
// up to it, the tasks that were away, and what the log wrote to the reviews of plans. It is a cache: unsynced, found damaged by its checksums, bound by device and
// inode to the files it was made of, so that one that was copied is not used, and removed
// without loss. Warm takes it and the entries since. Whether a task's directory came or went
// is told by the mtime of tasks/; cache/projected keeps the mtime that the log itself has
// brought about, so that new tasks do not make the next reader list them all. Close writes
// a checkpoint when more than 128 entries followed the last, a process that lives on at
// twice that, beside its work and without the lock; in a store of fewer than 500 tasks Close
// always does, if the process wrote. Its own large file is mapped, never one
// of another user: who cuts a mapped file off in place ends the process that reads it. A map
// is for good, since texts in it are in use wherever a task was shown, so a process maps what it
// finds when it begins and reads what it writes later, when a good part of all tasks has changed.
//
// # Compaction
//
// GC writes log/base.ck, which stands for the entries up to its own: the hash that the next
// one must name, the operations, the hash of each file, and the tasks that were away. It is durable under its name
// before the first of them is removed, oldest first. Hence: who finds that an entry is not
// there looks at the base; entries up to it that a power cut brought back are no entries;
// where the next number looks free only because it was removed, so was the one before, which
// is how a writer without a working lock notices. At least a hundred entries stay.
//
// # Looking back
//
// At is the fold of the log's entries up to the last one that is not younger than the time:
// the files that they left, read as a load reads files. Clocks go back, so that is the last
// such entry, and what lies before it counts whatever its time. GC keeps the files as the base's
// entry left them (log/past-<seq>.ck), so that the fold begins there. What no entry wrote until
// then, which in a clone is most, is what the first later one replaced (and kept), else as the files are
// now. A task whose bytes are nowhere is pieced together from its events and revisions, and said
// to be.
//
// # Files
//
//	fs.go          the interface for all access to files, and what may be read
//	fs_unix.go     the real one; fs_dir_unix.go reading, fs_linux.go and fs_other.go the systems
//	paths.go       names, size caps, what a transaction may write and in which order
//	open.go        Find, Open, Store; options.go: Options; ids.go: new ids; init.go: Init
//	identity.go    whose approvals are
//	load.go        Load: the whole store side by side; task.go: one task, its problems
//	chase.go       keeping a reading in step with the log; Refresh
//	view.go        files as they are once the last entry is projected
//	fresh.go       Freshen: a few tasks read again; partial.go: a load under way
//	warm.go        Warm: the store from a checkpoint; checkpoint.go: writing and finding one
//	opindex.go     which entry holds an operation; opkind.go: which one it was; sections.go: files with checksums
//	taskcache.go   tasks kept in the person's cache directory, for stores without a checkpoint
//	mapped.go      the few files that are mapped
//	marks.go       how files looked when they were last known; sweep.go: comparing that
//	edits.go       what was written past vespe; given.go: what that is believed against
//	moved.go       tasks that came and went; absent.go: what is known of those that are away
//	firstlook.go   verdicts, where there is no checkpoint; import.go: taking it over
//	stale.go       files that a late writer set back; setback.go: a log that is another
//	goneaway.go    a store that was moved or deleted
//	follow.go      keeping up with what others write; follow_watch.go: what is watched, and
//	               roster.go, its numbers; watch.go, watch_linux.go, watch_other.go: the system's watches
//	merges.go      what git left unmerged in tasks; mergegit.go: in git's index, and git's merge driver;
//	               mergecomments.go: comments on a plan that does not stand
//	milestones.go  milestones.json, which is believed as it is
//	policy.go      config.json and guidelines.txt, for who wants no task
//	guidance.go    guidelines and rules as somebody accepted them; what failed in runs
//	priority.go    rules/priority.yml, in each transaction; prioritize.go: over all tasks; scores.go: what was scored
//	queue.go       requests: what the log knows of them, and what their files say
//	await.go       waiting for the next entry of the log
//	gc.go          GC: compacting the log; base.go: what stands for entries that went
//	log.go         entries: form, checks, finding the last
//	do.go          Do, DoAll: the order of the steps, repeated ids
//	change.go      operations merged to one change; images.go: the files that it writes
//	lock.go        the lock, and the queue for it
//	commit.go      giving an entry its number
//	owed.go        tasks that refuse to be written; away.go: that were not there just then
//	project.go     writing the files of an entry; newdir.go: those of a new task, aside and then whole;
//	               place.go: one over what may be somebody's; recover.go: finishing that
//	plans.go       the tasks that plans list
//	content.go     documents and revisions; results.go, history.go, feed.go
//	runs.go        runs of workers and their files; reflect.go: a line for each run and verdict
//	journal.go     what happened to all tasks, kept up to date and written down
//	outdated.go    what check would say of all tasks
//	journal.go     what happened to all tasks, kept up to date
//	outdated.go    what check would say of all tasks; staleresults.go: of results, while following
//	resulthashes.go  hashes of result files that were not touched since
//	at.go          the store as it was; fold.go: from the log; keep.go: what gc leaves of it;
//	               piece.go: from events, where the log has gone
//	world.go       what transitions are computed in
//	gitrepo.go     trust, what HEAD has; store/git runs git
//	gitrecord.go   after a transaction: the log as commits; gitmessage.go: what they say
//	gitref.go      on a reference of their own; gitbranch.go: on the branch
//	approved.go    what a verdict binds to, and what became of it since
//	today.go       accepted tasks whose documents are others now, for showing
//	doctor.go      everything that is wrong, changing nothing
//	strangers.go   what lies where only vespe writes, and it did not write
//	reviewfile.go  what was said about a plan, as vespe wrote it, and what only a file says;
//	               reviewindex.go: which entry that is in
//	tampered.go    approvals and reviews that are not what was given; verifyapproved.go: what they are held against
//	verify.go      the log and all that follows from it; audit.go: while others write; fix.go: repairs that need no judgement,
//	               mend.go: of the end of the log
//	leftovers.go   names in tmp/, and what interrupted writers left there
//	copies.go      what is kept beside a file that was replaced
//	errors.go      Failure; turn.go: waiting no longer than a context
package store
