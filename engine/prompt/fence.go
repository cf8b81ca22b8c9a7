package prompt

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"vespe/model/runlog"
	"vespe/model/visible"
)

// Words that are cut are marked so.
const ellipsis = "…"

// one is a text of others as one visible line of at most about n bytes.
func one(s string, n int) string {
	cut := len(s) > 4*n
	s = visible.Line(strings.Join(strings.Fields(head(s, 4*n)), " "))
	if cut || len(s) > n {
		s = head(s, n) + ellipsis
	}
	return s
}

// quoted is one, so that it can be told from what is around it.
func quoted(s string, n int) string {
	return "“" + strings.NewReplacer("“", "'", "”", "'").Replace(one(s, n)) + "”"
}

// head is the beginning of a text: at most n bytes, and no part of a character.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := 0; i < utf8.UTFMax && n > 0 && !utf8.RuneStart(s[n]); i++ {
		n--
	}
	return s[:n]
}

// fence puts a text between lines that nothing in it can be taken for.
func fence(b *bytes.Buffer, word string, body []byte) {
	longest, n := 0, 0
	for _, c := range body {
		if n++; c != '`' {
			n = 0
		}
		longest = max(longest, n)
	}
	mark := strings.Repeat("`", max(3, longest+1))
	if bytes.HasSuffix(b.Bytes(), []byte("`\n")) {
		b.WriteByte('\n')
	}
	b.WriteString(mark + word + "\n")
	b.Write(body)
	if len(body) > 0 && body[len(body)-1] != '\n' {
		b.WriteByte('\n')
	}
	b.WriteString(mark + "\n")
}

// beginning fences the beginning of a text, and says how much is left out and where that is.
func beginning(b *bytes.Buffer, word string, body []byte, n int, rest string) {
	short := head(string(body), n)
	fence(b, word, []byte(short))
	if cut := len(body) - len(short); cut > 0 {
		fmt.Fprintf(b, "(%d more bytes are left out%s.)\n", cut, rest)
	}
}

// ending is beginning for the end of what a program printed, of which total bytes there were.
func ending(b *bytes.Buffer, body string, total int64, n int) {
	short := runlog.Tail(body, n)
	if cut := max(total, int64(len(body))) - int64(len(short)); cut > 0 {
		fmt.Fprintf(b, "(%d bytes before these are left out.)\n", cut)
	}
	fence(b, "", []byte(short))
}

// items are texts as a list of about most bytes.
func items(b *bytes.Buffer, list []string, most int, rest string) {
	start := b.Len()
	for i, s := range list {
		if i > 0 && b.Len()-start > most {
			fmt.Fprintf(b, "- (%d more are left out%s.)\n", len(list)-i, rest)
			return
		}
		fmt.Fprintf(b, "- %s\n", one(s, maxLine))
	}
}

// shell is an argv as one would type it.
func shell(argv []string) string {
	parts := make([]string, len(argv))
	for i, arg := range argv {
		if arg != "" && !strings.ContainsFunc(arg, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%_-+=:,./", r))
		}) {
			parts[i] = arg
			continue
		}
		parts[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	return strings.Join(parts, " ")
}
