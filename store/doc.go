// Package store keeps the tasks of one repository in plain files under .vespe, and is the only
// package that touches them.
//
// The log is the truth. Each transaction is one immutable, numbered entry in log/ with the hash of
// the entry before. The tasks' files are its projection. Three ideas follow: linking an entry to
// its number is the commit; readers need no lock; and a file that differs from the log is an edit
// by someone else.
//
// # Promises
//
//   - When Do or DoAll returns without an error, the transaction survives a killed process and a
//     power cut. CodeNotDurable means that every process sees it, but the disk hasn't confirmed it,
//     or a task's directory refuses it. Repeating it with the same ids doesn't apply it again.
//     Before the commit, nothing has happened.
//   - A transaction of any number of tasks and files is there in whole or not at all, for every
//     reader, also during the write.
//   - The log orders the writers of all processes, and no update is lost.
//   - Other writers' bytes in a task's or request's file are never lost. vespe records them, or
//     keeps them beside as <file>.theirs-<seq> and reports them. Two kinds are only in the log:
//     other forms of known content (other spaces, another order of keys), and a result's file from
//     before a transition wrote it.
//   - vespe reads only regular files with one name, follows no symbolic link below .vespe, and caps
//     sizes. A bad file is a model.Problem, and everything else still loads.
//
// # Writing a transaction
//
//  1. Take the lock (flock, never unlinked; the descriptor must still be the file of that name), in
//     a queue. It only gives fairness: step 6 decides the order.
//  2. Finish the projection of the last entry, if its writer didn't.
//  3. Update the snapshot to the last entry: read the tasks of newer entries again. If the
//     operation's id is already there, answer from the log.
//  4. Read the subjects' files, apply the operations (lifecycle.Apply), and read the files of all
//     changed tasks. If someone edited one meanwhile, start again from its new content.
//  5. Write large bodies to objects/, durably. Write the entry to tmp/ and fsync it.
//  6. Check that entry n is still the basis. If log/ was removed or set back, read everything
//     again. Commit: link the entry to log/<n+1>.json. The link fails if the number is taken; then
//     continue at step 2.
//  7. Fsync log/. From here on the transaction is acknowledged. A failed fsync is never repeated,
//     because the kernel has forgotten what it couldn't write. Then nothing is marked as durable,
//     and the next process writes the entry again first (syncEntry).
//  8. Project: content, then its descriptions, then events, and status.json last. Each goes to
//     tmp/, fsync, rename. A target is checked just before it is replaced. Drafts (objective.md,
//     plan.md) are exchanged, and checked again after it. New tasks are built in tmp/ and moved as
//     whole directories. Then fsync the directories. Many files are synced together, before and
//     after their renames (syncfs).
//  9. Record in cache/projected that the projection is durable, and unlock.
//
// A failure after step 7 is a warning, not an error: the next writer does step 2.
//
// # Recovery
//
// Only the last entry can be unfinished, because the next is committed after its projection is
// durable. If cache/projected says that the projection is done, a difference is a later edit, and
// stays. That hint is written last. Without it, or with another log's hint, hashes decide for each
// file of the entry. If the after-image is there, the file is done. If the earlier image is there,
// the file is written. Other content is kept beside, and the file is written. An unreadable entry
// is a problem, and nothing is appended until it is repaired (Repair).
//
// The work of a killed process is visible but not durable. So recovery syncs log/ before it writes
// a file of the entry, and then every directory above those files. A writer syncs .vespe and
// objects/ also for names that it found there.
//
// Load finishes a projection only if nobody holds the lock. Otherwise it reads the files through
// the after-images in the log (view), also documents, results and events. It reads tasks of new
// entries again until there are none.
//
// If a task's directory refuses writes, everything else is projected. An empty file in log/owed
// marks the pending projection. That transaction ends with CodeNotDurable, and other transactions
// continue. Readers take the task's files from the entry, and the next process that can write them
// does. If the directory was absent, the marker ends in .away. Once it is back, the next load or
// writer writes what it missed, but for files that were edited meanwhile.
//
// # Edits
//
// Editors, agents and git also write the tasks' files. A sweep stats these files, and approvals,
// and reads those that look different from the last known state (marks). The snapshot then shows
// the task as its files are, except verdicts in them (lifecycle.Believed), and keeps the log's version
// too. The next transaction on the task, or ImportEdits, begins with an external_edit. Documents
// become revisions. The entry has the edited bytes; those of a status.json are also in
// persistent/edits/. Until then, checkpoints hold the log's version, so no process takes the edit
// for it. That is why each process that wrote to a small store leaves a checkpoint.
//
// Whole directories can come and go. A deleted task leaves the snapshot, and an entry keeps its own
// files as last known. A returned task is compared with its last known version, however old. If the
// log never knew it, none of its verdicts count. The entry that records it holds all of its own
// files. What is known of deleted tasks is in the index of operations (opindex), in checkpoints and
// in the base.
//
// Without its own checkpoint, as after a clone, the store believes files as they are, except a
// status.json that the log has written: a difference is an edit. Before such a process writes a
// checkpoint, it searches all entries for tasks that went unnoticed.
//
// Follow watches log/ and the tasks' directories and calls the sweep. Watches are hints, and a pass
// scans everything in pieces anyway. On Linux it asks inotify directly and identifies directories
// by numbers, because paths would take most of the memory in a large store. A load that compares
// all files starts the watches first. Tasks on screen (Watch) are watched first, and checked more
// often if the system has no watch left.
//
// # Runs and reflections
//
// Transactions write run.json. The loop writes the other files in persistent/runs/RUN without the
// lock and the log (WriteRunFile, AppendRunFile), so that other processes can follow them. Nothing
// depends on them.
//
// Each entry with ended runs or verdicts adds a file to reflections/, after its projection and
// before cache/projected is updated. So the next writer completes it after a crash. Its name
// derives from its content, so it is written once.
//
// # Git
//
// If git.mode asks for it and the store is trusted, every entry becomes a commit, after the
// transaction is durable and the lock is free. A failure is a warning (gitlog). A followed store makes
// the commits in the background.
//
// # Checkpoints
//
// log/snap-<seq>.ck is the snapshot as of an entry (snapshot.Snapshot.Pack), with the operations up to
// it, the deleted tasks, and the log's versions of plan reviews. It is a cache: unsynced, checked by
// checksums, bound by device and inode to its files (so a copy isn't used), and removable without
// loss. Warm loads it and the later entries. The mtime of tasks/ shows whether a directory came or
// went. cache/projected has the mtime after the log's own changes, so new tasks don't make the next
// reader list them all.
//
// Close writes a checkpoint after more than 128 entries. A running process writes one at twice
// that, in the background and without the lock. In a store of fewer than 500 tasks, Close always
// writes one if the process wrote. A large checkpoint is mapped if it is the user's own: truncating
// a mapped file in place would kill its reader. A map stays for the life of the process, because
// shown texts refer to it.
//
// # Looking back
//
// At folds the log's entries up to the last one that isn't younger than the time, and reads the
// resulting files like a load. Clocks go back, so everything before that entry counts. Files that no
// entry had written by then come from the first later entry that replaced them (kept), or else from
// the disk. A task without its bytes is reconstructed from events and revisions, and marked.
//
// # Locks
//
// A goroutine takes them in this order, and may leave any out. None waits for one above it.
//
//  1. Writing (writing.Writer): one transaction, recovery or repair of this process at a time. It can be waited for no
//     longer than a context.
//  2. the file lock: one writer of all processes. The queue for it is in cache/ (lockqueue).
//  3. Looking (loading.Loader): held from taking the current snapshot to putting the next in its place. So what is found
//     on the way, edits and conflicts, belongs to that snapshot.
//  4. the indexes of the log: ops, reviews, requests and writes each have a mutex, held while they read
//     entries. No two are held at once.
//  5. current: the snapshot and its tip; identity: format and store_id. No file is accessed under either.
//  6. the mutexes of the log, rules, background, edits, marks, results, scores, mappings, durable files, commits, checkpoints and following.
//     They call nothing.
//
// Beside these, the turn to write a checkpoint is only ever tried, never waited for. Recording in git has its own turn,
// taken when Writing and the file lock are free. Readers take Looking at most.
// TestAllPartsAtOnce drives all of it under the race detector.
//
// # Parts
//
// The packages below this one own what they are named for, and know nothing of Store. docs/architecture.md lists them with
// the state that each owns. Here, open.go connects them, and the other files give each of them its names in Store. The core
// is two packages. writing has the order of a transaction: do.go, then commit.go and recover.go. loading keeps the
// snapshot: load.go, replay.go, fresh.go and warm.go, and sweep.go and edits.go for what was written past vespe.
package store
