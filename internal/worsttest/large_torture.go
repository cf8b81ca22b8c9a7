//go:build torture

package worsttest

// Large is the size of the worst texts, in bytes.
const Large = 1 << 20
