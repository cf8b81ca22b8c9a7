package history

import (
	"reflect"
	"testing"

	"vespe/model"
)

func TestJournalPacks(t *testing.T) {
	_, j := twoTasks()
	j = j.With(12, []*Chronicle{lived("tsk-c", ev(3, model.CreateTask, model.Created, "human:raj"), ev(2, "of another system", "", ""))}, nil)
	b := j.Pack()
	got, err := Unpack(b)
	if err != nil || !reflect.DeepEqual(got, j) {
		t.Fatalf("%v\n%+v, want\n%+v", err, got, j)
	}
	for n := range b { // nothing that was cut off or changed is taken, or breaks
		if _, err := Unpack(b[:n]); err == nil {
			t.Errorf("%d of %d bytes are a journal", n, len(b))
		}
		other := append([]byte(nil), b...)
		other[n] ^= 0xff
		if j, err := Unpack(other); err == nil {
			j.Activity(Sieve{})
		}
	}
}

func FuzzUnpack(f *testing.F) {
	_, j := twoTasks()
	f.Add(j.Pack())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		j, err := Unpack(b)
		if err != nil {
			return
		}
		j.Activity(Sieve{})
		for _, c := range j.Tasks() {
			for k := range c.Moments {
				_ = c.Moments[k].Name().Title()
			}
		}
	})
}
