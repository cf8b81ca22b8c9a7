package look

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/snapshot"
)

// listing is a writer that only counts.
type listing struct{ calls, bytes int }

func (l *listing) Write(b []byte) (int, error) { l.calls++; l.bytes += len(b); return len(b), nil }

func TestLongListsAreBuffered(t *testing.T) {
	tasks := make([]*model.Task, 5000)
	for i := range tasks {
		uid := model.UID(fmt.Sprintf("tsk-%032x", i))
		tasks[i] = &model.Task{UID: uid, HasStatus: true, Config: model.Config{UID: uid, Name: fmt.Sprint("task ", i)}}
		tasks[i].Status.CurrentState = model.Created
	}
	snap := snapshot.New(snapshot.Input{Tasks: tasks})
	var w listing
	a := &app{core.NewApp(core.Deps{Stdout: &w, Getenv: func(string) string { return "" }, Now: time.Now})}
	all := make([]int32, snap.Len())
	for i := range all {
		all[i] = int32(i)
	}
	if err := a.printList(snap, all, len(all)); err != nil {
		t.Fatal(err)
	}
	if err := a.Out.Flush(); err != nil {
		t.Fatal(err)
	}
	if limit := w.bytes/core.OutBuffer + 1; w.calls > limit {
		t.Errorf("%d bytes in %d writes; %d are enough", w.bytes, w.calls, limit)
	}
}

// The keys of what --json prints are a promise: a new one may come, none goes.
func TestObjectKeys(t *testing.T) {
	for _, tt := range []struct {
		object any
		keys   string
	}{
		{shownObject{}, "task why children dependents objective plan result"},
		{resultObject{}, "path size hash"},
	} {
		var keys []string
		for _, f := range reflect.VisibleFields(reflect.TypeOf(tt.object)) {
			if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); key != "" {
				keys = append(keys, key)
			}
		}
		for _, want := range strings.Fields(tt.keys) {
			if !slices.Contains(keys, want) {
				t.Errorf("%T has lost its key %q: %v", tt.object, want, keys)
			}
		}
	}
}
