//go:build torture

package worst

// Large is the size of the worst texts, in bytes.
const Large = 1 << 20
