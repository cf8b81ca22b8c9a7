package gitinternal

import (
	"cmp"
	"strconv"
	"strings"

	"vespe/internal/lazyregexp"
)

// touched is one file of a patch.
type touched struct {
	path           string
	change         string // add, modify, delete, rename or copy
	added, deleted int    // lines
}

var hunkHead = lazyregexp.New(`^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@`)

// touchedBy are the files of a patch as git writes it.
func touchedBy(patch string) []touched {
	var out []touched
	old, fresh := 0, 0 // lines of the hunk that are still to come
	count := func(s string) int {
		n, _ := strconv.Atoi(cmp.Or(s, "1"))
		return n
	}
	for line := range strings.Lines(patch) {
		line = strings.TrimSuffix(line, "\n")
		if head, ok := strings.CutPrefix(line, "diff --git "); ok && old <= 0 && fresh <= 0 {
			out = append(out, touched{path: headPath(head), change: "modify"})
			continue
		}
		if len(out) == 0 {
			continue
		}
		f := &out[len(out)-1]
		if old <= 0 && fresh <= 0 {
			if m := hunkHead.Get().FindStringSubmatch(line); m != nil {
				old, fresh = count(m[1]), count(m[2])
			} else {
				f.header(line)
			}
			continue
		}
		switch line[:min(len(line), 1)] {
		case "+":
			f.added++
			fresh--
		case "-":
			f.deleted++
			old--
		case `\`:
		default:
			old--
			fresh--
		}
	}
	return out
}

func (f *touched) header(line string) {
	for _, h := range []struct{ starts, change, side string }{
		{"new file mode ", "add", ""},
		{"deleted file mode ", "delete", ""},
		{"rename to ", "rename", ""},
		{"copy to ", "copy", ""},
		{"--- ", "", "a/"},
		{"+++ ", "", "b/"},
	} {
		rest, ok := strings.CutPrefix(line, h.starts)
		if !ok {
			continue
		}
		f.change = cmp.Or(h.change, f.change)
		path, ofSide := strings.CutPrefix(plain(strings.TrimRight(rest, "\t")), h.side)
		if h.change == "rename" || h.change == "copy" || h.side != "" && ofSide {
			f.path = path
		}
	}
}

// headPath is the path in the first line of a file: both sides have the same, but where headers say more.
func headPath(head string) string {
	if strings.HasPrefix(head, `"`) {
		if q, err := strconv.QuotedPrefix(head); err == nil {
			return strings.TrimPrefix(plain(q), "a/")
		}
	}
	half := (len(head) - 1) / 2
	return strings.TrimPrefix(head[:max(half, 0)], "a/")
}

// plain is a path without the quotes that git puts around odd ones.
func plain(p string) string {
	if strings.HasPrefix(p, `"`) {
		if s, err := strconv.Unquote(p); err == nil {
			return valid(s)
		}
	}
	return p
}
