//go:build torture

package e2e

import "testing"

func TestTortureExamples(t *testing.T) { examples(t, true) }
