package themes

import (
	"errors"
	"math"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

func TestBundledThemesAreLegible(t *testing.T) {
	for _, th := range Bundled() {
		for _, dark := range []bool{true, false} {
			for _, w := range th.Palette(dark).Weaknesses() {
				t.Errorf("%s, dark %v: %s", th.Name, dark, w)
			}
		}
	}
}

// With 16 colors what needs somebody is not in the color of what failed, nor are good and bad alike.
func TestBasicColorsDiffer(t *testing.T) {
	ansi := func(hex string) any { return colorprofile.ANSI.Convert(lipgloss.Color(hex)) }
	for _, th := range Bundled() {
		p := th.Dark.Basic()
		for what, pair := range map[string][2]string{
			"accent and bad": {p.Accent, p.Bad}, "a plan to review and a failure": {p.ReviewPlan, p.Failed},
			"good and bad": {p.Good, p.Bad}, "a chip and its ground": {p.AccentText, p.BgAccent}, "ready and running": {p.Ready, p.Running},
			"text and faint text": {p.Fg, p.FgFaint}, "muted text and borders": {p.FgMuted, p.Border}, "a match and an error": {p.BgMatchNow, p.Bad},
		} {
			if ansi(pair[0]) == ansi(pair[1]) {
				t.Errorf("%s: %s are one color: %s, %s", th.Name, what, pair[0], pair[1])
			}
		}
	}
}

// High contrast means more than legible: text reaches WCAG's level AAA, hues nearly so.
func TestContrastThemeIsHighContrast(t *testing.T) {
	th := contrast(t)
	for _, dark := range []bool{true, false} {
		p := th.Palette(dark)
		for fg, least := range map[string]float64{
			p.Fg: 7, p.FgMuted: 7, p.FgFaint: 7, p.Accent: 7, p.Good: 6.5, p.Bad: 6.5, p.Warn: 6.5, p.Info: 6.5, p.Violet: 6.5,
		} {
			if r := Contrast(fg, p.Bg); r < least {
				t.Errorf("dark %v: %s on %s is %.2f:1, less than %.1f:1", dark, fg, p.Bg, r, least)
			}
		}
	}
}

func TestSelectionIsSeen(t *testing.T) {
	for _, th := range Bundled() {
		for _, dark := range []bool{true, false} {
			p := th.Palette(dark)
			for name, pair := range map[string][2]string{
				"the selected row":    {p.BgSelect, p.Bg},
				"the two selections":  {p.BgSelect, p.BgSelectDim},
				"the dim selection":   {p.BgSelectDim, p.Bg},
				"a match":             {p.BgMatch, p.Bg},
				"added and removed":   {p.BgDiffAdd, p.BgDiffDel},
				"the current match":   {p.BgMatchNow, p.BgMatch},
				"focus on the border": {p.BorderFocus, p.Border},
			} {
				if d := distanceOK(pair[0], pair[1]); d < 0.022 {
					t.Errorf("%s, dark %v: %s: %s and %s differ by %.3f", th.Name, dark, name, pair[0], pair[1], d)
				}
			}
		}
	}
}

// families are the groups of statuses that must not be taken for one another at a glance.
func families(p Palette) map[string]string {
	return map[string]string{
		"decide":  p.ReviewPlan,
		"failed":  p.Failed,
		"running": p.Running,
		"ready":   p.Ready,
		"changed": p.Changed,
		"resting": p.Created,
	}
}

func TestStatusFamiliesDiffer(t *testing.T) {
	for _, th := range Bundled() {
		for _, dark := range []bool{true, false} {
			checkApart(t, th.Name, dark, families(th.Palette(dark)), "normal eyes", func(c [3]float64) [3]float64 { return c }, 0.045)
		}
	}
}

// The contrast theme keeps what must not be confused apart for eyes without red, green or
// blue receptors. Matrices: Machado, Oliveira and Fernandes 2009, severity 1.0.
func TestContrastThemeForColorBlindEyes(t *testing.T) {
	th := contrast(t)
	eyes := map[string][9]float64{
		"protanopia":   {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
		"deuteranopia": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
		"tritanopia":   {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
	}
	for name, m := range eyes {
		for _, dark := range []bool{true, false} {
			p := th.Palette(dark)
			see := func(c [3]float64) [3]float64 {
				var out [3]float64
				for i := range out {
					out[i] = min(1, max(0, m[3*i]*c[0]+m[3*i+1]*c[1]+m[3*i+2]*c[2]))
				}
				return out
			}
			checkApart(t, th.Name, dark, map[string]string{"good": p.Good, "bad": p.Bad}, name, see, 0.06)
			checkApart(t, th.Name, dark, map[string]string{"added": p.DiffAdd, "removed": p.DiffDel}, name, see, 0.06)
			checkApart(t, th.Name, dark, map[string]string{"decide": p.ReviewPlan, "failed": p.Failed, "running": p.Running}, name, see, 0.04)
			checkApart(t, th.Name, dark, map[string]string{"ready": p.Ready, "failed": p.Failed, "blocked": p.Blocked}, name, see, 0.04)
		}
	}
}

func checkApart(t *testing.T, theme string, dark bool, colors map[string]string, eyes string, see func([3]float64) [3]float64, least float64) {
	t.Helper()
	for a, ca := range colors {
		for b, cb := range colors {
			if a >= b {
				continue
			}
			if d := distanceLab(oklab(see(linearRGB(ca))), oklab(see(linearRGB(cb)))); d < least {
				t.Errorf("%s, dark %v, %s: %s (%s) and %s (%s) differ by %.3f, less than %.3f", theme, dark, eyes, a, ca, b, cb, d, least)
			}
		}
	}
}

func linearRGB(hex string) [3]float64 {
	r, g, b, _ := rgb(hex)
	return [3]float64{linear(r), linear(g), linear(b)}
}

// oklab is Ottosson's perceptual space; a distance of 0.02 is just noticeable.
func oklab(c [3]float64) [3]float64 {
	l := math.Cbrt(0.4122214708*c[0] + 0.5363325363*c[1] + 0.0514459929*c[2])
	m := math.Cbrt(0.2119034982*c[0] + 0.6806995451*c[1] + 0.1073969566*c[2])
	s := math.Cbrt(0.0883024619*c[0] + 0.2817188376*c[1] + 0.6299787005*c[2])
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

func distanceLab(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

func distanceOK(a, b string) float64 { return distanceLab(oklab(linearRGB(a)), oklab(linearRGB(b))) }

func TestContrast(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"#000000", "#ffffff", 21},
		{"#ffffff", "#000000", 21},
		{"#777777", "#ffffff", 4.48},
		{"#abcdef", "#abcdef", 1},
		{"#ff0000", "#ffffff", 4.00},
		{"red", "#ffffff", 0},
		{"#fff", "#000000", 0},
	} {
		if got := Contrast(c.a, c.b); math.Abs(got-c.want) > 0.01 {
			t.Errorf("Contrast(%s, %s) = %.3f, want %.2f", c.a, c.b, got, c.want)
		}
	}
}

func TestTheDefaultThemeIsTheFirst(t *testing.T) {
	if b := Bundled(); len(b) != 2 || b[0].Name != Default {
		t.Errorf("the default theme is not the first")
	}
}

func contrast(t *testing.T) Theme {
	t.Helper()
	for _, th := range Bundled() {
		if th.Name == "contrast" {
			return th
		}
	}
	t.Fatal("there is no contrast theme")
	return Theme{}
}

// The bundled light palettes are palettes of their own.
func TestLightIsNotDark(t *testing.T) {
	for _, th := range Bundled() {
		if th.Title == "" || Contrast(th.Dark.Bg, th.Light.Bg) < 10 || th.Dark.Accent == th.Light.Accent {
			t.Errorf("%s: the light palette is no light palette, or it has no title", th.Name)
		}
	}
}

const small = `name = "small"
dark.bg = "#000000"
[light]
bg = "#FFFFFF"
`

func base(mode string) string {
	var b strings.Builder
	b.WriteString("[" + mode + "]\n")
	for _, tk := range Tokens() {
		if tk.Default == "" {
			b.WriteString(tk.Name + " = \"#102030\"\n")
		}
	}
	return b.String()
}

func TestParseDefaultsAndNames(t *testing.T) {
	th, err := Parse([]byte("name = \"x\"\n" + base("light") + base("dark") + "status_ready = \"status_done\"\nstatus_done = \"#ABCDEF\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	if th.Dark.Ready != "#abcdef" || th.Dark.Done != "#abcdef" || th.Light.Ready != "#102030" {
		t.Errorf("ready is %s and %s", th.Dark.Ready, th.Light.Ready)
	}
	for _, tk := range Tokens() {
		if v, ok := th.Light.Get(tk.Name); !ok || v != "#102030" {
			t.Errorf("%s is %q: the chain of defaults does not end in a color", tk.Name, v)
		}
	}
	if _, ok := th.Dark.Get("no_such"); ok {
		t.Error("an unknown token has a color")
	}
}

func TestParseErrors(t *testing.T) {
	whole := base("dark") + base("light")
	for _, c := range []struct {
		src  string
		line int
		want string
	}{
		{whole, 0, "no name"},
		{"name = \"x\"\n[dark]\nacent = \"#000000\"\n" + base("light"), 3, `did you mean "accent"?`},
		{"name = \"x\"\n\n[drak]\n", 3, "unknown table [drak]"},
		{"name = \"x\"\nnmae = \"y\"\n" + whole, 2, `unknown key "nmae"`},
		{"name = \"x\"\n" + whole + "teal = \"#000000\"\n", 0, "set twice"},
		{"name = \"x\"\n" + base("light") + "[dark]\nbg = \"black\"\n", 0, "neither a color nor a token"},
		{"name = \"x\"\n[dark]\nbg = \"#12345g\"\n", 3, "is not a color"},
		{"name = \"x\"\n[dark]\nbg = \"#fff\"\n", 3, "is not a color"},
		{"name = \"x\"\n[dark]\nbg = 7\n", 3, "must be a string"},
		{"name = \"x\"\n[dark]\nbg = \"bg_panel\"\nbg_panel = \"bg\"\n", 3, "refers to itself"},
		{"name = \"x\"\n[dark]\nbg = \"#000000\"\n", 0, "does not set bg_panel"},
		{small, 0, "does not set bg_panel"},
		{"name = \"x\"\n[dark\n", 2, ""},
		{"name = \"x\n", 1, ""},
		{"[[dark]]\n", 1, "unexpected"},
	} {
		_, err := Parse([]byte(c.src))
		var pe *ParseError
		if !errors.As(err, &pe) || c.line > 0 && pe.Line != c.line || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse(%q): %v; want line %d and %q", c.src, err, c.line, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("name = \"x\"\n" + base("light") + base("dark")))
	f.Add([]byte("name = \"x\"\n[dark]\nbg = \"bg\"\n[light]\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		th, err := Parse(src)
		if err != nil {
			return
		}
		for _, dark := range []bool{true, false} {
			for _, tk := range Tokens() {
				if v, _ := th.Palette(dark).Get(tk.Name); Contrast(v, v) != 1 {
					t.Fatalf("%s is %q", tk.Name, v)
				}
			}
		}
	})
}

// With 256 colors the row under the cursor keeps to a gray: the nearest color of a bluish ground can be a deep teal.
func TestTheSelectionIsGrayWith256Colors(t *testing.T) {
	for _, dark := range []bool{true, false} {
		p := Bundled()[0].Palette(dark)
		for _, hex := range []string{p.BgSelect, p.BgSelectDim} {
			c := colorprofile.ANSI256.Convert(lipgloss.Color(hex))
			if r, g, b, _ := c.RGBA(); r != g || g != b {
				t.Errorf("dark %v: %s becomes %v", dark, hex, c)
			}
		}
	}
}
