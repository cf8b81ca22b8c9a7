package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/pelletier/go-toml/v2"

	"vespe/engine/worker"
	"vespe/internal/signing"
	"vespe/internal/tomltext"
	"vespe/model"
)

// Config is the person's own configuration directory, $XDG_CONFIG_HOME/vespe (~/.config/vespe), and
// its config.toml as it was read when the program began. It is never in a store, which other people
// and agents write to.
type Config struct {
	getenv  func(string) string
	dir     string // "" where there is none
	file    file   // what config.toml says
	workers worker.User
	lines   map[string]int // of its entries
	wrong   []tomltext.Mistake
	broken  error // why none of config.toml counts
}

// Load reads it. A file that is not there is no error.
func Load(getenv func(string) string) *Config {
	c := &Config{getenv: getenv, dir: configDir(getenv)}
	var said map[string]any
	if c.dir != "" {
		body, err := readOptional(c.path())
		if err == nil {
			err = toml.Unmarshal(body, &said)
		}
		var bad *toml.DecodeError
		if errors.As(err, &bad) {
			line, _ := bad.Position()
			err = fmt.Errorf("line %d: %w", line, err)
		}
		if err != nil {
			c.broken, said = fmt.Errorf("%s: %w", c.path(), err), nil
		}
		c.lines = tomltext.Lines(body)
	}
	c.workers = worker.ReadUser(said, c.own)
	delete(said, "worker")
	delete(said, "workers")
	c.wrong = append(tomltext.Fill(said, "", &c.file, nil), c.workers.Wrong...)
	slices.SortStableFunc(c.wrong, func(a, b tomltext.Mistake) int { return cmp.Compare(a.Line(c.lines), b.Line(c.lines)) })
	return c
}

// mistakes are those below some keys of config.toml, as a person reads them.
func (c *Config) mistakes(is func(top string) bool) []string {
	var out []string
	for _, m := range c.wrong {
		if top, _, _ := strings.Cut(m.Key, "."); is(top) {
			out = append(out, m.At(c.lines))
		}
	}
	return out
}

// unruled is why no rule of the file can be relied on; nil where each can be. Then the strictest holds of each. An
// unknown key may have been meant as a rule.
func (c *Config) unruled() error {
	if c.broken != nil {
		return c.broken
	}
	if unknown := c.mistakes(func(top string) bool { return !slices.Contains(tomltext.Keys(c.file), top) }); len(unknown) > 0 {
		return fmt.Errorf("%s: %s", c.path(), unknown[0])
	}
	return nil
}

// Strict is what holds because rules of the file cannot be read: a sentence for each table. None where all can be.
func (c *Config) Strict() []string {
	if err := c.unruled(); err != nil {
		return []string{err.Error() + ". Until you correct it all agent calls and starts wait for you, nothing can be accepted, and no worker starts."}
	}
	var out []string
	if wrong := c.Gate().Unread; wrong != "" {
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

// Gate is [gate]: which calls of agents wait for the person. A store cannot take any of it back. A rule that was written
// wrong must not mean that nothing waits.
func (c *Config) Gate() model.GateRules {
	if err := c.unruled(); err != nil {
		return model.GateRules{Unread: err.Error() + ". Correct the file."} // the workbench says so, too
	}
	g := c.file.Gate
	rules := model.GateRules{Tools: g.Tools, Commands: g.Commands, Paths: g.Paths, Reads: g.Reads, Risk: g.Risk}
	if wrong := c.mistakes(func(top string) bool { return top == "gate" }); len(wrong) > 0 {
		rules.Unread = c.path() + ": " + strings.Join(wrong, "; ") + ". Correct it."
	}
	return rules
}

// Rules are what a person asks of approvals: the tables [approvals], [hitl] and [cli]. A store cannot lower them.
type Rules struct {
	Signing signing.Config
	// AcceptWithoutTerminal lets the verbs that give a verdict be used by scripts.
	AcceptWithoutTerminal bool
	// AcceptInsideAgents lets them be used in the environment of a known agent.
	AcceptInsideAgents bool
	// StartConsent is the least risk of tasks that the person is asked about before an agent
	// starts them; "" for none.
	StartConsent string
}

// Rules are what config.toml says of approvals. A mistake makes every approval fail: a word that was written wrong must
// not mean that nothing is asked for.
func (c *Config) Rules() Rules {
	if err := c.unruled(); err != nil {
		return Rules{Signing: signing.Config{Err: err}, StartConsent: model.RiskLow} // the workbench says so, too
	}
	a, cli := c.file.Approvals, c.file.CLI
	rules := Rules{
		Signing:               signing.Config{Key: c.own(a.SigningKey), AllowedSigners: c.own(a.AllowedSigners), Needed: a.Required},
		AcceptWithoutTerminal: cli.AcceptWithoutTerminal, AcceptInsideAgents: cli.AcceptInsideAgents,
		StartConsent: c.file.HITL.Start,
	}
	wrong := c.mistakes(func(top string) bool { return slices.Contains([]string{"approvals", "hitl", "cli"}, top) })
	if len(wrong) > 0 { // who wrote something wanted to be asked
		rules.Signing.Err, rules.StartConsent = errors.New(c.path()+": "+strings.Join(wrong, "; ")), model.RiskLow
	}
	return rules
}

// ScoreCommand is the program that config.toml names, as a list of arguments; nil where it names none.
// A path is beside config.toml, and the program runs there, in Dir. wrong says that the key names no program.
func (c *Config) ScoreCommand() (argv []string, wrong bool) {
	if len(c.mistakes(func(top string) bool { return top == "score_command" })) > 0 {
		return nil, true
	}
	out := slices.Clone([]string(c.file.ScoreCommand))
	if len(out) > 0 && strings.ContainsRune(out[0], filepath.Separator) {
		out[0] = c.own(out[0])
	}
	return out, false
}

// Dir is the directory of config.toml; "" where there is none.
func (c *Config) Dir() string { return c.dir }

// Workers are the person's own settings for workers. A path of theirs is beside config.toml.
func (c *Config) Workers() worker.User {
	u := c.workers
	u.Wrong = slices.Clone(u.Wrong)
	for i := range u.Wrong {
		u.Wrong[i].Says = u.Wrong[i].At(c.lines)
	}
	if err := c.unruled(); err != nil {
		u.Wrong = append(u.Wrong, tomltext.Mistake{Says: err.Error()})
	}
	return u
}

// path is that of config.toml.
func (c *Config) path() string { return filepath.Join(c.dir, "config.toml") }

// own is a path as the person means it: below their home, or beside config.toml.
func (c *Config) own(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && c.getenv("HOME") != "" {
		return filepath.Join(c.getenv("HOME"), rest)
	}
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.dir, path)
}

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
		return nil, fmt.Errorf("it has %d bytes; the limit is %d", st.Size(), maxSettings)
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
