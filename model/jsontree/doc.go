// Package jsontree compares, changes and merges JSON values. A change says what became of a value, key by
// key and item by item, so that it can be repeated on a value that has changed elsewhere meanwhile.
//
// Merge is symmetric: which of two versions is "ours" makes no difference. That is what lets every clone of a
// store come to the same bytes, in whichever clone and direction they are merged.
package jsontree
