// Package rail is the graph of the whole store as rows and rails: one row a task, in
// topological order, dependencies above their dependents, and to the left of the names
// the lines that connect them.
//
// Every lane leads to exactly one task: all edges to that task join it, so following a
// lane down never leaves a doubt. The number of lanes is capped by the width of the pane.
// When one too many is needed, the one that ends farthest away is not drawn; its edges
// become stubs at both ends (`╌▸name`, `◂╌name`), which can be walked and clicked like
// any other edge. An edge that closes a cycle runs up and is always a stub, red, with ↺.
//
// The layout is computed once per structure (two passes over the edges) and costs a
// fraction of reading the store; a frame touches only the rows on the screen, from the
// nearest checkpoint.
//
// It is not a tea.Model: the root calls methods and draws View.
package rail
