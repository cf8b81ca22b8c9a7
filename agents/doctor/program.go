package doctor

import (
	"os"
	"os/exec"
	"path/filepath"

	"vespe/agents/install"
)

// Program is how a program is called in settings: "vespe" where that is it on the PATH, or where it is not
// known, else its path.
func Program(executable string) string {
	if executable == "" {
		return "vespe"
	}
	return install.ProgramName(executable, exec.LookPath)
}

// Installed are the clients whose programs are on the PATH.
func Installed() (clients []string) {
	for _, client := range install.Clients() {
		if p, ok := programs[client]; ok {
			if _, err := exec.LookPath(p.name); err == nil {
				clients = append(clients, client)
			}
		}
	}
	return clients
}

// Home is a directory of no project.
func Home(getenv func(string) string) string {
	if home := getenv("HOME"); filepath.IsAbs(home) {
		if in, err := os.Stat(home); err == nil && in.IsDir() {
			return home
		}
	}
	return os.TempDir()
}

// CanSandbox reports a client whose sandbox can run on this machine.
func CanSandbox(s *install.Setup) bool { return s.CanSandbox(exec.LookPath) }
