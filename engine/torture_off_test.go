//go:build !torture

package engine

const torture = false
