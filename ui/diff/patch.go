package diff

import (
	"strconv"
	"strings"

	"vespe/ui/text"
)

// Patch reads a patch as git writes it (git-diff, "generating patch text with -p") as a comparison: a
// head for each file, and its hunks with the lines around them. A reader stops at the lines of the patch,
// counted from 1, in place of those of two texts: Spot, Picked and Note mean these. What is no patch
// stands there as it is.
func Patch(patch string) *Comparison {
	c := &Comparison{work: mostWork, patch: true}
	p := patchReader{c: c, lines: strings.Split(strings.TrimSuffix(patch, "\n"), "\n")}
	if patch == "" {
		p.lines = nil
	}
	for p.at < len(p.lines) {
		line := p.lines[p.at]
		switch {
		case strings.HasPrefix(line, "diff --git "):
			p.file(line)
		case strings.HasPrefix(line, "@@ "):
			p.hunk(line)
		default:
			p.header(line)
		}
	}
	p.close()
	return c
}

// File is one file of a patch.
type File struct {
	Path         string // untrusted, as the patch has it
	What         string // "new", "deleted", "binary", "renamed from …"; "" for a file that was changed
	Added, Taken int    // lines
}

// Files are the files of a patch.
func (c *Comparison) Files() []File { return c.files }

// Lopsided reports whether the patch adds so much more than it takes away that setting the two beside
// each other would leave one side empty.
func (c *Comparison) Lopsided() bool { return 3*c.taken < c.added }

// Where is the file that a line of the patch is about, and which line of it: of the file as it is after
// the patch, or of the one before it where the line is taken away; 0 where it is about the file as a whole.
func (c *Comparison) Where(at int) (path string, line int) {
	file := -1
	for i := range c.rows {
		r := &c.rows[i]
		if r.kind == heading {
			file = r.hidden
		}
		switch at {
		case r.new.at:
			line = r.new.no
		case r.old.at:
			line = r.old.no
		default:
			continue
		}
		if file >= 0 {
			path = c.files[file].Path
		}
		return path, line
	}
	return "", 0
}

// patchReader reads a patch line by line.
type patchReader struct {
	c     *Comparison
	lines []string
	at    int // the next line, from 0
	head  int // the row of the file's head, -1 for none
	hunks int // of the file
}

// row appends a row.
func (p *patchReader) row(r diffRow) { p.c.rows = append(p.c.rows, r) }

// file begins a file.
func (p *patchReader) file(line string) {
	p.close()
	path := strings.TrimPrefix(line, "diff --git ")
	if n := len(path); n%2 == 1 && n > 3 && strings.HasPrefix(path, "a/") && path[n/2:] == " b/"+path[2:n/2] {
		path = path[2 : n/2] // both names are the same
	}
	p.c.files = append(p.c.files, File{Path: path})
	p.head, p.hunks = len(p.c.rows), 0
	p.row(diffRow{kind: heading, hidden: len(p.c.files) - 1, new: side{at: p.at + 1}})
	p.at++
}

// close ends a file: one without hunks is a difference of its own.
func (p *patchReader) close() {
	if len(p.c.files) == 0 || p.hunks > 0 {
		return
	}
	p.c.hunks = append(p.c.hunks, p.head)
	p.c.spans = append(p.c.spans, Hunk{})
}

// header is a line between the beginning of a file and its first hunk, or one that is no patch.
func (p *patchReader) header(line string) {
	at := p.at
	p.at++
	if len(p.c.files) == 0 {
		p.row(diffRow{kind: equal, old: side{text: text.Safe(line)}, new: side{text: text.Safe(line), at: at + 1}})
		return
	}
	f := &p.c.files[len(p.c.files)-1]
	rest := func(prefix string) (string, bool) { return strings.CutPrefix(line, prefix) }
	switch {
	case strings.HasPrefix(line, "new file mode "):
		f.What = strings.TrimSpace("new " + kind(line))
	case strings.HasPrefix(line, "deleted file mode "):
		f.What = strings.TrimSpace("deleted " + kind(line))
	case strings.HasPrefix(line, "GIT binary patch"), strings.HasPrefix(line, "Binary files "):
		f.What = strings.TrimSpace(f.What + " binary")
	}
	if was, ok := rest("rename from "); ok {
		f.What = strings.TrimPrefix(f.What+", renamed from "+was, ", ")
	} else if was, ok := rest("copy from "); ok {
		f.What = strings.TrimPrefix(f.What+", copied from "+was, ", ")
	} else if mode, ok := rest("new mode "); ok {
		if f.What = "mode " + mode; kind(line) != "" {
			f.What = "now " + kind(line)
		} else if mode == "100644" {
			f.What = "no longer executable"
		}
	}
	for _, prefix := range []string{"+++ b/", "--- a/", "rename to ", "copy to "} {
		if path, ok := rest(prefix); ok {
			f.Path = strings.TrimSuffix(path, "\t")
		}
	}
}

// kind is what a header's mode makes of a file where that is more than a file with text: its lines alone
// would not say that they are where a link leads.
func kind(line string) string {
	switch line[strings.LastIndexByte(line, ' ')+1:] {
	case "100755":
		return "executable"
	case "120000":
		return "symlink"
	case "160000":
		return "submodule"
	}
	return ""
}

// hunk reads a hunk; its head says how many lines it has.
func (p *patchReader) hunk(line string) {
	if len(p.c.files) == 0 { // a patch of no git: its file is not known
		p.c.files = append(p.c.files, File{})
		p.head = len(p.c.rows)
		p.row(diffRow{kind: heading, new: side{at: p.at + 1}})
	}
	p.hunks++
	f := &p.c.files[len(p.c.files)-1]
	i, olds, j, news, about := hunkHead(line)
	if p.hunks > 1 || i > 1 || j > 1 || about != "" { // else nothing is left out before it
		p.row(diffRow{kind: part, new: side{no: j, text: text.SafeLine(about)}})
	}
	p.at++
	i, j = max(0, i-1), max(0, j-1) // lines before the next one
	for p.at < len(p.lines) && (olds > 0 || news > 0 || strings.HasPrefix(p.lines[p.at], `\`)) {
		line := p.lines[p.at]
		sign, body := byte(' '), ""
		if line != "" {
			sign, body = line[0], line[1:]
		}
		switch sign {
		case ' ':
			s := text.Safe(body)
			p.row(diffRow{old: side{no: i + 1, text: s}, new: side{no: j + 1, text: s, at: p.at + 1}})
			i, j, olds, news = i+1, j+1, olds-1, news-1
			p.at++
		case '-', '+':
			taken, added := p.change(f, i, j)
			i, j, olds, news = i+taken, j+added, olds-taken, news-added
		case '\\': // the last line has no newline
			p.at++
		default:
			return
		}
	}
}

// change reads lines that were taken away and those in their place.
func (p *patchReader) change(f *File, i, j int) (taken, added int) {
	oldAt := p.at
	old, oldBare := p.run('-')
	newAt := p.at
	now, nowBare := p.run('+')
	if i, j := len(old)-1, len(now)-1; i >= 0 && j >= 0 && oldBare != nowBare && old[i] == now[j] { // nothing else would be seen
		if oldBare {
			old[i] += noNewline
		} else {
			now[j] += noNewline
		}
	}
	c, from := p.c, len(p.c.rows)
	c.hunks = append(c.hunks, from)
	c.spans = append(c.spans, Hunk{i + 1, i + len(old), j + 1, j + len(now)})
	c.replace(old, now, i, j)
	for r := from; r < len(c.rows); r++ {
		if no := c.rows[r].old.no; no > 0 {
			c.rows[r].old.at = oldAt + no - i
		}
		if no := c.rows[r].new.no; no > 0 {
			c.rows[r].new.at = newAt + no - j
		}
	}
	c.taken, c.added = c.taken+len(old), c.added+len(now)
	f.Taken, f.Added = f.Taken+len(old), f.Added+len(now)
	return len(old), len(now)
}

// noNewline is said of a last line that differs by nothing but that it does not end.
const noNewline = "  (no newline at the end)"

// run takes the lines with a sign that follow each other; bare says that the last has no newline.
func (p *patchReader) run(sign byte) (out []string, bare bool) {
	for ; p.at < len(p.lines) && p.lines[p.at] != "" && (p.lines[p.at][0] == sign || p.lines[p.at][0] == '\\' && len(out) > 0); p.at++ {
		if p.lines[p.at][0] == sign {
			out = append(out, text.Safe(p.lines[p.at][1:]))
		}
		bare = p.lines[p.at][0] != sign
	}
	return out, bare
}

// hunkHead reads "@@ -12,3 +12,4 @@ func f() {".
func hunkHead(line string) (i, olds, j, news int, about string) {
	span, about, _ := strings.Cut(strings.TrimPrefix(line, "@@ "), " @@")
	minus, plus, _ := strings.Cut(span, " ")
	one := func(s, sign string) (from, n int) {
		a, b, has := strings.Cut(strings.TrimPrefix(s, sign), ",")
		from, _ = strconv.Atoi(a)
		if n = 1; has {
			n, _ = strconv.Atoi(b)
		}
		return max(0, min(from, mostLine)), max(0, min(n, mostLine))
	}
	i, olds = one(minus, "-")
	j, news = one(plus, "+")
	return i + b2i(olds == 0), olds, j + b2i(news == 0), news, strings.TrimSpace(about)
}

// mostLine keeps what a patch says about its lines from being any number.
const mostLine = 1 << 30

// b2i is 1 for true. Of a side without lines a hunk's head names the line before.
func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
