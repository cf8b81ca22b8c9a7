// Package merge brings two clones' versions of a store's files together. It knows neither git nor a disk.
//
// It works in two steps. File merges one file, as git asks for it, with no other file at hand: symmetric, so that
// "ours" and "theirs" may change places, and without conflict marks. Of two status.json one stands, and names
// the operations that the other one ends with as unmerged. Settle then has the whole task, with the events of both
// clones, and repeats what is unmerged on what stands, by the rules of the lifecycle; what these refuse becomes a request.
// It may be run in any clone at any time: the same files give the same bytes.
package merge
