package ui_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/model/history"
	"vespe/model/review"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/themes"
	"vespe/ui"
)

// hostile is what somebody may put into any text of a store: it conceals, sets a title and
// a clipboard, turns text around, hides it, breaks lines, and is not UTF-8.
const hostile = "n\x1b[8mX\x1b]52;c;ZXZpbA==\x07\x1b]0;T\x07a\u202eb\u200bc\u200cd\u2062e\u00adf\u2028g\u061ch\U000e0041i\u180ej\u3164k\rl\x9bm\u009bo\x00p\tq\nr\xffs"

// hostileDoc has it in every construct of Markdown.
var hostileDoc = "# T" + hostile + "\n\n&#27;[8mY &#x202e; &#x200b; &ZeroWidthSpace; &shy; &zwnj; &#xE0041; &#155;31m &NoBreak; &lrm;\n\n" +
	"[l" + hostile + "](http://x/\x1b[8m\u202e) [k](<javascript:alert(1)\x1b]0;x\x07>) <http://a.b/%1b[31m\u200b> ![i\u202e](p\u200b \"t\x1b[8m\")\n\n" +
	"[ref\u202e]: http://x \"tit\x1b[8mle\u200b\"\n\n[//]: # (hid\x1b[8mden\u202e)\n\n<!-- c\x1b[8m\u202e -->\n\n<script>\x1b[8m\u202e</script>\n\n" +
	"```go\x1b[8m\u202e\nfunc \x1b[8m\u202e() {}\n```\n\n    ind\x1b[8m\u202e\n\n`co\x1b[8m\u202e`\n\n| a\u202e | b\x1b[8m |\n|---|---|\n| c\u200b | d\x1b[8m &#27; |\n\n" +
	"> q\u202e\x1b[8m\n\n- [ ] t\u202e\x1b[8m\n\nx[^1]\n\n[^1]: f\u202e\x1b[8m\n\n<div title=\"\x1b[8m\u202e\">h</div>\n\n<a href='x'>\u202e\x1b[8m</a>\n\\\u202e \\\x1b[8m\n\n" +
	"## Z" + hostile + "\n\nlast\n"

// poison puts hostile text into every string of a value, besides those that hold its
// shape together.
func poison(v reflect.Value) {
	shape := []string{"UID", "ParentUID", "CurrentState", "DependsOn", "Verdict", "Of", "TaskUID", "PreviousState", "Extra", "DepsExtra"}
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			v.SetString(v.String() + hostile)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			if !slices.Contains(shape, v.Type().Field(i).Name) && v.Field(i).CanSet() {
				poison(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Len() == 0 && v.CanSet() && v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			poison(v.Index(i))
		}
	case reflect.Pointer:
		if v.IsNil() && v.CanSet() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		poison(v.Elem())
	}
}

// hostileStore answers every reading with hostile text.
type hostileStore struct{ *uitest.Store }

func (hostileStore) History(_ context.Context, uid model.UID) ([]model.Event, []model.Problem, error) {
	var all model.Event
	poison(reflect.ValueOf(&all).Elem())
	edit := model.Event{
		Name: "external_edit", Actor: "human:x" + hostile, Reason: hostile, Summary: hostile, From: "created" + hostile,
		To: "working" + hostile, File: hostile, Details: model.Extra{{Key: hostile, Value: []byte(`"x\u001b[31m\u202e"`)}},
	}
	return []model.Event{all, edit}, []model.Problem{{UID: uid, Path: hostile, Reason: hostile, Code: hostile, Hint: hostile}}, nil
}

func (s hostileStore) Journal(ctx context.Context, _ *history.Journal, _ func(done, total int)) (*history.Journal, error) {
	snap := s.Snapshot()
	var all []*history.Chronicle
	for i := range snap.Len() {
		events, _, err := s.History(ctx, snap.UID(i))
		if err != nil {
			return nil, err
		}
		all = append(all, history.NewChronicle(snap.UID(i), events))
	}
	return history.New(snap.Seq(), all), nil
}

func (hostileStore) Results(context.Context, model.UID) ([]model.ResultFile, error) {
	return []model.ResultFile{{Path: "a" + hostile, Size: 3, Hash: "sha256-" + hostile}, {Path: "b" + hostile + ".md", Size: 3, Hash: hostile}}, nil
}

func (hostileStore) ReadResult(context.Context, model.UID, string, int64) ([]byte, error) {
	return []byte(hostileDoc), nil
}

func (hostileStore) Content(_ context.Context, _ model.UID, doc model.Doc) (model.Content, error) {
	b := []byte(hostileDoc)
	return model.Content{Doc: doc, Body: b, Hash: model.HashBytes(b), Revision: 2}, nil
}

func (hostileStore) Review(_ context.Context, _ model.UID, n int) (*model.ReviewFile, error) {
	f := &model.ReviewFile{Revision: n}
	for i, doc := range []model.Doc{model.Plan, model.Objective, model.Plan, model.Plan} {
		var c model.Comment
		poison(reflect.ValueOf(&c).Elem())
		c.Doc = doc
		c.ID += fmt.Sprint(i)
		if i < 2 {
			c.Place = model.PlaceAt([]byte(hostileDoc), 1+i, 3+i)
		}
		f.Comments = append(f.Comments, c)
	}
	return f, nil
}

// hostileDrafts has a draft of hostile text for every task.
type hostileDrafts struct{}

func (hostileDrafts) Keep(string, model.UID, []review.Draft, []string) error { return nil }

func (hostileDrafts) Drafts(string, model.UID) ([]review.Draft, error) {
	var d review.Draft
	poison(reflect.ValueOf(&d).Elem())
	d.Doc, d.Place = model.Plan, model.PlaceAt([]byte(hostileDoc), 5, 6)
	return []review.Draft{d}, nil
}

func (hostileStore) Revision(_ context.Context, _ model.UID, doc model.Doc, n int) (model.Content, error) {
	b := []byte("old" + hostile + "\n" + hostileDoc[40:])
	return model.Content{Doc: doc, Body: b, Hash: model.HashBytes(b), Revision: n}, nil
}

// hostileInput is a store with tasks in every state, in which every text is hostile.
func hostileInput() snapshot.Input {
	in := snapshot.Input{Seq: 1, StoreID: "x" + hostile, Head: hostile}
	poison(reflect.ValueOf(&in.Policy).Elem())
	uid := func(state, kind int) model.UID { return model.UID(fmt.Sprintf("tsk-%032x", state*10+kind+1)) }
	for i, state := range []model.State{
		model.Created, model.ObjectiveDefined, model.PlanDefined, model.Working, model.Errored,
		model.Failed, model.Completed, model.Replanned, model.Aborted,
	} {
		for kind := range 3 {
			t := &model.Task{UID: uid(i, kind)}
			poison(reflect.ValueOf(t).Elem())
			t.Config.UID, t.Config.Name = t.UID, fmt.Sprintf("%d.%d ", i, kind)+hostile
			t.Status.CurrentState, t.Status.PlanRevision = state, 2
			t.HasStatus, t.HasPlan, t.HasObjective = true, true, true
			t.Status.IsPaused, t.DependsOn = kind == 2, nil
			switch kind {
			case 0:
				t.Status.ChangedBecause, t.Status.AcceptedPlan, t.Status.Review = nil, nil, nil
			case 2:
				t.Status.PauseReason = "hitl:" + hostile
				t.DependsOn = []model.UID{"tsk-nowhere", "x" + hostile}
			}
			if kind != 1 {
				t.Problems = nil
			}
			if i == 2 { // its plan waits for a verdict, below another task
				t.Config.ParentUID = uid(0, 0)
				t.Status.IsPaused = false
			}
			if i > 2 {
				t.Config.ParentUID = uid(i-2, kind)
				t.DependsOn = append(t.DependsOn, in.Tasks[0].UID)
			}
			in.Tasks = append(in.Tasks, t)
		}
	}
	in.Problems = []model.Problem{
		{Path: hostile, Reason: hostile, Code: hostile, Hint: hostile, Severity: model.Error},
		{UID: model.UID(hostile), Path: hostile, Reason: hostile, Code: hostile, Hint: hostile},
	}
	var loose model.Request
	poison(reflect.ValueOf(&loose).Elem())
	loose.State = "pending"
	asked := loose
	asked.TaskUID, asked.Kind, asked.ID = in.Tasks[3].UID, "question"+hostile, "q"
	in.Requests = []model.Request{loose, asked}
	return in
}

func hostileDeps(s *uitest.Store) func(*ui.Deps) {
	return func(d *ui.Deps) {
		d.Store, d.Journal, d.Drafts = hostileStore{s}, hostileStore{s}, hostileDrafts{}
		d.Name, d.Version, d.Actor = hostile, hostile, model.Actor("human:"+hostile)
		d.Themes = themes.Bundled()
		for i := range d.Themes {
			d.Themes[i].Title += hostile
			d.Themes[i].Name += hostile
		}
		d.Editor = &uitest.Editor{Write: func(string) (string, error) { return "", fmt.Errorf("e%s", hostile) }}
	}
}

// Nothing that a store holds reaches the terminal as more than text, wherever it is shown:
// in every view, tab and dialog, at several sizes. The driver checks every frame.
func TestHostileTextStaysText(t *testing.T) { hostileText(t, 11, 17) }

// hostileText opens all tabs on every tabs-th row, and all dialogs on every dialogs-th row.
func hostileText(t *testing.T, tabs, dialogs int) {
	t.Helper()
	for _, size := range [][2]int{{130, 40}, {60, 24}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			s := uitest.StoreOf(hostileInput())
			o := uitest.Options{W: size[0], H: size[1], Store: s, KeepUnread: true, Bare: true, Change: hostileDeps(s)}
			uitest.Run(t, o, func(d *uitest.Driver) {
				d.Sleep(time.Second)
				for _, view := range ui.ViewActions() {
					lookThrough(d, view, tabs, dialogs)
				}
				d.Press(keymap.ViewTree, keymap.MoveTop, keymap.EditPlan).Sleep(2 * time.Second)
				s.FailWith(func(string) error { return fmt.Errorf("err %s", hostile) })
				d.Press(keymap.Refresh).Sleep(3 * time.Second)
				d.Press(keymap.Log)
				if v := d.View(); visible.Has(v.WindowTitle) {
					t.Errorf("the window is called %q", v.WindowTitle)
				}
			})
		})
	}
}

// What is asked about a plan, its parts and several plans at once is text, too. The person's name is a valid one: with
// another nothing can be accepted.
func TestHostileTextInVerdicts(t *testing.T) {
	for _, size := range [][2]int{{130, 40}, {60, 24}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			s := uitest.StoreOf(hostileInput())
			o := uitest.Options{W: size[0], H: size[1], Store: s, KeepUnread: true, Bare: true, Change: func(d *ui.Deps) {
				hostileDeps(s)(d)
				d.Actor = uitest.Ann
			}}
			uitest.Run(t, o, func(d *uitest.Driver) {
				d.Sleep(time.Second).Press(keymap.ViewTree)
				onPlan := []keymap.Action{keymap.MoveTop, keymap.MoveDown, keymap.MoveDown, keymap.MoveDown, keymap.MoveDown}
				d.Press(onPlan...).Press(keymap.Accept).Sleep(300*time.Millisecond).See("Accept the plan of").Press(keymap.ConfirmDetails).Key("pgdown", "pgdown")
				d.Press(keymap.ConfirmParts).See("Parts of the plan of").Key("space", "pgdown", "space", "enter").Sleep(300 * time.Millisecond)
				d.Press(keymap.ConfirmYes).Sleep(300*time.Millisecond).Key("esc", "esc", "esc").Sleep(time.Second)
				for _, action := range []keymap.Action{keymap.Accept, keymap.Reject, keymap.AskPlan, keymap.Pause} {
					d.Press(onPlan...).Press(keymap.Select, keymap.MoveDown, keymap.Select, action).Sleep(300 * time.Millisecond)
					d.Key("pgdown", "esc", "esc", "esc", "esc").Sleep(time.Second)
				}
			})
		})
	}
}

// lookThrough goes to every row of a view, and on some of them to every tab and dialog.
func lookThrough(d *uitest.Driver, view keymap.Action, tabs, dialogs int) {
	d.Press(view)
	if view == keymap.ViewTree {
		d.Press(keymap.UnfoldAll)
	}
	d.Press(keymap.MoveTop)
	for row, before := 0, ""; row < 48; row++ {
		now := d.Sleep(300 * time.Millisecond).View().Content
		if now == before {
			break // there is no row below
		}
		before = now
		if row%tabs == 0 {
			for _, tab := range []keymap.Action{keymap.TabOverview, keymap.TabObjective, keymap.TabPlan, keymap.TabHistory, keymap.TabResult} {
				d.Press(tab).Sleep(200 * time.Millisecond)
				d.Press(keymap.FocusNext).Key("pgdown", "pgdown", "pgdown").Press(keymap.MoveTop)
				d.Key("enter").Sleep(200 * time.Millisecond)
				d.Press(keymap.Raw, keymap.Raw)
				if tab == keymap.TabPlan {
					for _, action := range []keymap.Action{keymap.CommentAnswer, keymap.Comment, keymap.CommentSettle, keymap.Contents} {
						d.Press(keymap.PlaceNext, action).Key("esc", "esc").Press(view, keymap.FocusNext)
					}
				}
				d.Key("esc", "esc", "esc").Press(view)
			}
		}
		if row%dialogs == 0 {
			for _, dialog := range []keymap.Action{
				keymap.Accept, keymap.Reject, keymap.Diff, keymap.Revalidate, keymap.Replan, keymap.Undo, keymap.Start, keymap.Done,
				keymap.Pause, keymap.RaiseError, keymap.Retry, keymap.Abort, keymap.Check, keymap.New, keymap.NewSubtask, keymap.Rename,
				keymap.AddDependency, keymap.RemoveDependency, keymap.JumpDependency, keymap.JumpDependent, keymap.Palette, keymap.Help,
				keymap.Log, keymap.Comment, keymap.AskPlan, keymap.Pause, keymap.ThemePicker, keymap.FilterStart, keymap.SearchStart, keymap.Open,
				keymap.Statistics, keymap.Timeline, keymap.FeedActor, keymap.FeedKind,
			} {
				d.Press(dialog).Sleep(300 * time.Millisecond)
				d.Key("pgdown", "esc").Sleep(10 * time.Millisecond)
				d.Key("esc", "esc")
			}
		}
		d.Press(view, keymap.Open).Key("esc", "esc").Press(view)
		if row%tabs == 0 || row%dialogs == 0 { // which went elsewhere
			d.Press(keymap.MoveTop).Press(slices.Repeat([]keymap.Action{keymap.MoveDown}, row)...)
		}
		d.Press(keymap.MoveDown)
	}
	d.Press(keymap.MoveBottom, keymap.Open).Key("esc", "esc").Press(view)
}
