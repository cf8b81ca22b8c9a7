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
		for _, name := range []string{"hooks", "installed.json", "trusted.json"} { // what workers work in lies there, too
			own = append(own, filepath.Join(state, name))
		}
	}
	if cache := statedir.CachePath(getenv); cache != "" { // among it which signatures were checked
		own = append(own, cache)
	}
	for _, file := range own {
		p.Own = append(p.Own, paths(file, []string{cwd})...)
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

// paths are the absolute paths that a path may mean, seen from some directories.
func paths(path string, from []string) []string {
	var out []string
	add := func(p string) {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	if filepath.IsAbs(path) {
		add(filepath.Clean(path))
		add(real(path))
		return out
	}
	for _, dir := range from {
		if dir != "" {
			joined := dir + string(filepath.Separator) + path
			add(filepath.Clean(joined))
			add(real(joined))
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

// changers are words in the names of tools that change something, whatever else they are called.
var changers = []string{
	"write", "delete", "update", "create", "remove", "set", "add", "edit", "move", "rename", "replace", "insert", "append", "put", "post", "push", "send", "run",
	"exec", "execute", "drop", "archive", "merge", "close", "apply", "upload", "save", "modify", "patch", "clear", "reset", "cancel", "start", "stop", "and", "or",
}

// reads reports a tool that changes nothing, as far as its name says so: of those of other servers one that begins
// with a word for looking and has none for changing.
func reads(tool string) bool {
	if slices.Contains(readers, tool) {
		return true
	}
	if !strings.HasPrefix(tool, "mcp__") {
		return false
	}
	words := nameWords(tool[strings.LastIndex(tool, "__")+2:])
	if len(words) == 0 || slices.ContainsFunc(words, func(w string) bool { return slices.Contains(changers, w) }) {
		return false
	}
	return slices.Contains([]string{"read", "get", "list", "search", "find", "view", "show", "describe", "stat", "fetch"}, words[0])
}

// nameWords are the words of a name, whether lines or capitals part them, in lower case.
func nameWords(name string) []string {
	var out []string
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		begin := 0
		for i := 1; i < len(part); i++ {
			if part[i] >= 'A' && part[i] <= 'Z' && part[i-1] >= 'a' {
				out, begin = append(out, strings.ToLower(part[begin:i])), i
			}
		}
		out = append(out, strings.ToLower(part[begin:]))
	}
	return out
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
		if path != "" && len(path) < 8<<10 && !strings.ContainsRune(path, 0) && !strings.Contains(path, "\n") {
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

// looks are programs that change none of the files that they are given, unless one of the words says so.
var looks = map[string][]string{
	"cat": nil, "ls": nil, "head": nil, "tail": nil, "less": nil, "more": nil, "grep": nil, "egrep": nil, "fgrep": nil, "rg": nil, "ag": nil, "wc": nil,
	"file": nil, "stat": nil, "diff": nil, "cmp": nil, "du": nil, "df": nil, "tree": nil, "jq": nil, "sort": {"-o", "--output"}, "uniq": nil, "cut": nil,
	"echo": nil, "printf": nil, "test": nil, "[": nil, "pwd": nil, "cd": nil, "pushd": nil, "popd": nil, "which": nil, "type": nil, "basename": nil, "dirname": nil,
	"realpath": nil, "readlink": nil, "md5sum": nil, "sha256sum": nil, "shasum": nil, "xxd": nil, "od": nil, "strings": nil, "nl": nil, "tac": nil, "comm": nil, "true": nil,
	"sed": {"-i", "--in-place", "-n -i"}, "find": {"-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprintf", "-fls"}, "fd": {"-x", "-X", "--exec", "--exec-batch"},
	"bat": nil, "column": nil, "tr": nil, "export": nil, "sleep": nil, "env": nil, "printenv": nil, "date": nil, "whoami": nil, "uname": nil, "id": nil, "seq": nil,
}

// looksOf are verbs of programs that change nothing.
var looksOf = map[string][]string{
	"git": {"status", "log", "diff", "show", "blame", "ls-files", "ls-tree", "grep", "rev-parse", "cat-file", "branch", "remote", "describe", "shortlog", "add", "commit"},
}

// breaks are programs that change every file that they are given, with what is below it.
var breaks = []string{"rm", "mv", "rmdir", "shred", "unlink", "chmod", "chown", "rsync", "rename", "trash"}

// writers are programs that mostly change the files that they are given.
var writers = append([]string{"cp", "tee", "ln", "dd", "install", "mkdir", "touch", "truncate", "patch", "sed"}, breaks...)

// look reports a command that changes none of the files that it names.
func (c *command) look() bool {
	name := c.program()
	if unless, ok := looks[name]; ok {
		return !slices.ContainsFunc(c.words, func(w word) bool {
			return slices.ContainsFunc(unless, func(f string) bool {
				return w.text == f || strings.HasPrefix(w.text, f+"=") || !strings.HasPrefix(f, "--") && name == "sed" && strings.HasPrefix(w.text, "-i")
			})
		})
	}
	if verbs, ok := looksOf[name]; ok {
		for _, w := range c.words {
			if !strings.HasPrefix(w.text, "-") && !w.unsure {
				return slices.Contains(verbs, w.text)
			}
		}
	}
	return false
}

// narrows are the words by which find takes some files out of all.
var narrows = []string{"-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-newer", "-mtime", "-mmin", "-size", "-empty", "-user", "-perm"}

// findsAll reports a find that deletes whatever it finds.
func (c *command) findsAll() bool {
	has := func(list ...string) bool {
		return slices.ContainsFunc(c.words, func(w word) bool { return slices.Contains(list, w.text) })
	}
	return c.program() == "find" && has("-delete", "-exec", "-execdir") && has("-delete", "rm", "mv", "shred") && !has(narrows...)
}

// touched are the files that a script names.
func (s *script) touched(p *Places) []touch {
	from := []string{p.CWD}
	lost := false
	for _, d := range s.dirs {
		if d.unsure {
			lost = true
			continue
		}
		for _, base := range slices.Clone(from) {
			for _, to := range paths(d.text, []string{base}) {
				if len(from) < 64 && !slices.Contains(from, to) {
					from = append(from, to)
				}
			}
		}
	}
	var out []touch
	add := func(w word, write, deep, mostly bool) {
		t := touch{write: write, deep: deep, word: w.text}
		switch {
		case w.unsure || lost && !filepath.IsAbs(w.text):
			t.unsure = write && mostly
		}
		if !w.unsure {
			t.at = paths(w.text, from)
		} else if at := named(w, from); len(at) > 0 {
			t.at = at
		}
		if t.unsure || len(t.at) > 0 {
			out = append(out, t)
		}
	}
	for i := range s.commands {
		c := &s.commands[i]
		if c.program() == "vespe" {
			for _, w := range c.outputs() {
				add(w, true, false, true)
			}
			continue
		}
		write, deep, mostly := !c.look(), slices.Contains(breaks, c.program()) || c.findsAll(), slices.Contains(writers, c.program())
		for j, w := range c.words {
			if c.program() == "git" && (j > 0 && c.words[j-1].text == "-e" || strings.HasPrefix(w.text, "--exclude=")) {
				continue // what it leaves alone
			}
			if strings.HasPrefix(w.text, "-") && !strings.Contains(w.text, "=") || len(w.text) > 4<<10 || strings.Contains(w.text, "\n") {
				continue
			}
			add(w, write, deep, mostly)
			if _, value, ok := strings.Cut(w.text, "="); ok && value != "" {
				add(word{text: value, unsure: w.unsure}, write, deep, mostly)
			}
		}
	}
	for _, w := range s.writes {
		if w.text != os.DevNull {
			add(w, true, false, true)
		}
	}
	for _, w := range s.reads {
		add(w, false, false, false)
	}
	return out
}

// wide reports a pattern that would have much of a disk be listed.
func wide(pattern string) bool {
	n := 0
	for part := range strings.SplitSeq(pattern, "/") {
		if strings.ContainsAny(part, "*?[") {
			n++
		}
	}
	return n > 2
}

// named are the files that a pattern of file names means now, or the directory that a word begins with which is
// not known to its end.
func named(w word, from []string) []string {
	if strings.Contains(w.text, "\x00") {
		begin, _, _ := strings.Cut(w.text, "\x00")
		if i := strings.LastIndexByte(begin, '/'); i > 0 {
			return paths(begin[:i+1], from)
		}
		return nil
	}
	var out []string
	for _, dir := range from {
		pattern := w.text
		if !filepath.IsAbs(pattern) {
			pattern = filepath.Join(dir, pattern)
		}
		if wide(w.text) {
			continue
		}
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) > 1000 {
			continue
		}
		for _, f := range found {
			out = append(out, paths(f, nil)...)
		}
	}
	if begin := w.text[:max(0, strings.IndexAny(w.text, "*?["))]; len(out) == 0 && strings.Contains(begin, "/") {
		out = paths(begin[:strings.LastIndexByte(begin, '/')+1], from)
	}
	return out
}
