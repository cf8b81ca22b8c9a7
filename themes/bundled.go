package themes

import (
	"embed"
	"fmt"
	"strings"
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

// ByName returns a built-in theme. The error of an unknown name lists the known ones.
func ByName(name string) (Theme, error) {
	var names []string
	for _, t := range Bundled() {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return Theme{}, fmt.Errorf("unknown theme %q; known: %s", name, strings.Join(names, ", "))
}
