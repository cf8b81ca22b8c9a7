package themes

import (
	"embed"
)

//go:embed vespe.toml contrast.toml
var files embed.FS

// Default is the name of the theme that is used when nobody chose one.
const Default = "vespe"

// Bundled returns the built-in themes, the default first.
func Bundled() []Theme {
	var out []Theme
	for _, name := range []string{Default, "contrast"} {
		b, err := files.ReadFile(name + ".toml")
		if err == nil {
			var t Theme
			if t, err = Parse(b); err == nil {
				out = append(out, t)
				continue
			}
		}
		panic("themes: built-in theme " + name + ": " + err.Error()) // a broken build, caught by the tests
	}
	return out
}
