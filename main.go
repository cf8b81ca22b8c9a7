// Command vespe is the review desk for work done by AI agents: a terminal workbench and a
// command line over the plain files of a .vespe directory.
package main

import (
	"os"

	"vespe/internal/app"
	"vespe/internal/workbench"
)

// version is set by the linker.
var version string

func main() { os.Exit(app.Main(app.Program{Version: version, Workbench: workbench.Open})) }
