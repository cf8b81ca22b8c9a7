package keymap

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestTableIsComplete(t *testing.T) {
	seen := map[Action]bool{}
	groups := Groups()
	for _, s := range Actions() {
		if seen[s.Action] {
			t.Errorf("%s is in the table twice", s.Action)
		}
		seen[s.Action] = true
		if s.Title == "" || s.Help == "" || !strings.HasSuffix(s.Help, ".") {
			t.Errorf("%s has no title, or its help is no sentence: %q, %q", s.Action, s.Title, s.Help)
		}
		if len(s.Title) > 18 {
			t.Errorf("%s: the title %q is too long for a footer", s.Action, s.Title)
		}
		if !slices.Contains(groups, s.Group) {
			t.Errorf("%s is in the group %q, which the help does not have", s.Action, s.Group)
		}
		if len(s.On) == 0 && s.Hidden || len(s.Scopes) == 0 {
			t.Errorf("%s can't be reached: it has no scope, or no key and no row in the palette", s.Action)
		}
		for _, sc := range s.Scopes {
			if !slices.Contains(Scopes(), sc) {
				t.Errorf("%s is in the unknown scope %q", s.Action, sc)
			}
		}
		if !strings.Contains(string(s.Action), ".") || strings.ToLower(string(s.Action)) != string(s.Action) {
			t.Errorf("%q is not spelled as an action", s.Action)
		}
	}
}

// Every constant of actions.go is a row of the table: an action without a row could never
// be fired.
func TestEveryActionHasARow(t *testing.T) {
	src, err := os.ReadFile("actions.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.SplitSeq(string(src), "\n") {
		_, value, ok := strings.Cut(line, " Action = ")
		if !ok {
			continue
		}
		n++
		if _, ok := Default().Spec(Action(strings.Trim(value, `"`))); !ok {
			t.Errorf("%s has no row", value)
		}
	}
	if n != len(Actions()) {
		t.Errorf("%d constants and %d rows", n, len(Actions()))
	}
}

// A person must be able to fire every transition of the lifecycle that is not the
// system's own; and the table names no other.
func TestEveryTransitionHasAKey(t *testing.T) {
	want := []string{
		"define_objective", "define_plan", "accept_plan", "reject_plan", "start", "work_completed",
		"review_accepted", "review_rejected", "error", "retry", "reopen", "skip", "stop", "spawn_subtask", "pause", "resume",
		"abort", "check", "revalidate", "replan", "undo", "undo", "question_plan", "defer_plan", "comment",
		"answer_comments", "resolve_comment", "reopen_comment",
		"revalidate", "retry", "reopen", // by the key of a verdict or of work, too
		"reopen_comment", // by replying to an answer, too
		"answer", "answer", "answer", "answer", "answer", "answer", "answer",
	}
	var got []string
	for _, s := range Actions() {
		got = append(got, s.Transitions()...)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the table fires %v, want %v", got, want)
	}
}

// The keys that the design gives to features that are not built yet do nothing.
func TestKeysOfLaterFeaturesAreAbsent(t *testing.T) {
	k := Default()
	for _, chain := range Chains()[:8] {
		for _, key := range []string{"T", "U", "Q", "D", "W", "Y"} {
			if a, continues, ok := k.Resolve(chain, nil, key); ok || continues {
				t.Errorf("in %v %q does %q", chain, key, a)
			}
		}
	}
}

func TestDesignKeys(t *testing.T) {
	k := Default()
	tree, detail, graph := ChainFor(Tree), ChainFor(Detail), ChainFor(Graph)
	for _, c := range []struct {
		scopes []Scope
		keys   string
		want   Action
	}{
		{tree, "j", MoveDown},
		{tree, "k", MoveUp},
		{tree, "G", MoveBottom},
		{tree, "g", MoveTop},
		{tree, "ctrl+u", MoveHalfUp},
		{tree, "ctrl+d", MoveHalfDown},
		{tree, "h", Left},
		{tree, "l", Right},
		{graph, "h", Left},
		{graph, "l", Right},
		{detail, "n", PlaceNext},
		{detail, "N", PlacePrev},
		{tree, "tab", FocusNext},
		{tree, "1", ViewNumber},
		{ChainFor(Inbox), "2", RequestChoose},
		{tree, "v", ViewLayout},
		{detail, "v", Raw},
		{tree, "z", Zoom},
		{ChainFor(Map), "z", MapFarther},
		{tree, "enter", Open},
		{ChainFor(Map), "enter", MapEnter},
		{tree, "a", Accept},
		{detail, "r", Reject},
		{tree, "d", Diff},
		{tree, "s", Start},
		{ChainFor(Runs), "s", LoopToggle},
		{tree, "p", Pause},
		{tree, "+", New},
		{tree, "o", OpenFile},
		{tree, "/", SearchStart},
		{tree, "f", FilterStart},
		{tree, ":", Palette},
		{tree, "ctrl+p", Palette},
		{tree, "?", Help},
		{tree, "space", Select},
		{detail, "space", LineRange},
		{detail, "c", Comment},
		{detail, "x", CommentSettle},
		{tree, "u", Undo},
		{tree, "e", EditShown},
		{tree, "q", Quit},
		{tree, "esc", Back},
		{tree, "ctrl+c", Quit},
		{tree, "ctrl+z", Suspend},
		{append([]Scope{Matches}, tree...), "n", SearchNext},
		{append([]Scope{Matches}, detail...), "N", SearchPrev},
		{ChainFor(Confirm), "n", ConfirmNo},
		{ChainFor(Confirm), "esc", ConfirmNo},
		{ChainFor(Pager), "j", MoveDown},
		{ChainFor(Compose), "ctrl+s", ComposeSend},
		{ChainFor(Picker), "ctrl+s", PickerChoose},
	} {
		steps := strings.Split(c.keys, " ")
		for i, key := range steps {
			a, continues, ok := k.Resolve(c.scopes, steps[:i], key)
			if last := i == len(steps)-1; ok != last || continues == last || last && a != c.want {
				t.Errorf("%v %q: %q, continues %v, ok %v; want %q", c.scopes, c.keys, a, continues, ok, c.want)
			}
		}
	}
}

// A yes is never on the key that opened the question or that confirms what has the focus by
// habit.
func TestConfirmingTakesItsOwnKey(t *testing.T) {
	for _, key := range Default().Keys(ConfirmYes) {
		if key == "enter" || key == "space" {
			t.Errorf("%q answers yes", key)
		}
		if a, _, ok := Default().Resolve(ChainFor(Tree), nil, key); ok && a != RequestOpen {
			t.Errorf("%q answers yes and is %s in the tree", key, a)
		}
	}
}

func TestResolveForgetsDeadChords(t *testing.T) {
	a, continues, ok := Default().Resolve(ChainFor(Tree), []string{"Y"}, "j")
	if a != "" || continues || ok {
		t.Errorf("Y j: %q %v %v", a, continues, ok)
	}
}

func TestContinuations(t *testing.T) {
	k, err := Default().With(map[Action][]string{JumpParent: {"Y p"}, CopyID: {"Y i"}, FoldAll: {"Y M"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := k.Continuations(ChainFor(Tree), nil); got != nil {
		t.Errorf("nothing pending, and %v may follow", got)
	}
	got := map[string]Action{}
	for _, b := range k.Continuations(ChainFor(Detail), []string{"Y"}) {
		got[b.Next] = b.Action
	}
	if len(got) != 2 || got["p"] != JumpParent || got["i"] != CopyID {
		t.Errorf("after Y: %v", got) // folding the tree is not offered where there is none
	}
}

// At most 40 keys have a meaning, beside the arrows and those that go by a page; and each has one.
func TestFewKeysOfOneMeaning(t *testing.T) {
	means := map[string]Key{}
	n := 0
	for _, m := range Meanings() {
		if !slices.Contains([]Key{KeyHalfDown, KeyHalfUp, KeyPageDown, KeyPageUp}, m.Name) {
			n++
		}
		if !strings.HasSuffix(m.Help, ".") {
			t.Errorf("%s: its help is no sentence: %q", m.Name, m.Help)
		}
		for _, key := range m.Keys {
			if other, twice := means[key]; twice {
				t.Errorf("%q means %s and %s", key, m.Name, other)
			}
			means[key] = m.Name
		}
	}
	if n > 40 {
		t.Errorf("%d meanings", n)
	}
	used := map[Key]bool{}
	for _, s := range Actions() {
		for _, on := range s.On {
			used[on] = true
			if slices.ContainsFunc(Meanings(), func(m Meaning) bool { return m.Name == on }) {
				continue
			}
			switch key := string(on); key { // what is no meaning is an alias, or the answer no
			case "shift+tab", "ctrl+n", "ctrl+p":
			case "n":
				if s.Action != ConfirmNo {
					t.Errorf("%s has the key n", s.Action)
				}
			default:
				t.Errorf("%s has the key %q, which has no meaning", s.Action, on)
			}
		}
	}
	for _, m := range Meanings() {
		if !used[m.Name] {
			t.Errorf("nothing is done on %s", m.Name)
		}
	}
}

// A person gives a meaning another key, and every action has it.
func TestAMeaningHasAnotherKey(t *testing.T) {
	k, err := Default().With(map[Action][]string{Action(KeyZoom): {"i"}, MapFarther: {"ctrl+t"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		scopes []Scope
		key    string
		want   Action
	}{{ChainFor(Tree), "i", Zoom}, {ChainFor(Map), "ctrl+t", MapFarther}, {ChainFor(Map), "z", ""}} {
		if a, _, _ := k.Resolve(c.scopes, nil, c.key); a != c.want {
			t.Errorf("%v %s is %q, want %q", c.scopes, c.key, a, c.want)
		}
	}
	if _, err := Default().With(map[Action][]string{Action(KeyZoom): {"a"}}); err == nil || !strings.Contains(err.Error(), "is both") {
		t.Errorf("a key with two meanings: %v", err)
	}
}

// What is typed is text, also where the same key means something elsewhere.
func TestLettersAreTextWhereOneTypes(t *testing.T) {
	for _, sc := range []Scope{Search, Prompt, Compose, Picker} {
		for _, b := range Default().Bindings(sc) {
			if len([]rune(b.Key)) == 1 || b.Key == "space" || b.Key == "backspace" {
				t.Errorf("%s %q is %s", sc, b.Key, b.Action)
			}
		}
	}
}

func TestNoClashes(t *testing.T) {
	for _, c := range Default().Clashes() {
		t.Errorf("%s in %v", c, c.Chain)
	}
}

func TestWith(t *testing.T) {
	k, err := Default().With(map[Action][]string{Accept: {"ctrl+y"}, Reject: {}, MoveTop: {"Home"}, JumpParent: {"^"}})
	if err != nil {
		t.Fatal(err)
	}
	if a, _, _ := k.Resolve(ChainFor(Tree), nil, "ctrl+y"); a != Accept {
		t.Errorf("ctrl+y is %q", a)
	}
	for _, key := range []string{"a", "r"} {
		if a, _, ok := k.Resolve(ChainFor(Tree), nil, key); ok {
			t.Errorf("%s is still %q", key, a)
		}
	}
	if k.Label(Accept) != "^y" || k.Label(Reject) != "" || k.Label("no.such") != "" {
		t.Errorf("labels %q, %q", k.Label(Accept), k.Label(Reject))
	}
	if Default().Label(Accept) != "a" {
		t.Error("With changed the keymap it was called on")
	}
	again, err := k.With(map[Action][]string{Accept: {"a"}})
	if err != nil || again.Label(Accept) != "a" || again.Label(Reject) != "" {
		t.Errorf("a second With: %v", err)
	}
}

func TestWithRefuses(t *testing.T) {
	for _, c := range []struct {
		overrides map[Action][]string
		want      string
	}{
		{map[Action][]string{"task.acept": {"a"}}, `did you mean "task.accept"?`},
		{map[Action][]string{Accept: {"ctl+y"}}, `"ctl+y" is not a key`},
		{map[Action][]string{Accept: {"r"}}, `"r" is both task.accept and task.reject`},
		{map[Action][]string{Accept: {"Y"}, CopyID: {"Y i"}}, `starts`},
		{map[Action][]string{Accept: {"j"}}, `"j" is both task.accept and move.down`},
		{map[Action][]string{Accept: {"ctrl+i"}}, "terminals send it as tab"},
		{map[Action][]string{PickerChoose: {"esc"}}, "picker.cancel"},
	} {
		if _, err := Default().With(c.overrides); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("With(%v): %v; want %q", c.overrides, err, c.want)
		}
	}
	// Scopes that are never active together may share keys.
	if _, err := Default().With(map[Action][]string{PlaceNext: {"}"}, GroupNext: {"}"}}); err != nil {
		t.Error(err)
	}
}

func TestIn(t *testing.T) {
	k := Default()
	has := func(specs []Spec, a Action) bool {
		return slices.ContainsFunc(specs, func(s Spec) bool { return s.Action == a })
	}
	tree := k.In(ChainFor(Tree))
	if !has(tree, New) || !has(tree, FoldAll) || !has(tree, Raw) || !has(tree, LoopToggle) || has(tree, PlaceNext) || has(tree, PickerChoose) {
		t.Error("the wrong actions work in the tree")
	}
	searching := k.In(append([]Scope{Matches}, ChainFor(Tree)...))
	if !has(searching, New) || !has(searching, SearchNext) {
		t.Error("the wrong actions work while searching")
	}
	if has(k.In(append([]Scope{Matches}, ChainFor(Detail)...)), PlaceNext) {
		t.Error("a search does not take n")
	}
	k, err := k.With(map[Action][]string{New: {"i", "ctrl+t"}, Abort: {}})
	if err != nil {
		t.Fatal(err)
	}
	if !has(k.In(append([]Scope{Matches}, ChainFor(Tree)...)), New) || !has(k.In(ChainFor(Tree)), Abort) {
		t.Error("an action is missing although another key of it works, or it has none at all")
	}
}

func BenchmarkResolve(b *testing.B) {
	k := Default()
	chain := append([]Scope{Matches}, ChainFor(Tree)...)
	for b.Loop() {
		k.Resolve(chain, nil, "ctrl+z")
	}
}

func BenchmarkDefault(b *testing.B) {
	for b.Loop() {
		Default()
	}
}
