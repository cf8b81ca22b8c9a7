package markdown

import (
	"sort"
	"strings"

	"vespe/model/visible"
)

// source is the text of a document as it is parsed and shown: cleaned, with an index of its
// lines. Cleaning never adds or removes a line feed, so line numbers are those of the file.
type source struct {
	text   []byte
	starts []int // offset of each line; a final line feed starts no further line
	front  int   // lines of front matter at the top, delimiters included
}

func newSource(raw []byte) source {
	s := visible.Bytes(normalize(raw))
	src := source{text: []byte(s)}
	for off := 0; off < len(s); {
		src.starts = append(src.starts, off)
		n := strings.IndexByte(s[off:], '\n')
		if n < 0 {
			break
		}
		off += n + 1
	}
	src.front = src.frontMatter()
	return src
}

// normalize turns the line ends of other systems into line feeds. A carriage return
// elsewhere stays, and is shown.
func normalize(raw []byte) []byte {
	if i := strings.IndexByte(string(raw), '\r'); i < 0 {
		return raw
	}
	return []byte(strings.ReplaceAll(string(raw), "\r\n", "\n"))
}

// lines is the number of lines.
func (s *source) lines() int { return len(s.starts) }

// line returns the text of a 1-based line without its line feed; "" when there is none.
func (s *source) line(n int) string {
	if n < 1 || n > len(s.starts) {
		return ""
	}
	end := len(s.text)
	if n < len(s.starts) {
		end = s.starts[n]
	}
	return strings.TrimSuffix(string(s.text[s.starts[n-1]:end]), "\n")
}

// lineAt is the 1-based line that holds the byte at off.
func (s *source) lineAt(off int) int {
	n := sort.SearchInts(s.starts, off+1)
	return max(1, min(n, len(s.starts)))
}

// body is the offset at which Markdown begins: after the front matter.
func (s *source) body() int {
	switch {
	case s.front == 0:
		return 0
	case s.front < len(s.starts):
		return s.starts[s.front]
	}
	return len(s.text)
}

// maxFront is the most lines that are believed to be front matter.
const maxFront = 200

// frontMatter counts the lines of a block of metadata between two lines of three dashes at
// the very top. Markdown itself would draw it as a rule and a heading.
func (s *source) frontMatter() int {
	if strings.TrimRight(s.line(1), " ") != "---" {
		return 0
	}
	for n := 2; n <= min(s.lines(), maxFront); n++ {
		switch strings.TrimRight(s.line(n), " ") {
		case "---", "...":
			return n
		case "":
			if n == 2 {
				return 0 // a rule, then a paragraph
			}
		}
	}
	return 0
}

// wordless reports whether a line consists of markup alone: fences, underlines, quote
// markers, the rule of a table.
func wordless(line string) bool { return nextWord(line) == "" }
