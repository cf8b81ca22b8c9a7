//go:build torture

package store

import "testing"

func TestTortureEveryCallMayFail(t *testing.T) { testEveryCallMayFail(t, true) }
