package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/pelletier/go-toml/v2"

	"vespe/engine/worker"
	"vespe/model/visible"
)

// Config is the person's own configuration directory, $XDG_CONFIG_HOME/vespe (~/.config/vespe), and
// its config.toml as it was read when the program began. It is never in a store, which other people
// and agents write to.
type Config struct {
	getenv func(string) string
	dir    string // "" where there is none
	body   []byte
	said   map[string]any // what config.toml says

	unread, unparsed error // why it says nothing
	unknown          error // keys that it may not have: a rule may have been meant
}

// Load reads it. A file that is not there is no error.
func Load(getenv func(string) string) *Config {
	c := &Config{getenv: getenv, dir: configDir(getenv)}
	if c.dir == "" {
		return c
	}
	c.body, c.unread = readOptional(c.path())
	if c.unparsed = toml.Unmarshal(c.body, &c.said); c.unparsed != nil {
		c.said = nil // none of the file counts
	}
	for _, key := range slices.Sorted(maps.Keys(c.said)) {
		if forms[key] == "" && c.unknown == nil {
			c.unknown = fmt.Errorf("unknown key %s on line %d; the keys are %s", visible.Line(key), lineOf(c.body, key), strings.Join(slices.Sorted(maps.Keys(forms)), ", "))
		}
	}
	return c
}

// unruled is why no rule of the file can be relied on; nil where each can be. Then the strictest holds of each.
func (c *Config) unruled() error {
	if err := cmp.Or(c.unread, c.unparsed, c.unknown); err != nil {
		return fmt.Errorf("%s: %w", c.path(), err)
	}
	return nil
}

// Strict is what holds because rules of the file cannot be read: a sentence for each table. None where all can be.
func (c *Config) Strict() []string {
	if err := c.unruled(); err != nil {
		return []string{err.Error() + ". Until you correct it all agent calls and starts wait for you, nothing can be accepted, and no worker starts."}
	}
	var out []string
	if wrong := c.Gate().Rules.Unread; wrong != "" {
		out = append(out, wrong+" Until then all agent calls wait for you.")
	}
	if err := c.Rules().Signing.Err; err != nil {
		out = append(out, err.Error()+". Until you correct it nothing can be accepted.")
	}
	if wrong := c.Workers().Wrong; len(wrong) > 0 {
		out = append(out, c.path()+": "+wrong[0].Says+". Until you correct it no worker starts.")
	}
	return out
}

// Command is the program that a key of config.toml names, as a list of arguments; nil where it names none. set is
// whether the file has the key at all. A path is beside config.toml, and the program runs there, in Dir.
func (c *Config) Command(key string) (argv []string, set bool) {
	argv, ok := argvOf(c.said[key])
	if !ok {
		return nil, c.said[key] != nil
	}
	if strings.ContainsRune(argv[0], filepath.Separator) {
		argv[0] = ownPath(argv[0], c.dir, c.getenv("HOME"))
	}
	return argv, true
}

// Dir is the directory of config.toml; "" where there is none.
func (c *Config) Dir() string { return c.dir }

// Workers are the person's own settings for workers. A path of theirs is beside config.toml.
func (c *Config) Workers() worker.User {
	u := c.workerTables()
	if err := c.unruled(); err != nil {
		u.Wrong = append(u.Wrong, worker.Mistake{Says: err.Error()})
	}
	return u
}

func (c *Config) workerTables() worker.User {
	u := worker.ReadUser(c.said, func(name string) string { return ownPath(name, c.dir, c.getenv("HOME")) })
	for i := range u.Wrong {
		w := &u.Wrong[i]
		w.Says = fmt.Sprintf("line %d: %s", lineIn(c.body, w.Table, w.Key), w.Says)
	}
	return u
}

// argvOf is a list of texts that begins with a program; false for any other value.
func argvOf(value any) (argv []string, ok bool) {
	list, ok := value.([]any)
	for _, v := range list {
		arg, isText := v.(string)
		argv, ok = append(argv, arg), ok && isText
	}
	return argv, ok && len(argv) > 0 && argv[0] != ""
}

// path is that of config.toml.
func (c *Config) path() string { return filepath.Join(c.dir, "config.toml") }

// maxSettings is the most that a file of settings holds, in bytes.
const maxSettings = 1 << 20

// readOptional reads a plain file, or one that a link leads to; nil where there is none. A pipe does not wait.
func readOptional(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, os.ErrNotExist) {
		for at := path; ; at = filepath.Dir(at) { // up to what is there
			in, gone := os.Lstat(at)
			switch {
			case gone == nil && in.Mode()&os.ModeSymlink != 0:
				if _, err := os.Stat(at); err != nil {
					return nil, fmt.Errorf("%s is a link to nothing", at)
				}
				return nil, nil
			case gone == nil, at == filepath.Dir(at):
				return nil, nil
			}
		}
	}
	var at *os.PathError
	if errors.As(err, &at) {
		return nil, at.Err // who asked knows the path
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case st.Size() > maxSettings:
		return nil, fmt.Errorf("it has %d bytes; at most %d are read", st.Size(), maxSettings)
	}
	return io.ReadAll(io.LimitReader(f, maxSettings))
}

// configDir is "" where there is none. A path that is not absolute is none: it would lead
// into the repository that vespe is started in.
func configDir(getenv func(string) string) string {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "vespe")
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "vespe")
	}
	return ""
}
