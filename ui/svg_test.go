package ui_test

import (
	"fmt"
	"html"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
)

// The size of a cell in a picture, in pixels, and how far below its top the text stands.
const (
	cellW, cellH = 8.4, 17.0
	baseline     = 12.9
)

// frameSVG draws a frame of w by h cells, as a group of an SVG. Each run of cells of one look is one text that is as wide
// as its cells, whatever font draws it.
func frameSVG(frame string, w, h int) string {
	em := vt.NewEmulator(w, h)
	_, _ = em.WriteString(strings.ReplaceAll(frame, "\n", "\r\n"))
	var b strings.Builder
	for y := range h {
		for x := 0; x < w; {
			from, look := x, em.CellAt(x, y).Style
			var words strings.Builder
			for x < w && em.CellAt(x, y).Style.Equal(&look) {
				c := em.CellAt(x, y)
				words.WriteString(c.Content)
				x += max(1, c.Width)
			}
			drawRun(&b, look, words.String(), from, y, x-from)
		}
	}
	return b.String()
}

func drawRun(b *strings.Builder, look uv.Style, words string, x, y, width int) {
	fg, bg := look.Fg, look.Bg
	if look.Attrs&uv.AttrReverse != 0 {
		fg, bg = bg, fg
	}
	left, top, wide := float64(x)*cellW, float64(y)*cellH, float64(width)*cellW
	if bg != nil {
		fmt.Fprintf(b, `<path fill="%s" d="M%.1f %.1fh%.1fv%.0fh-%.1fz"/>`, hex(bg), left, top, wide, cellH, wide)
	}
	if strings.TrimSpace(words) == "" {
		return
	}
	var more string
	if fg != nil {
		more += ` fill="` + hex(fg) + `"`
	}
	for _, a := range []struct {
		on   bool
		attr string
	}{
		{look.Attrs&uv.AttrBold != 0, ` font-weight="bold"`},
		{look.Attrs&uv.AttrItalic != 0, ` font-style="italic"`},
		{look.Attrs&uv.AttrFaint != 0, ` opacity=".6"`},
		{look.Underline != uv.UnderlineNone, ` text-decoration="underline"`},
		{look.Attrs&uv.AttrStrikethrough != 0, ` text-decoration="line-through"`},
	} {
		if a.on {
			more += a.attr
		}
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" textLength="%.1f"%s>%s</text>`+"\n", left, top+baseline, wide, more, html.EscapeString(words))
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// pictureSVG is a picture of frames that follow each other, each for its seconds; of one frame, a still picture.
func pictureSVG(frames []shot, w, h int) string {
	wide, high := float64(w)*cellW, float64(h)*cellH
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="ui-monospace, 'JetBrains Mono', 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#c8ccd4" xml:space="preserve">`+"\n", wide+16, high+16)
	b.WriteString("<style>text{white-space:pre}")
	total := 0.0
	for _, f := range frames {
		total += f.seconds
	}
	at := 0.0
	for i, f := range frames {
		if len(frames) > 1 {
			first := map[bool]string{true: "visible", false: "hidden"}[i == 0] // and all that a program shows that plays nothing
			fmt.Fprintf(&b, ".f%d{visibility:%s;animation:k%d %.1fs step-end infinite}@keyframes k%d{0%%{visibility:%s}%.2f%%{visibility:visible}%.2f%%{visibility:hidden}}\n",
				i, first, i, total, i, first, 100*at/total, 100*(at+f.seconds)/total)
		}
		at += f.seconds
	}
	fmt.Fprintf(&b, "</style><rect width=\"%.0f\" height=\"%.0f\" rx=\"8\" fill=\"#14161c\"/>\n", wide+16, high+16)
	for i, f := range frames {
		fmt.Fprintf(&b, "<g class=\"f%d\" transform=\"translate(8 8)\">%s</g>\n", i, frameSVG(f.frame, w, h))
	}
	return b.String() + "</svg>\n"
}

// shot is a frame of a picture.
type shot struct {
	frame   string
	seconds float64
}
