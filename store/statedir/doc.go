// Package statedir is the directory in which vespe keeps what is a person's own and nobody else's:
// which stores they trust (store/trust), and what they typed and have not sent (store/drafts). It is
// for small files of JSON that several processes of one person change now and then: who changes one
// takes the lock of its directory, reads it, and writes it anew. A file is read only if it is a plain
// one of a bounded size, and is on disk under its name when Write returns.
//
// It is no store: these files go through neither store.FS nor a log.
package statedir
