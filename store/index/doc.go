// Package index finds tasks by their texts: names, objectives, plans, comments, results and
// histories. It is an SQLite database that derives only from the store.
//
// # Never the truth
//
// The database can be deleted at any time. vespe replaces it if it is old, damaged, of another
// store, or not known to be ours. Nothing depends on it. Names and statuses of hits come from a
// snapshot of the store, and a hit outside the snapshot doesn't count.
//
// # The file
//
// The database is cache/tasks.db of the store, if this person can write there. The repository can
// be another person's, and so can a database in it. SQLite must not even open that. So a file in
// the person's state directory names the database that was made here, by device, inode and a secret
// in its header. Any other file, one with links, or one of another user isn't opened but replaced.
// If that is impossible (the store is read-only, its cache isn't writable, or another process has
// the database open), the database is in the state directory. Without a state directory, it is in
// memory, for the life of the process.
//
// A process with the database open holds a shared lock on tasks.db.lock. One that replaces it holds
// an exclusive lock, so no process sees its file change. The writer holds tasks.db.writer. Other
// processes read the committed part meanwhile (SQLite's write-ahead log).
//
// # Updates
//
// The database knows its entry of the log. An update reads the tasks of later entries again, and
// those that were edited by hand, came or went. If the log can't tell, because it was replaced, or if
// the caller asks, it compares size and times of each task's files. Batches are
// committed one by one, and the entry last. So a killed update does no harm, and the next one
// continues. Columns that depend on other tasks (status) are compared with the snapshot by a hash.
//
// # Searches
//
// words is the full-text index with a column for each field. The text itself is in texts.
// Characters of languages without spaces are one token each, so any piece is a phrase. terms has
// all words, and parts their trigrams. A search inside words finds the matching words there, and
// then queries the full-text index for them. That costs a fraction of trigrams of all texts.
// Queries consist of quoted tokens, so no input is syntax.
//
// Tasks with all words in their name come first. Up to manyMatches are ranked with BM25, with lower
// weights for later fields. Above that, matches in the objective come before those in the plan and
// so on, the newest first.
//
// # Where to start reading
//
// Start with index.go (Open, Close), update.go (updates) and search.go (Search). place.go decides
// which file to use, and schema.go has the tables.
package index
