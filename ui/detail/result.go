package detail

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"vespe/model"
	"vespe/ui/markdown"
	"vespe/ui/text"
)

// resultPane is the tab with the files under result/: a list, and the one that is open.
type resultPane struct {
	loaded, stale bool
	files         []model.ResultFile
	err           error
	page          page
	open          *filePane
	summary       summaryPane
	report        DrawnReport
}

// summaryName is the file that says what was done; it is shown beneath the list.
const summaryName = "summary.md"

// summaryRows is how many rows of it are.
const summaryRows = 400

// summaryPane is the summary as it stands beneath the list.
type summaryPane struct {
	body []byte
	doc  *markdown.Doc // nil: there is none that could be read
}

// SetSummary hands over the beginning of result/summary.md, nil when there is none; parsed is it, or nil.
func (d *Detail) SetSummary(uid model.UID, body []byte, parsed *markdown.Parsed) {
	p := &d.results.summary
	if uid != d.uid || p.doc != nil && bytes.Equal(p.body, body) {
		return
	}
	*p = summaryPane{}
	if len(bytes.TrimSpace(body)) > 0 && !binary(body) {
		*p = summaryPane{body, d.docOf(body, parsed)}
		p.doc.SetRaw(d.raw)
	}
	d.results.page.valid = false
}

// docOf is a text as a document; parsed is it where it was parsed already.
func (b *base) docOf(body []byte, parsed *markdown.Parsed) *markdown.Doc {
	if parsed == nil {
		parsed = markdown.Parse(body)
	}
	return markdown.NewFrom(parsed, b.st)
}

// isReport reports that a text is the report on the work, which stands above the list already.
func (d *Detail) isReport(body []byte) bool {
	r := d.report()
	return r != nil && strings.TrimSpace(string(body)) == r.Text
}

// addSummary draws the summary beneath the list.
func (d *Detail) addSummary(s *writer) {
	doc := d.results.summary.doc
	if doc == nil || d.isReport(d.results.summary.body) {
		return
	}
	s.head(summaryName, "")
	s.p.add("")
	rows := doc.View(s.w, summaryRows)
	for len(rows) > 0 && strings.TrimSpace(text.Strip(rows[len(rows)-1])) == "" {
		rows = rows[:len(rows)-1]
	}
	for _, r := range rows {
		s.add(r)
	}
	if !doc.AtBottom() {
		s.add(d.st.Muted.Render(text.Truncate(d.st.Glyph.Ellipsis+" open the file to read on", s.w)))
	}
}

// ChosenFile is the result file that is open or under the cursor; false when the tab shows
// none.
func (d *Detail) ChosenFile() (path string, ok bool) {
	p := &d.results
	switch {
	case d.tab != Result || d.idx < 0:
	case p.open != nil:
		return p.open.path, true
	case p.page.cur >= 0 && p.page.cur < len(p.files):
		return p.files[p.page.cur].Path, true
	}
	return "", false
}

// filePane shows one result file.
type filePane struct {
	path   string
	loaded bool
	body   []byte // what was read of it
	size   int64  // of the whole file
	binary bool
	err    error
	doc    *markdown.Doc // nil for a binary file
}

// set takes the list as read. The cursor stays on its file; an open file that has changed
// is wanted again.
func (p *resultPane) set(files []model.ResultFile, err error) {
	p.loaded, p.stale, p.err = true, false, err
	if err != nil && len(p.files) > 0 {
		return
	}
	was := ""
	if c := p.page.cur; c >= 0 && c < len(p.files) {
		was = p.files[c].Path
	}
	old := p.files
	p.files = slices.Clone(files)
	slices.SortFunc(p.files, func(a, b model.ResultFile) int { return strings.Compare(a.Path, b.Path) })
	for i, f := range p.files {
		if f.Path == was {
			p.page.cur = i
		}
	}
	if p.open == nil {
		return
	}
	hash := func(list []model.ResultFile) string {
		for _, f := range list {
			if f.Path == p.open.path {
				return f.Hash
			}
		}
		return ""
	}
	switch now := hash(p.files); {
	case now == "":
		p.open = nil
	case now != hash(old):
		p.open.loaded = false
	}
}

// set takes the beginning of a file as read.
func (f *filePane) set(d *Detail, body []byte, parsed *markdown.Parsed, size int64, err error) {
	f.loaded, f.err = true, err
	if err != nil {
		return
	}
	same := f.doc != nil && bytes.Equal(body, f.body)
	f.body, f.size, f.binary = body, max(size, int64(len(body))), binary(body)
	switch {
	case f.binary:
		f.doc = nil
	case !same:
		f.doc = d.docOf(body, parsed)
		f.doc.SetRaw(d.raw || !f.markdown())
		f.doc.SetSize(d.docSize())
	}
}

// markdown reports whether the file is drawn as Markdown.
func (f *filePane) markdown() bool {
	switch strings.ToLower(path.Ext(f.path)) {
	case ".md", ".markdown", ".mdown":
		return true
	}
	return false
}

// binary reports whether a file is no text: it has a NUL near its beginning, or much of it
// is no UTF-8.
func binary(body []byte) bool {
	head := body[:min(len(body), 8192)]
	if bytes.IndexByte(head, 0) >= 0 {
		return true
	}
	bad := 0
	for i := 0; i < len(head); {
		r, n := utf8.DecodeRune(head[i:])
		if r == utf8.RuneError && n == 1 && len(head)-i >= utf8.UTFMax {
			bad++
		}
		i += n
	}
	return bad*10 > len(head)
}

func (d *Detail) resultView() []string {
	p := &d.results
	if p.open != nil {
		return d.fileView(p.open)
	}
	switch {
	case !p.loaded:
		return d.waiting()
	case p.err != nil && len(p.files) == 0:
		return d.failed(p.err)
	case len(p.files) == 0 && d.report() == nil:
		return d.noResult()
	}
	d.lay()
	return p.page.view(d.st, d.w, d.h, d.focused, d.find.page.Query())
}

func (b *base) noResult() []string {
	lines := []string{"There is no result yet.", "The worker leaves its results under result/."}
	switch b.snap.Status(b.idx) {
	case model.StatusReady:
		lines = append(lines, b.keyLine("task.start", "start the work"))
	case model.StatusRunning:
		lines = append(lines, b.keyLine("task.done", "mark the work as done"))
	}
	return b.say(lines...)
}

// layResults draws the list of files.
func (d *Detail) layResults() {
	p := &d.results
	p.page.reset(d.w, true)
	st := d.st
	s := &writer{d: d, p: &p.page, w: max(10, d.w-2)}
	if s.report(resultReport); len(p.page.rows) > 0 {
		s.head("Files", "")
	}
	if len(p.files) == 0 {
		s.add(st.Muted.Render(text.Truncate("No result files.", s.w)))
		return
	}
	var total int64
	col := 0
	for _, f := range p.files {
		total += f.Size
		col = max(col, text.Width(text.SafeLine(f.Path)))
	}
	const sizeWidth, hashWidth = 10, 10
	col = max(8, min(col, s.w-sizeWidth-2))
	for _, f := range p.files {
		dir, base := path.Split(text.SafeLine(f.Path))
		name := st.Muted.Render(dir) + st.Text.Render(base)
		row := text.Pad(name, col) + st.Muted.Render(text.PadLeft(Size(f.Size), sizeWidth))
		if col+sizeWidth+2+hashWidth <= s.w && f.Hash != "" {
			row += "  " + st.Faint.Render(short(f.Hash))
		}
		p.page.addStop(text.Truncate(row, s.w))
	}
	s.blank()
	s.add(st.Faint.Render(text.Truncate(plural(len(p.files), "file")+", "+Size(total), s.w)))
	if p.err != nil {
		s.bullet(st.Glyph.Warning, st.Bad, st.Text, "Not read again: "+p.err.Error())
	}
	d.addSummary(s)
}

// openFile opens the file under the cursor.
func (d *Detail) openFile() bool {
	p := &d.results
	if d.idx < 0 || p.open != nil || len(p.files) == 0 {
		return false
	}
	d.lay()
	if p.page.cur < 0 || p.page.cur >= len(p.files) {
		return false
	}
	f := p.files[p.page.cur]
	p.open = &filePane{path: f.Path, size: f.Size}
	d.find = newFind(d)
	return true
}

// File is the result file that is open, and what was read of it.
func (d *Detail) File() (path string, body []byte, ok bool) {
	f := d.results.open
	if d.tab != Result || f == nil || !f.loaded || f.err != nil {
		return "", nil, false
	}
	return f.path, f.body, true
}

func (d *Detail) fileView(f *filePane) []string {
	switch {
	case !f.loaded && f.doc == nil:
		return d.waiting()
	case f.err != nil:
		return d.failed(f.err)
	case f.binary:
		return d.say(text.SafeLine(f.path)+" isn't text.", Size(f.size), d.keyLine("view.open-file", "open it outside"), d.keyLine("app.back", "back to the list"))
	case f.doc == nil || f.doc.Empty() && len(f.body) == 0:
		return d.say(text.SafeLine(f.path)+" is an empty file.", d.keyLine("app.back", "back to the list"))
	}
	var out []string
	if n := d.headRows(); n > 0 {
		out = append(out, d.fileHead(f), text.Spaces(d.w))
	}
	w, h := d.docSize()
	for _, l := range f.doc.View(w, h) {
		out = append(out, " "+l+" ")
	}
	return text.Fit(out, d.w, d.h)
}

func (b *base) fileHead(f *filePane) string {
	st := b.st
	left := st.Bold.Render(text.SafeLine(f.path)) + "  " + st.Muted.Render(Size(f.size))
	if int64(len(f.body)) < f.size {
		left += "  " + st.Warn.Render("the first "+Size(int64(len(f.body))))
	}
	right := ""
	if !f.doc.AtTop() || !f.doc.AtBottom() {
		right = st.Faint.Render(fmt.Sprintf("%d%%", f.doc.Percent()))
	}
	if back := b.keyLine("app.back", "list"); back != "" {
		if right != "" {
			right += "  "
		}
		right += back
	}
	return spread(left, right, b.w)
}
