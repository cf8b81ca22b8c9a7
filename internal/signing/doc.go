// Package signing signs approvals and checks signatures. It reads the person's keys and settings
// from their configuration, never from a repository. It runs ssh-keygen with an argument list and
// without a shell. From a store, only a name, a time and bytes on standard input reach it.
//
// The levels are those of review.Level. A signature counts as signed when the person's allowed
// signers name its key for the approver: the principal is the approver as vespe writes it
// ("human:ann"), or the name alone ("ann"). It counts as touched when the key is one that a
// security key holds (sk-…) and the signature shows that a person touched it. A signature that
// can't be checked counts as claimed, with the reason.
//
//	signing.go     Config, Keys: Sign, Attest, Required, Viewer
//	check.go       one signature and ssh-keygen; what it said before
//	sshsig.go      what is inside of a signature
//	run_*.go       ssh-keygen, with or without a terminal
package signing
