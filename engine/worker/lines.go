package worker

import "bytes"

// MaxLine is how much of a line of a worker's output is kept, in bytes: its beginning.
const MaxLine = 1 << 20

// lines cuts what is written to it into lines, however long they are.
type lines struct {
	line []byte // of the line that is not whole yet, at most MaxLine
	cut  int    // bytes of it that are left out
}

// write calls take for each line that has become whole, without its end. The line is take's to keep
// only until it returns.
func (l *lines) write(p []byte, take func(line []byte, cut int)) {
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			l.add(p)
			return
		}
		if len(l.line) == 0 && l.cut == 0 && i <= MaxLine {
			take(p[:i], 0)
		} else {
			l.add(p[:i])
			l.end(take)
		}
		p = p[i+1:]
	}
}

func (l *lines) add(p []byte) {
	n := min(len(p), MaxLine-len(l.line))
	l.line = append(l.line, p[:n]...)
	l.cut += len(p) - n
}

// end takes what there is of a line as one.
func (l *lines) end(take func(line []byte, cut int)) {
	if len(l.line) > 0 || l.cut > 0 {
		line, cut := l.line, l.cut
		l.line, l.cut = l.line[:0], 0
		take(line, cut)
	} else {
		take(nil, 0)
	}
}
