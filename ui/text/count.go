package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Count is n with a comma between every three digits: 20,000.
func Count(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return sign + s
}

// Plural is "1 task", "3 tasks".
func Plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return Count(n) + " " + word + "s"
}

// Capital writes the first letter large. The path of a file stays as it is.
func Capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	first, _, _ := strings.Cut(s, " ")
	if n == 0 || strings.Contains(first, "/") && strings.Contains(strings.TrimRight(first, ".:"), ".") {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// Listed is the first n names and how many more there are.
func Listed(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}

// FirstLine is the beginning of a text, for a message.
func FirstLine(s string) string {
	line, _, more := strings.Cut(strings.TrimSpace(s), "\n")
	if more {
		line = strings.TrimRight(line, " \r") + " …"
	}
	return line
}
