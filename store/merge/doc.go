// Package merge joins two clones' versions of a store's files. It knows neither git nor a disk.
//
// It has two steps. File merges one file, without the others, as git's merge driver needs. It is
// symmetric, so "ours" and "theirs" can swap, and writes no conflict marks. Of two status.json one
// wins, and lists the other's last operations as unmerged. Replay then has the whole task with the
// events of both clones. It repeats the unmerged operations on the winner, by the rules of the
// lifecycle. A refused operation becomes a request. It can run in any clone at any time: the same
// files give the same bytes.
package merge
