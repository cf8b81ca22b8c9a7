package signing

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"vespe/internal/lookpath"
	"vespe/model"
	"vespe/model/review"
)

const (
	signTime   = 60 * time.Second // somebody may have to touch a key
	attestTime = 10 * time.Second
	maxOutput  = 64 << 10 // bytes of what ssh-keygen says

	mostSigners = 1 << 20 // bytes that a file of allowed signers holds
)

// Config is what a person has set.
type Config struct {
	Key            string // file of the key that signs, private or public; "": nothing is signed
	AllowedSigners string // file; "": nobody's signature counts
	// Needed are the levels that approvals must have, by risk; a risk that is not there needs
	// none. "" is a risk that nobody named.
	Needed map[string]review.Level
	// Remembered is a file that Viewer keeps answers of ssh-keygen in; "": it keeps them until the process ends.
	Remembered string
	// Err is why the configuration cannot be believed: then nothing is known to be enough.
	Err error
}

// Files are the files that say who signed, and the key: who can write them can approve as the person.
func (c Config) Files() []string {
	var out []string
	for _, file := range []string{c.Key, strings.TrimSuffix(c.Key, ".pub"), c.AllowedSigners} {
		if file != "" {
			out = append(out, file)
		}
	}
	return out
}

// Keys signs and attests by a configuration.
type Keys struct {
	conf    Config
	environ []string
	// Terminal lets ssh-keygen ask on the terminal, for the passphrase of a key.
	Terminal bool
	program  string
	mu       sync.Mutex
	own      []byte // the key that signed last: it is the person's
	answers  answers
}

// New is Keys of a configuration; environ is the person's environment, for the agent of their keys.
func New(conf Config, environ []string) *Keys {
	return &Keys{conf: conf, environ: environ, program: "ssh-keygen", answers: answers{file: conf.Remembered}}
}

// CanSign reports whether there is a key to sign with.
func (k *Keys) CanSign() bool { return k.conf.Key != "" && k.conf.Err == nil }

// Required implements review.Attestor.
func (k *Keys) Required(risk string) (review.Level, error) {
	return k.conf.Needed[risk], k.conf.Err
}

// Stamp changes whenever the answers of Attest may: when the file of the allowed signers, or the person's key, has changed.
func (k *Keys) Stamp() string {
	k.mu.Lock()
	own := string(k.own)
	k.mu.Unlock()
	in, err := os.Stat(k.conf.AllowedSigners)
	if err != nil {
		return own
	}
	return fmt.Sprintf("%d %d %s", in.ModTime().UnixNano(), in.Size(), own)
}

// Sign signs a statement with the person's key, in the armored form of ssh-keygen.
func (k *Keys) Sign(ctx context.Context, statement []byte) (string, error) {
	if k.conf.Err != nil {
		return "", k.conf.Err
	}
	ctx, cancel := context.WithTimeout(ctx, signTime)
	defer cancel()
	out, err := k.run(ctx, k.Terminal, statement, "-Y", "sign", "-q", "-n", review.ApprovalNamespace, "-f", k.conf.Key)
	if err != nil {
		return "", fmt.Errorf("can't sign it with %s: %w", k.conf.Key, k.noKey(err))
	}
	sig, err := parseSignature(string(out))
	if err != nil {
		return "", fmt.Errorf("ssh-keygen made no signature: %w", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.own = sig.public
	return string(out), nil
}

// noKey says of a key that its passphrase is missing, in place of what ssh-keygen says of it.
func (k *Keys) noKey(err error) error {
	var said *saidError
	switch {
	case !errors.As(err, &said) || !strings.Contains(said.said, "passphrase"):
		return err
	case k.Terminal:
		return fmt.Errorf("wrong passphrase. ssh-agent can keep the key unlocked: ssh-add %s", k.conf.Key)
	}
	return fmt.Errorf("it has a passphrase, which only ssh-agent can ask for: run ssh-add %s, then repeat", k.conf.Key)
}

// name is how a person lets the key of a signature count for an approver. It is said of their own key
// only: nobody is to be talked into believing another's.
func (k *Keys) name(sig signature, approver model.Actor) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.own) == 0 || !bytes.Equal(k.own, sig.public) {
		return ""
	}
	where := "add this line to it"
	if k.conf.AllowedSigners == "" {
		where = "put this line into a file that allowed_signers in [approvals] of your config.toml names"
	}
	return fmt.Sprintf("; it is your key: %s: %s %s %s", where, approver, sig.keyType, base64.StdEncoding.EncodeToString(sig.public))
}

// Attest implements review.Attestor. It verifies the signature each time.
func (k *Keys) Attest(a review.Approval) review.Attested { return k.attest(a, nil) }

// Viewer is an Attestor for what is shown and starts nothing: of a signature that was verified before, against the
// same allowed signers, it repeats the answer.
func (k *Keys) Viewer() review.Attestor { return viewer{k} }

type viewer struct{ *Keys }

func (v viewer) Attest(a review.Approval) review.Attested { return v.attest(a, &v.answers) }

func (k *Keys) attest(a review.Approval, known *answers) review.Attested {
	if a.Signature == "" {
		return review.Attested{}
	}
	sig, err := parseSignature(a.Signature)
	switch {
	case err != nil:
		return review.Attested{False: true, Why: "it is not an SSH signature: " + err.Error()}
	case sig.namespace != review.ApprovalNamespace:
		return review.Attested{False: true, Signer: sig.key(), Why: fmt.Sprintf("it was made for %q", sig.namespace)}
	}
	c := check{k: k, a: a, statement: a.Statement(), known: known}
	defer c.close()
	why := c.unnamed(sig)
	if why == "" {
		level := review.LevelSigned
		if sig.touched() {
			level = review.LevelTouched
		}
		return review.Attested{Level: level, Signer: sig.key()}
	}
	if err := c.ask("check-novalidate"); err != nil {
		var said *saidError
		if errors.As(err, &said) {
			return review.Attested{False: true, Signer: sig.key(), Why: said.Error()}
		}
		why = "can't verify it: " + err.Error()
	}
	return review.Attested{Signer: sig.key(), Why: why}
}

// unnamed says why the allowed signers do not vouch for the signature; "" where they do.
func (c *check) unnamed(sig signature) string {
	k := c.k
	switch {
	case k.conf.Err != nil:
		return "can't tell which keys you trust: " + k.conf.Err.Error()
	case k.conf.AllowedSigners == "":
		return "you have named no allowed signers" + k.name(sig, c.a.Approver)
	}
	var err error
	if c.signers, err = readPlain(k.conf.AllowedSigners, mostSigners); err != nil {
		return fmt.Sprintf("your allowed signers cannot be read: %v%s", err, k.name(sig, c.a.Approver))
	}
	if err = c.allowed(); err == nil {
		return ""
	}
	why := fmt.Sprintf("%s does not list %s for %s, or not for this use at that time", k.conf.AllowedSigners, sig.key(), c.a.Approver)
	var said *saidError
	if !errors.As(err, &said) || strings.TrimSpace(said.said) != notVerified {
		why += " (" + err.Error() + ")"
	}
	return why + k.name(sig, c.a.Approver)
}

// notVerified is what ssh-keygen says where the signers name the key for nobody of that name.
const notVerified = "Could not verify signature."

// allowed asks whether the allowed signers name the key for the approver, at the time of the
// approval: a key that was exchanged since was good then.
func (c *check) allowed() error {
	var last error
	for _, principal := range []string{string(c.a.Approver), c.a.Approver.Name()} {
		args := []string{"-f", c.k.conf.AllowedSigners, "-I", principal}
		if at := c.a.At(); !at.IsZero() {
			args = append(args, "-Overify-time="+at.UTC().Format("20060102150405"))
		}
		if last = c.ask("verify", args...); last == nil {
			return nil
		}
	}
	return last
}

// kept is a text in a file of its own, until remove: ssh-keygen reads a signature from nowhere else.
func kept(text string) (name string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "vespe-signature-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) } // what is left is one small file
	name = filepath.Join(dir, "sig")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		remove()
		return "", nil, err
	}
	return name, remove, nil
}

// saidError is what ssh-keygen said when it refused.
type saidError struct{ said string }

func (e *saidError) Error() string { return e.said }

// valueOf is the value of a variable in an environment; the last one counts.
func valueOf(environ []string, name string) (value string) {
	for _, kv := range environ {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}

// run runs ssh-keygen with in as its standard input.
func (k *Keys) run(ctx context.Context, terminal bool, in []byte, args ...string) ([]byte, error) {
	program := k.program
	if filepath.Base(program) == program {
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		if program = lookpath.Find(program, valueOf(k.environ, "PATH"), dir); program == "" {
			return nil, fmt.Errorf("%s: %w", k.program, exec.ErrNotFound)
		}
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(environ(k.environ), "LC_ALL=C", "TZ=UTC")
	cmd.Stdin = bytes.NewReader(in)
	var out, errs limited
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = time.Second
	if !terminal {
		detach(cmd)
	}
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("ssh-keygen did not end in time: %w", ctx.Err())
	case errors.As(err, &exit):
		said := strings.Join(strings.Fields(string(errs)+" "+string(out)), " ")
		if said == "" {
			said = exit.Error()
		}
		return nil, &saidError{said}
	case err != nil:
		return nil, err
	}
	return out, nil
}

// limited keeps the beginning of what is written.
type limited []byte

func (l *limited) Write(b []byte) (int, error) {
	*l = append(*l, b[:min(len(b), maxOutput-len(*l))]...)
	return len(b), nil
}

// environ is what ssh-keygen needs to find keys and anyone who asks for their passphrases.
func environ(all []string) []string {
	var out []string
	for _, kv := range all {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "SSH_AUTH_SOCK", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE", "SSH_SK_PROVIDER",
			"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "SYSTEMROOT":
			out = append(out, kv)
		}
	}
	return out
}
