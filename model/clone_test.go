package model

import (
	"reflect"
	"testing"
)

func fullTask() *Task {
	t := &Task{
		UID:       "tsk-a",
		Config:    Config{UID: "tsk-a", Name: "N", Extra: Extra{TextField("k", "v")}},
		Status:    fullStatus(),
		DependsOn: []UID{"tsk-b"}, DepsExtra: Extra{TextField("k", "v")},
		Spec: fullSpec(), HasStatus: true, HasObjective: true, HasPlan: true,
		Problems: []Problem{{Code: "x"}},
	}
	st := fullStatus()
	t.Status.Elsewhere = &Elsewhere{st.AcceptedPlan, st.ParentContentHashes, st.ChangedBecause, st.Review, st.Undo}
	return t
}

func TestCloneIsEqualAndSharesNothing(t *testing.T) {
	original, want := fullTask(), fullTask()
	c := original.Clone()
	if !reflect.DeepEqual(c, want) {
		t.Fatalf("the clone is %+v", c)
	}
	if shared := sharing(reflect.ValueOf(original), reflect.ValueOf(c), "Task"); shared != "" {
		t.Errorf("%s is shared", shared)
	}
	if (*Task)(nil).Clone() != nil || (*Spec)(nil).Clone() != nil {
		t.Error("the clone of nothing is something")
	}
	empty := &Task{UID: "tsk-a"}
	if !reflect.DeepEqual(empty.Clone(), empty) {
		t.Errorf("the clone of an empty task is %+v", empty.Clone())
	}
}

// sharing is the first pointer or slice that a and b have in common, by reflection, so
// that a field added later cannot be forgotten. Slices and pointers must be filled in.
func sharing(a, b reflect.Value, path string) string {
	switch a.Kind() {
	case reflect.Pointer:
		if a.Type().String() == "*time.Location" {
			return ""
		}
		if a.IsNil() {
			return path + " (empty in the test)"
		}
		if a.Pointer() == b.Pointer() {
			return path
		}
		return sharing(a.Elem(), b.Elem(), path)
	case reflect.Slice:
		if a.Len() > 0 && a.Pointer() == b.Pointer() {
			return path
		}
		for i := range a.Len() {
			if s := sharing(a.Index(i), b.Index(i), path+"[]"); s != "" {
				return s
			}
		}
	case reflect.Struct:
		if a.Type().String() == "time.Time" {
			return ""
		}
		for i := range a.NumField() {
			if s := sharing(a.Field(i), b.Field(i), path+"."+a.Type().Field(i).Name); s != "" {
				return s
			}
		}
	case reflect.Map, reflect.Chan, reflect.Func, reflect.Interface:
		return path + " has a kind that Clone does not know"
	}
	return ""
}
