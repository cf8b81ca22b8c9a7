// Package viewtest is for the tests of components: stores to show, styles to draw with, and
// the checks that every frame must pass. The tests of the whole workbench have their own
// driver in uitest.
package viewtest
