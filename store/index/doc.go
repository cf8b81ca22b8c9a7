// Package index finds tasks by what was written about them: their names, objectives, plans, comments,
// results and histories. It is an SQLite database that is made of the store and of nothing else.
//
// # Never the truth
//
// Whatever the database says may be thrown away, and is, where it is old, of another store, damaged,
// or not known to be ours. Nothing is decided by it. What a hit is called and how it stands comes
// from a snapshot of the store; a hit that the snapshot does not have is no hit.
//
// # Where it lies
//
// In cache/tasks.db of the store, where this person may write. The repository that a store lies in may
// be somebody else's, and so may a database in it: SQLite must not so much as open that. So a file of
// the person's state directory names the database that was made here, by device, inode and a secret in
// its header; what is not that file, has links, or belongs to another user, is not opened. It is
// replaced, and where that may not be (the store is read only, its cache cannot be written, or somebody else has the
// database open), another lies in the state directory. Where there is no state directory either it is
// made in memory, and lasts as long as the process.
//
// Who has the database open holds a shared lock on tasks.db.lock, and who replaces it an exclusive one,
// so that no process sees a database change its file. Who brings it up to date holds tasks.db.writer;
// the others read meanwhile (SQLite's write-ahead log) what was committed so far.
//
// # Keeping up
//
// It knows the entry of the log that it is as of. Tasks that later entries speak of are read again, as
// are those that somebody edited past vespe and that came or went. Where the log cannot tell, for it was
// compacted or is another one, or where the caller asks, how the files of each task look to the file
// system is compared with how they looked when they were read. Batches are committed as they are
// made and the entry last, so that who is killed has done no harm: the next one goes on.
//
// The columns that follow from other tasks (status) are compared with the snapshot's by a hash over
// all of them.
//
// # Finding
//
// words is the full-text index, a column a field, without its text, which is in texts. Characters that are written
// without spaces between words are set apart, one a token, so that any piece of them is a phrase. terms are
// all words that ever occurred, and parts the trigrams of these: what is looked for within words is
// looked up there, and the words that have it are what the full-text index is asked for. That costs
// a fraction of trigrams of all texts. Every query is made of quoted tokens, so that nothing that
// somebody types is syntax.
//
// Tasks with everything in their name come first. Up to manyMatches are ranked with BM25, fields weighing less and
// less; of more, those with
// everything in the objective come before those in the plan and so on, the newest first.
//
//	place.go   which file it is, and whether it is ours
//	schema.go  the tables
//	index.go   Open, Close; live.go: for a program that lives on
//	update.go  bringing it up to date; rows.go: a task as rows; write.go: writing them; terms.go: words
//	search.go  Search; expr.go: a query as an expression; mark.go: where it matches
//	sql.go     Query: a SELECT of the person's own
package index
