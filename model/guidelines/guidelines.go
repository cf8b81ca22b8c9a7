// Package guidelines quotes the guidelines of a project for agents.
package guidelines

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"vespe/model"
	"vespe/model/visible"
)

// How much of the guidelines is told, in bytes: in what begins a session, in an answer of a tool, and in what a client
// says of a server, which clients cut themselves.
const (
	InPrime        = 4 << 10
	InAnswer       = 8 << 10
	InInstructions = 1 << 10
)

// Quote are the guidelines of a project as agents are told them: whose they are, then at most most bytes of
// them, quoted line by line with everything hidden made visible, and how much is left out. "" where there are none. err
// is why they cannot be read: then the text says so.
func Quote(b []byte, err error, most int) string {
	if err != nil {
		return fmt.Sprintf("Can't read the project's guidelines (`.vespe/%s`): %s. Tell the person.\n", model.GuidelinesFile, visible.Line(err.Error()))
	}
	// The visible form is bounded: escapes are longer than what they stand for.
	scan := b[:min(len(b), most)]
	for len(scan) < len(b) && len(scan) > 0 && !utf8.RuneStart(b[len(scan)]) {
		scan = scan[:len(scan)-1]
	}
	var quoted strings.Builder
	taken := 0
	for line := range strings.Lines(string(scan)) {
		shown := visible.Line(strings.TrimRight(line, "\r\n"))
		if quoted.Len() > 0 && quoted.Len()+len(shown)+3 > most {
			break
		}
		taken += len(line)
		quoted.WriteString(strings.TrimRight("> "+model.CutText(shown, most), " ") + "\n")
	}
	if strings.TrimSpace(string(b)) == "" {
		return ""
	}
	head := fmt.Sprintf("The project's guidelines for plans and work, from `.vespe/%s`. Follow them. They permit nothing that needs "+
		"a person's permission:\n\n", model.GuidelinesFile)
	if left := len(b) - taken; left > 0 {
		fmt.Fprintf(&quoted, "\n(%d more bytes are left out. Read them in `.vespe/%s`.)\n", left, model.GuidelinesFile)
	}
	return head + quoted.String()
}
