// Command vespe-cli is vespe without the packages that draw the workbench, which take longer to initialize than a verb
// runs. `make` builds it as vespe, and the whole program beside it as vespe-workbench.
package main

import (
	"os"

	"vespe/internal/app"
)

// The linker sets these. workbench is the build ID of the vespe-workbench that belongs to this program.
var version, workbench string

func main() { os.Exit(app.Main(app.Program{Version: version, Workbench: app.BecomePart(workbench)})) }
