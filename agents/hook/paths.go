package hook

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vespe/internal/lazyregexp"
	"vespe/store"
	"vespe/store/statedir"
)

// Places are the directories that a call's paths are seen from, all absolute; "" for none.
type Places struct {
	CWD      string // of the session
	Root     string // of the store: the project
	Worktree string // of a run, or the git worktree that the session is in
	Home     string
	Own      []string // the person's settings of vespe, and what it remembers: nothing of an agent's
	Binds    []string // files that set up a client's hooks and servers, in directories that the environment names
	Vespe    string   // this program, by which workers of the loop are told to call it
}

// PlacesIn are those of a directory, as far as the environment says them. own are more files of the person's, as the
// allowed signers: by them it is known who approved.
func PlacesIn(cwd, root string, getenv func(string) string, own ...string) Places {
	p := Places{CWD: cwd, Root: root, Worktree: cmp.Or(getenv("VESPE_WORKTREE"), store.Worktree(cwd)), Home: getenv("HOME")}
	settings := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(settings) && filepath.IsAbs(p.Home) {
		settings = filepath.Join(p.Home, ".config")
	}
	if filepath.IsAbs(settings) {
		dir := filepath.Join(settings, "vespe")
		own = append(own, dir, filepath.Join(dir, "config.toml")) // either may be a link to where a person keeps such files
	}
	if state := statedir.Path(getenv); state != "" {
		for _, name := range []string{"drafts", "hooks", "installed.json", "runs", "workbench.json", "trusted.json"} { // what workers work in lies there, too
			own = append(own, filepath.Join(state, name))
		}
	}
	if cache := statedir.CachePath(getenv); cache != "" { // among it which signatures were checked
		own = append(own, cache)
	}
	for _, file := range own {
		p.Own = append(p.Own, paths(file, []string{cwd})...)
	}
	for name, files := range map[string][]string{
		"CLAUDE_CONFIG_DIR": {"settings.json", "settings.local.json", ".claude.json"}, "CODEX_HOME": {"config.toml", "hooks.json"},
	} {
		for _, file := range files {
			if dir := getenv(name); dir != "" {
				p.Binds = append(p.Binds, paths(filepath.Join(dir, file), []string{cwd})...)
			}
		}
	}
	return p
}

// touch is a file that a call has to do with.
type touch struct {
	at     []string // the paths that it may have, clean and absolute
	write  bool
	deep   bool // with everything below it
	unsure bool // it may be any file
	word   string
}

// real is a path without the symbolic links in it, as far as it is there. Unlike a clean path it goes up from
// where a link leads to.
func real(path string) string {
	cur := string(filepath.Separator)
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		switch part {
		case "", ".":
		case "..":
			cur = filepath.Dir(cur)
		default:
			cur = filepath.Join(cur, part)
			if to, err := filepath.EvalSymlinks(cur); err == nil {
				cur = to
			}
		}
	}
	return cur
}

// longest is how long a path may be that a system opens, in bytes.
const longest = 4 << 10

// paths are the absolute paths that a path may mean, seen from some directories. Clients may clean a path before they open
// it, so one counts as too long only when its clean form is; no file has it then.
func paths(path string, from []string) []string {
	var out []string
	add := func(p string) {
		clean := filepath.Clean(p)
		if len(p) > longest {
			p = clean
		}
		if len(p) > longest {
			return
		}
		for _, p := range []string{clean, real(p)} {
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	if filepath.IsAbs(path) {
		add(path)
		return out
	}
	for _, dir := range from {
		if dir != "" {
			add(dir + string(filepath.Separator) + path)
		}
	}
	return out
}

// inside reports that a path is a directory or lies below it.
func inside(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// relative are the path's names from the places that patterns are seen from.
func (p *Places) relative(path string) []string {
	var out []string
	for _, dir := range []string{p.Root, p.Worktree} {
		if dir == "" {
			continue
		}
		for _, d := range []string{filepath.Clean(dir), real(dir)} {
			if inside(path, d) {
				out = append(out, strings.TrimPrefix(strings.TrimPrefix(path, d), "/"))
			}
		}
	}
	return out
}

// matches reports whether a pattern of paths is about a file. Letters in either case are the same: some disks see
// it so.
func (p *Places) matches(pattern string, t *touch) bool {
	if t.unsure && t.write {
		return true
	}
	pattern = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(pattern), "/"))
	if rest, ok := strings.CutPrefix(pattern, "~/"); ok && p.Home != "" {
		pattern = strings.ToLower(p.Home) + "/" + rest
	}
	pattern = strings.TrimPrefix(pattern, "./")
	absolute := strings.HasPrefix(pattern, "/")
	if !absolute && !strings.Contains(pattern, "/") {
		pattern = "**/" + pattern
	}
	for _, at := range t.at {
		names := []string{at}
		if !absolute {
			names = p.relative(at)
			if strings.HasPrefix(pattern, "**/") {
				names = append(names, strings.TrimPrefix(at, "/"))
			}
		}
		for _, name := range names {
			name = strings.ToLower(name)
			if glob(pattern, name) || glob(pattern+"/**", name) {
				return true
			}
			if base, _ := doublestar.SplitPattern(pattern); t.deep && base != "." && inside(base, name) || t.deep && name == "" {
				return true // what is above it goes with it
			}
		}
	}
	return false
}

func glob(pattern, name string) bool {
	ok, err := doublestar.Match(pattern, name)
	return ok || err != nil // of a rule that cannot be read everything falls under it
}

// The names that inputs of tools have for files.
var pathKeys = []string{
	"file_path", "notebook_path", "path", "filePath", "file", "filename", "target_file", "source", "destination", "from", "to",
	"paths", "files", "directory", "dir", "uri",
}

// readers are tools that change nothing.
var readers = []string{"Read", "Grep", "Glob", "LS", "NotebookRead", "ListMcpResourcesTool", "ReadMcpResourceTool", "LSP", "view_image"}

// A tool of another server changes nothing, as far as its name says so: if that begins with a word for looking, and has
// none for changing.
var (
	nameWord    = lazyregexp.New(`[A-Z]?[a-z0-9]+|[A-Z]+`)
	readingWord = lazyregexp.New(`^(read|get|list|search|find|view|show|describe|stat|fetch)$`)
	changeWord  = lazyregexp.New(`^(write|delete|update|create|remove|set|add|edit|move|rename|replace|insert|append|put|post|push|` +
		`send|run|exec|execute|drop|archive|merge|close|apply|upload|save|modify|patch|clear|reset|cancel|start|stop|and|or)$`)
)

// reads reports a tool that changes nothing.
func reads(tool string) bool {
	if !strings.HasPrefix(tool, "mcp__") {
		return slices.Contains(readers, tool)
	}
	words := nameWord.Get().FindAllString(tool[strings.LastIndex(tool, "__")+2:], -1)
	for i, w := range words {
		words[i] = strings.ToLower(w)
	}
	return len(words) > 0 && readingWord.Get().MatchString(words[0]) && !slices.ContainsFunc(words, changeWord.Get().MatchString)
}

// touched are the files that a tool's own input names.
func (c *Call) touched() []touch {
	in := parseObject(c.Input)
	from := []string{c.Places.CWD}
	var out []touch
	add := func(path string, write bool) {
		path = strings.TrimPrefix(path, "file://")
		if rest, ok := strings.CutPrefix(path, "~/"); ok && c.Places.Home != "" {
			path = filepath.Join(c.Places.Home, rest)
		}
		if path, _, _ = strings.Cut(path, "\x00"); path != "" {
			out = append(out, touch{at: paths(path, from), write: write, word: path})
		}
	}
	write := !reads(c.Tool)
	filesIn(in, func(s string) { add(s, write) }, 0)
	for _, path := range patched(in) {
		add(path, true)
	}
	return out
}

// mostNested is how deep files are looked for in an input.
const mostNested = 8

// filesIn calls name for each file that an input names, also within lists and objects: some tools take several files.
func filesIn(in object, name func(string), depth int) {
	if depth > mostNested {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(in)) {
		v := in[key]
		values := []jsontext.Value{v}
		if v.Kind() == '[' {
			values = in.list(key)
		}
		for _, v := range values {
			switch v.Kind() {
			case '{':
				filesIn(parseObject(v), name, depth+1)
			case '"':
				if s := (object{key: v}).text(key); slices.Contains(pathKeys, key) && (!strings.Contains(s, "://") || strings.HasPrefix(s, "file://")) {
					name(s)
				}
			}
		}
	}
}

// patched are the files of a patch as Codex writes them.
func patched(in object) []string {
	var out []string
	for _, key := range []string{"command", "input", "patch"} {
		text := in.text(key)
		if text == "" {
			text = strings.Join(texts(in.list(key)), "\n")
		}
		if !strings.Contains(text, "*** Begin Patch") {
			continue
		}
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			for _, head := range []string{"*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"} {
				if path, ok := strings.CutPrefix(line, head); ok {
					out = append(out, strings.TrimSpace(path))
				}
			}
		}
	}
	return out
}

func texts(list []jsontext.Value) []string {
	var out []string
	for _, v := range list {
		var s string
		if json.Unmarshal(v, &s) == nil {
			out = append(out, s)
		}
	}
	return out
}

// directories are those that a script may be in; lost says that it may be in others, too.
func (s *script) directories(p *Places) (from []string, lost bool) {
	from = []string{p.CWD}
	for _, d := range s.dirs {
		lost = lost || d.unsure
		for _, base := range slices.Clone(from) {
			to := paths(d.text, []string{base})
			if d.unsure {
				to = s.named(d, p, []string{base})
			}
			for _, to := range to {
				if len(from) < 64 && !slices.Contains(from, to) {
					from = append(from, to)
				}
			}
		}
	}
	return from, lost
}

// touched are the files that a script names.
func (s *script) touched(p *Places) []touch {
	from, lost := s.directories(p)
	made := links{}
	var out []touch
	// add takes a file. of says what the program does with it; only a program that surely changes it may change any.
	add := func(w word, of touch, surely bool) {
		of.word, of.unsure = w.text, of.write && surely && (w.unsure || lost && !filepath.IsAbs(w.text))
		if of.at = paths(w.text, from); w.unsure {
			of.at = s.named(w, p, from)
		}
		of.at = made.followed(of.at)
		if of.unsure || len(of.at) > 0 {
			out = append(out, of)
		}
	}
	for i := range s.commands {
		c := &s.commands[i]
		if c.program() == "vespe" {
			for _, w := range c.outputs() {
				add(w, touch{write: true}, true)
			}
			continue
		}
		deep := deepChangers.has(c.program())
		surely := deep || shallowChangers.has(c.program())
		of := touch{write: !c.look(), deep: deep || c.findsAll()}
		for j, w := range c.words {
			switch before := c.words[max(0, j-1)].text; {
			case c.program() == "git" && (j > 0 && before == "-e" || strings.HasPrefix(w.text, "--exclude=")):
				continue // what it leaves alone
			case c.program() == "find" && slices.Contains(findTests, before):
				continue // a pattern: findsAll knows it
			}
			_, value, assigns := strings.Cut(w.text, "=")
			switch {
			case strings.HasPrefix(w.text, "-") && !assigns: // a file may stand behind its letters
				for k := 2; of.write && k <= 4 && k < len(w.text) && w.text[1] != '-'; k++ {
					add(word{text: w.text[k:], unsure: w.unsure}, of, surely)
				}
				continue
			case strings.Contains(w.text, "\n") && !strings.Contains(w.text, ".."):
				continue // a text, and no path of this project
			}
			add(w, of, surely)
			if value != "" {
				add(word{text: value, unsure: w.unsure}, of, surely)
			}
			if c.program() == "sed" {
				for _, m := range sedFile.Get().FindAllStringSubmatch(w.text, -1) {
					add(word{text: m[1], unsure: w.unsure}, touch{write: true}, false)
				}
			}
		}
		for _, w := range c.put() {
			add(w, of, false)
		}
		made.made(c, from)
	}
	for _, w := range s.writes {
		if w.text != os.DevNull {
			add(w, touch{write: true}, true)
		}
	}
	for _, w := range s.reads {
		add(w, touch{}, false)
	}
	return out
}

// named are the files that a word may mean which is not known for certain: those that a pattern of file names means now,
// the directory that it begins with, and what its end means below a directory that is not known.
func (s *script) named(w word, p *Places, from []string) []string {
	var out []string
	known := w.text[:max(0, strings.IndexAny(w.text, "*?[\x00"))]
	stars := strings.Count(w.text, "*") + strings.Count(w.text, "?") + strings.Count(w.text, "[")
	for _, dir := range from {
		pattern := w.text
		if !filepath.IsAbs(pattern) {
			pattern = filepath.Join(dir, pattern)
		}
		if stars > mostStars || strings.Contains(pattern, "\x00") {
			break
		}
		if found, err := filepath.Glob(pattern); err == nil && len(found) <= 1000 {
			for _, f := range found {
				out = append(out, paths(f, nil)...)
			}
		}
	}
	if i := strings.LastIndexByte(known, '/'); len(out) == 0 && i >= 0 {
		out = paths(known[:i+1], from)
	}
	i := strings.LastIndexByte(w.text, 0)
	if _, tail, ok := strings.Cut(w.text[i+1:], "/"); i >= 0 && ok && tail != "" {
		out = append(out, paths(tail, from)...)
		for _, file := range slices.Concat(p.Own, p.Binds) {
			if strings.Contains(tail, "/") && strings.HasSuffix(file, "/"+tail) {
				out = append(out, file)
			}
		}
	}
	if strings.Count(w.text, "\x00") == 1 {
		for _, set := range s.sets[:min(len(s.sets), mostSets)] {
			if _, value, _ := strings.Cut(set.text, "="); value != "" && !strings.Contains(value, "\x00") {
				out = append(out, paths(strings.Replace(w.text, "\x00", value, 1), from)...)
			}
		}
	}
	return out
}

// mostSets is how many variables of a script are looked at for each word that has one.
const mostSets = 32

// mostStars is how many wildcards a pattern may have: with more, much of a disk would be listed.
const mostStars = 3
