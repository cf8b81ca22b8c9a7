package gitinternal

import (
	"strconv"
	"strings"
)

// touched is one file of a patch.
type touched struct {
	path           string
	change         string // add, modify, delete, rename or copy
	added, deleted int    // lines
}

// touchedBy are the files of a patch as git writes it.
func touchedBy(patch string) []touched {
	var out []touched
	old, fresh := 0, 0 // lines of the hunk that are still to come
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
		if old > 0 || fresh > 0 {
			switch {
			case strings.HasPrefix(line, "+"):
				f.added++
				fresh--
			case strings.HasPrefix(line, "-"):
				f.deleted++
				old--
			case strings.HasPrefix(line, `\`):
			default:
				old--
				fresh--
			}
			continue
		}
		if strings.HasPrefix(line, "@@ ") {
			old, fresh = hunk(line)
			continue
		}
		f.header(line)
	}
	return out
}

func (f *touched) header(line string) {
	for _, h := range []struct{ starts, change string }{
		{"new file mode ", "add"}, {"deleted file mode ", "delete"}, {"rename to ", "rename"}, {"copy to ", "copy"},
	} {
		if rest, ok := strings.CutPrefix(line, h.starts); ok {
			f.change = h.change
			if h.change == "rename" || h.change == "copy" {
				f.path = plain(rest)
			}
			return
		}
	}
	for _, side := range []string{"--- a/", "+++ b/", `--- "a/`, `+++ "b/`} {
		if strings.HasPrefix(line, side) {
			p := plain(strings.TrimRight(line[4:], "\t"))
			f.path = p[2:]
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

// hunk reads how many lines of both sides a hunk has.
func hunk(line string) (old, fresh int) {
	f := strings.Fields(line)
	if len(f) < 3 {
		return 0, 0
	}
	count := func(s string) int {
		_, n, ok := strings.Cut(s, ",")
		if !ok {
			return 1
		}
		v, err := strconv.Atoi(n)
		if err != nil {
			return 0
		}
		return max(v, 0)
	}
	return count(f[1]), count(f[2])
}
