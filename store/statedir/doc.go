// Package statedir is the directory of a person's private files: the stores that they trust
// (store/trust), and their unsent texts (store/drafts). It holds small JSON files that several
// processes of one person change occasionally. A writer locks the directory, reads the file, and
// writes it anew. A file is read only if it is plain and of a limited size. When Write returns, it
// is on disk under its name.
//
// These files are no store: they use neither fsys.FS nor a log.
package statedir
