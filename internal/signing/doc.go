// Package signing signs approvals and says how far a signature is to be believed. It knows the
// person's own keys and wishes, which lie in their configuration and never in a repository, and
// runs ssh-keygen, by its arguments and without a shell: nothing that a store holds reaches a
// command line but a name, a time and bytes on standard input.
//
// The levels are those of review.Level. A signature counts as signed when the person's allowed
// signers name its key for the approver: the principal is the approver as vespe writes it
// ("human:ann"), or the name alone ("ann"). It counts as touched when the key is one that a
// security key holds (sk-…) and the signature says that somebody was there. Whatever cannot be
// checked counts as claimed, and why is said.
//
//	signing.go     Config, Keys: Sign, Attest, Required, Viewer
//	check.go       one signature and ssh-keygen; what it said before
//	sshsig.go      what is inside of a signature
//	run_*.go       ssh-keygen, with or without a terminal
package signing
