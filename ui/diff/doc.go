// Package diff compares two texts and draws what differs: lines, and in lines that were
// changed the words. It reads nothing and knows no keys; what lies on top of the workbench and
// what stands in a page draw the same Layout.
package diff
