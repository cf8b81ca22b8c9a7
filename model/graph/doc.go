// Package graph is a directed graph over numbers from 0 up: rows of edges that share what did not change with the graph
// before (Rows, Pages), cycles, an order and connected parts (Graph). It knows nothing of tasks.
package graph
