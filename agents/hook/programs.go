package hook

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"vespe/internal/lazyregexp"
)

// wordList is a list of words that is split when it is first asked: most calls of the hook need few of them.
type wordList struct {
	text string
	once sync.Once
	set  map[string]bool
}

func (l *wordList) has(word string) bool {
	l.once.Do(func() {
		l.set = map[string]bool{}
		for w := range strings.FieldsSeq(l.text) {
			l.set[w] = true
		}
	})
	return l.set[word]
}

// looks are programs that change none of the files that they are given, unless they have a flag of changing.
var looks = wordList{text: `cat ls head tail less more grep egrep fgrep rg ag wc file stat diff cmp du df jq
	cut echo printf test [ pwd cd pushd popd which type basename dirname realpath readlink md5sum sha256sum shasum od
	strings nl tac comm true bat column tr export sleep env printenv date whoami uname id seq sort fd tree find`}

// changing are flags with which a program of looks changes files.
func changing(program string) []string {
	switch program {
	case "sort":
		return []string{"-o", "--o"}
	case "fd":
		return []string{"-x", "-X", "--exec"}
	case "tree":
		return []string{"-o"}
	case "find":
		return []string{"-delete", "-exec", "-ok", "-fprint", "-fls"}
	}
	return nil
}

// gitLooks are git's verbs that change none of the files that they name.
var gitLooks = wordList{text: `status log diff show blame ls-files ls-tree grep rev-parse cat-file branch remote describe shortlog add commit`}

// changers are programs that mostly change the files that they are given: deep those that take what is below, too.
var (
	deepChangers    = wordList{text: `rm mv rmdir shred unlink chmod chown rsync rename trash`}
	shallowChangers = wordList{text: `cp tee ln dd install mkdir touch truncate patch sed`}
)

// sedWrites is an option of sed that changes the files, and sedFile a file that a program of sed writes.
var (
	sedWrites = lazyregexp.New(`^(-[A-Za-z]*i|--i)`)
	sedFile   = lazyregexp.New(`[wW]\s+([^\s;}]+)`)
)

// look reports a command that changes none of the files that it names.
func (c *command) look() bool {
	switch c.program() {
	case "git":
		i := slices.IndexFunc(c.words, func(w word) bool { return !strings.HasPrefix(w.text, "-") && !w.unsure })
		return i >= 0 && gitLooks.has(c.words[i].text) &&
			!c.has(func(text string) bool { return text == "--output" || strings.HasPrefix(text, "--output=") })
	case "sed":
		return !c.has(sedWrites.Get().MatchString)
	case "uniq", "xxd": // the second file is written
		return len(c.operands()) < 2
	}
	return looks.has(c.program()) && !c.has(func(text string) bool {
		return slices.ContainsFunc(changing(c.program()), func(flag string) bool { return strings.HasPrefix(text, flag) })
	})
}

// operands are the words of a command that are no options.
func (c *command) operands() []word {
	return slices.DeleteFunc(slices.Clone(c.words), func(w word) bool { return strings.HasPrefix(w.text, "-") })
}

// changes reports a program that is known to change the files that it is given, and a shell that runs one.
func (c *command) changes() bool {
	known := deepChangers.has(c.program()) || shallowChangers.has(c.program())
	return known && !c.look() || shells.has(c.program()) && slices.ContainsFunc(c.words, func(w word) bool {
		s := readScript(w.text, "")
		return len(s.writes) > 0 || slices.ContainsFunc(s.commands, func(c command) bool { return c.changes() })
	})
}

// storeFiles are some files of a store.
var storeFiles = []string{".vespe/config.json", ".vespe/store.json", ".vespe/log/1.json", ".vespe/tasks/tsk/status.json", ".vespe/tasks/tsk/plan.md"}

// findTests are tests of find that may leave out files of a store.
var findTests = []string{"-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename"}

// findsAll reports a find that changes what it finds, and whose tests leave files of a store in, if one is below where it
// begins.
func (c *command) findsAll() bool {
	if c.program() != "find" {
		return false
	}
	changes, left := false, []string(nil)
	roots := c.words[:max(0, slices.IndexFunc(c.words, func(w word) bool { return strings.HasPrefix(w.text, "-") || w.text == "!" }))]
	if len(roots) == 0 {
		roots = []word{{text: "."}}
	}
	for _, root := range roots {
		for _, file := range storeFiles {
			left = append(left, strings.ToLower(strings.TrimSuffix(root.text, "/")+"/"+file))
		}
	}
	for i, w := range c.words {
		rest := c.words[i+1:]
		switch {
		case w.text == "-delete" || strings.HasPrefix(w.text, "-fprint") || w.text == "-fls":
			changes = true
		case slices.Contains(wrappersOf("find"), w.text) && len(rest) > 0:
			run := command{name: rest[0], words: rest[1:]}
			changes = changes || run.changes()
		case slices.Contains(findTests, w.text) && len(rest) > 0 && !rest[0].unsure:
			prunes := len(rest) > 1 && rest[1].text == "-prune" // what is below, too
			out := prunes || i > 0 && (c.words[i-1].text == "!" || c.words[i-1].text == "-not")
			left = slices.DeleteFunc(left, func(file string) bool {
				found := false
				for at := file; at != "" && !found && (at == file || prunes); at = at[:max(0, strings.LastIndexByte(at, '/'))] {
					name := at
					if strings.HasSuffix(w.text, "iname") || w.text == "-name" {
						name = filepath.Base(at)
					}
					found = alikeAcross(strings.ToLower(rest[0].text), name)
				}
				return found == out
			})
		}
	}
	return changes && len(left) > 0
}

// links are links that a script makes: where each leads, by its path.
type links map[string]string

// made takes those that a command makes.
func (l links) made(c *command, from []string) {
	files := c.operands()
	if c.program() != "ln" || len(files) == 0 {
		return
	}
	name := filepath.Base(files[0].text)
	if len(files) > 1 {
		name = files[len(files)-1].text
	}
	for _, at := range paths(name, from) {
		for _, to := range paths(files[0].text, append([]string{filepath.Dir(at)}, from...)) {
			l[at], l[filepath.Join(at, filepath.Base(to))] = to, to
		}
	}
}

// followed are paths with those to which links lead.
func (l links) followed(at []string) []string {
	for _, path := range at {
		for name, to := range l {
			if inside(path, name) {
				at = append(at, to+strings.TrimPrefix(path, name))
			}
		}
	}
	return at
}

// put are the files that a command makes in a directory, which is its last word.
func (c *command) put() (out []word) {
	files := c.operands()
	if n := len(files) - 1; n > 0 && slices.Contains([]string{"cp", "mv", "ln", "install", "rsync", "scp"}, c.program()) {
		for _, f := range files[:n] {
			out = append(out, word{text: files[n].text + "/" + filepath.Base(f.text), unsure: files[n].unsure || f.unsure})
		}
	}
	return out
}
