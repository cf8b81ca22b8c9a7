package app

import (
	"context"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"vespe/internal/lookpath"
)

// lookupTime is how long another program may take to say a name.
const lookupTime = 2 * time.Second

// gitName is the person's user.name of git; "" where git is not there or knows none. git is that of path,
// and not one that lies in a project (lookpath.Find). The name is that of the person and the
// machine: what a repository says of itself anybody may have written who writes into it.
func gitName(environ []string, path, dir string) string {
	git := lookpath.Find("git", path, dir)
	if git == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookupTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, git, "-c", "core.hooksPath=/dev/null", "config", "--includes", "--get", "user.name")
	cmd.Dir, cmd.WaitDelay = string(filepath.Separator), time.Second
	keep := []string{"PATH", "HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"}
	cmd.Env = []string{"GIT_CEILING_DIRECTORIES=/", "GIT_DIR=/dev/null", "LC_ALL=C"}
	for _, kv := range environ {
		if name, _, _ := strings.Cut(kv, "="); slices.Contains(keep, name) {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// setHome sets a HOME that is missing, or no path, to what home says: the rules and the state of the person are there.
func setHome(home func() string) {
	if filepath.IsAbs(os.Getenv("HOME")) {
		return
	}
	if dir := home(); filepath.IsAbs(dir) {
		_ = os.Setenv("HOME", dir) // a path has no NUL
	}
}

// accountHome is the home of the account that runs the program; "" when there is none.
func accountHome() string {
	_, home := accountOf(strconv.Itoa(os.Getuid()))
	return home
}

// account is the name of the account that runs the program; "" when there is none.
func account() string {
	name, _ := accountOf(strconv.Itoa(os.Getuid()))
	return name
}

// accountOf is the name and the home of an account. A program that is built without C reads only /etc/passwd; getent
// knows the accounts of a directory service too.
func accountOf(uid string) (name, home string) {
	if u, err := user.LookupId(uid); err == nil {
		return u.Username, u.HomeDir
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookupTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/usr/bin/getent", "passwd", uid)
	cmd.Env = []string{"LC_ALL=C"}
	out, err := cmd.Output()
	if f := strings.Split(strings.TrimSpace(string(out)), ":"); err == nil && len(f) == 7 {
		return f[0], f[5]
	}
	return "", ""
}
