package lazyregexp

import (
	"sync"
	"testing"
)

func TestItIsCompiledOnce(t *testing.T) {
	re := New(`^a+$`)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if first := re.Get(); first != re.Get() || !re.Get().MatchString("aa") || re.Get().MatchString("b") {
				t.Error("not the expression that was given")
			}
		})
	}
	wg.Wait()
}

func TestAnInvalidExpressionPanicsAtItsFirstUse(t *testing.T) {
	re := New(`(`)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	re.Get()
}
