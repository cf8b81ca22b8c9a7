package snapshot

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"vespe/model"
)

// fill sets every field below v to something that is not zero, so that a field which a
// codec forgets is seen.
func fill(v reflect.Value, next *int) {
	*next++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *next))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*next%7 + 1))
	case reflect.Float64:
		v.SetFloat(float64(*next) + 0.5)
	case reflect.Uint8:
		v.SetUint(uint64(*next % 200))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), next)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), next)
		fill(v.Index(1), next)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(int64(*next)*1e6, int64(*next)).UTC()))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), next)
		}
	default:
		panic("fill does not know " + v.Kind().String())
	}
}

// Whatever a task, a request, a problem or the policy can hold comes out of a pack as it
// went in.
func TestPackKeepsEveryField(t *testing.T) {
	next := 0
	in := Input{Seq: 7, StoreID: "store", Head: "sha256-head", Requests: make([]model.Request, 1), Problems: make([]model.Problem, 1)}
	full := &model.Task{}
	fill(reflect.ValueOf(full).Elem(), &next)
	full.UID = "tsk-full"
	same := full.Clone()
	same.UID, same.Config.UID = "tsk-same", "tsk-same"
	fill(reflect.ValueOf(&in.Requests[0]).Elem(), &next)
	fill(reflect.ValueOf(&in.Problems[0]).Elem(), &next)
	fill(reflect.ValueOf(&in.Policy).Elem(), &next)
	empty := &model.Task{UID: "tsk-empty", Spec: &model.Spec{Labels: []string{}}, Config: model.Config{CreatedAt: time.Date(1, 1, 2, 0, 0, 0, 5, time.UTC)}}
	in.Tasks = []*model.Task{full, same, empty}

	was := New(in)
	is, err := Unpack(was.Pack())
	if err != nil {
		t.Fatal(err)
	}
	for i := range was.Len() {
		if !reflect.DeepEqual(was.At(i), is.At(i)) {
			t.Errorf("task %d:\n was %+v\n is  %+v", i, was.At(i), is.At(i))
		}
		at := int32(i)
		if !was.tasks.born(at).Equal(is.tasks.born(at)) || !was.tasks.since(at).Equal(is.tasks.since(at)) || was.tasks.name(at) != is.tasks.name(at) {
			t.Errorf("the columns of task %d are others", i)
		}
	}
	if !reflect.DeepEqual(pictureOf(was), pictureOf(is)) || !reflect.DeepEqual(was.Policy(), is.Policy()) || was.StoreID() != is.StoreID() {
		t.Error("the snapshot is another")
	}
	if again := is.Pack(); !slices.Equal(again, was.Pack()) {
		t.Error("packing what was unpacked gives other bytes")
	}
}

// A task stays the same value for whoever asks again soon, also when it is asked for by
// several at once; and asking for all of them does not keep all of them.
func TestUnpackedTasksAreRemembered(t *testing.T) {
	s := New(Input{Tasks: benchTasks(3 * maxDecoded)}).Compact()
	if first := s.At(5); first != s.At(5) {
		t.Error("asking twice gives two values")
	}
	for i := range s.Len() {
		s.At(i)
	}
	kept := 0
	d := s.tasks.recs.decoded.Load()
	for i := range d.tasks {
		if d.tasks[i].Load() != nil {
			kept++
		}
	}
	if kept == 0 || kept > maxDecoded {
		t.Errorf("%d tasks are kept, want 1 to %d", kept, maxDecoded)
	}
}

// A pack that does not lie at a multiple of 8 is read all the same.
func TestUnpackUnaligned(t *testing.T) {
	s := New(Input{Tasks: benchTasks(50)})
	pack := s.Pack()
	room := make([]byte, len(pack)+8)
	for shift := range 8 {
		b := room[shift : shift+len(pack)]
		copy(b, pack)
		got, err := Unpack(b)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(pictureOf(got), pictureOf(s)) {
			t.Errorf("at %d the snapshot is another", uintptr(unsafe.Pointer(&b[0]))%8)
		}
	}
}

// A record that cannot be read is a task with a problem, and the others are not touched.
func TestUnpackDamagedRecord(t *testing.T) {
	s := New(Input{Tasks: []*model.Task{node("tsk-a", inState(model.Created)), node("tsk-b", inState(model.Created)), node("tsk-c", inState(model.Created))}})
	pack := s.Pack()
	probe, err := Unpack(slices.Clone(pack))
	if err != nil {
		t.Fatal(err)
	}
	rec := probe.tasks.recs.record(1)
	at := bytes.LastIndex(pack, rec)
	pack[at] = 0xff
	got, err := Unpack(pack)
	if err != nil {
		t.Fatal(err)
	}
	if p := got.At(1).Problems; len(p) != 1 || p[0].Code != "pack-damaged" || p[0].Severity != model.Error {
		t.Errorf("problems %v, want pack-damaged", p)
	}
	if len(got.At(0).Problems)+len(got.At(2).Problems) > 0 {
		t.Error("the others have problems too")
	}
}

// A filter selects the same tasks whether they are packed, values, or some of each.
func TestSelectOfPackedTasks(t *testing.T) {
	tasks := benchTasks(600)
	tasks[7].Config.CreatedBy, tasks[8].Config.CreatedBy, tasks[9].Config.CreatedBy = "", "human:Ann", "human:JÜRGEN"
	tasks[8].Config.UID, tasks[9].Status.AssignedAgentUID = "tsk-other", "agent:ann"
	tasks[10].Spec, tasks[11].Spec.Labels, tasks[12].Spec.Description = nil, []string{"Größe"}, "GRÖSSE 5"
	tasks[13].Spec.Priority, tasks[14].Spec.Description, tasks[14].Spec.Labels = model.Medium, " ", nil
	loose := New(Input{Tasks: tasks})
	packed := loose.Compact()
	mixed := packed.With(2, "", tasks[5:12], nil)
	found := 0
	for _, src := range []string{
		"pars", "cache 42", "-pars", "zzz", "größe", "grösse", "label:cache", "label:größe", "has:labels", "-has:labels",
		"has:description", "-has:description", "by:ann", "by:human:ann", "by:jürgen", "by:claude", "-by:claude",
		"priority:critical", "priority:high", "priority:medium", "priority:low", "priority:none", "has:run", "type:bug",
	} {
		f, err := ParseFilter(src)
		if err != nil {
			t.Fatal(err)
		}
		want := loose.Select(f)
		found += len(want)
		for name, s := range map[string]*Snapshot{"packed": packed, "mixed": mixed} {
			if got := s.Select(f); !slices.Equal(got, want) {
				t.Errorf("%s selects %v of %s tasks, want %v", src, got, name, want)
			}
		}
	}
	if found == 0 {
		t.Error("no filter selects anything")
	}
}

// A pack of a vespe with other fields is none: it is made again.
func TestAPackOfOtherFields(t *testing.T) {
	pack := New(Input{Tasks: benchTasks(3)}).Pack()
	for _, at := range []int{7, 8, 15} {
		other := slices.Clone(pack)
		other[at]++
		if _, err := Unpack(other); err == nil {
			t.Errorf("it is used, with another byte %d", at)
		}
	}
}

// FuzzUnpack: no bytes make Unpack, or looking at everything it gives, panic.
func FuzzUnpack(f *testing.F) {
	ring := []*model.Task{node("tsk-a", inState(model.Created), "tsk-b"), node("tsk-b", inState(model.Created), "tsk-a", "tsk-gone")}
	for _, tasks := range [][]*model.Task{nil, benchTasks(3), ring} {
		pack := New(Input{Tasks: tasks, Requests: []model.Request{{ID: "r"}}}).Pack()
		f.Add(pack)
		for _, at := range []int{8, 16, 40, len(pack) / 2, len(pack) - 9} {
			bad := slices.Clone(pack)
			bad[max(at, 0)] ^= 0xff
			f.Add(bad)
			f.Add(pack[:max(at, 0)])
		}
	}
	liar := New(Input{Tasks: ring}).Pack()
	liar[packHead+8] ^= packAcyclic // it says that nothing is in a cycle
	f.Add(liar)
	filter, err := ParseFilter("a b is:orphan")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Unpack(b)
		if err != nil {
			return
		}
		pictureOf(s)
		s.Select(filter)
		s.With(9, "", []*model.Task{{UID: "tsk-new", DependsOn: []model.UID{"tsk-a"}}}, nil).Pack()
	})
}

// Packing reads only: others may look at the same tasks meanwhile.
func TestPackingChangesNothing(t *testing.T) {
	next := 0
	full := &model.Task{}
	fill(reflect.ValueOf(full).Elem(), &next)
	full.UID = "tsk-full"
	s := New(Input{
		Tasks: []*model.Task{full, {UID: "tsk-empty"}}, Problems: []model.Problem{{Severity: model.Error}}, Requests: []model.Request{{ID: "r"}},
	})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { s.Pack() })
		wg.Go(func() { pictureOf(s) })
	}
	wg.Wait()
}
