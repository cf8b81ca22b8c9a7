package signing

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/review"
)

// key makes a key pair without a passphrase and returns its file.
func key(t testing.TB, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file).CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen is needed (OpenSSH): %v %s", err, out)
	}
	return file
}

func public(t testing.TB, file string) string {
	t.Helper()
	b, err := os.ReadFile(file + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(b))[:2], " ")
}

func signers(t *testing.T, lines ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "allowed")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func approval() review.Approval {
	return review.Approval{
		StoreID: "store", Task: "tsk-a", Verdict: "accept", Approver: "human:ann", ApprovalProof: review.ApprovalProof{Time: "2026-03-01T09:00:00Z", Nonce: "op-1"},
		Objective: review.ApprovedDoc{Hash: "sha256-a"}, Plan: review.ApprovedDoc{Hash: "sha256-b"}, Bound: map[string]string{"spec.json": "sha256-c"},
	}
}

// A signature counts for the approver whose key it is, for these bytes, at that time, and not for
// more than it is; what is false is found out.
func TestAttest(t *testing.T) {
	anns, bobs := key(t, "ann"), key(t, "bob")
	sign := func(file string, a review.Approval) review.Approval {
		t.Helper()
		sig, err := New(Config{Key: file}, os.Environ()).Sign(t.Context(), a.Statement())
		if err != nil {
			t.Fatal(err)
		}
		a.Signature = sig
		return a
	}
	good := sign(anns, approval())
	allowed := signers(t, "human:ann "+public(t, anns), "bob "+public(t, bobs))
	changed := func(change func(*review.Approval)) review.Approval {
		a := good
		change(&a)
		return a
	}
	other := New(Config{Key: anns}, os.Environ())
	for name, tt := range map[string]struct {
		approval review.Approval
		allowed  string
		level    review.Level
		false    bool
	}{
		"ann's":                  {approval: good, allowed: allowed, level: review.LevelSigned},
		"by the name alone":      {approval: good, allowed: signers(t, "ann "+public(t, anns)), level: review.LevelSigned},
		"no signature":           {approval: approval(), allowed: allowed},
		"nobody is named":        {approval: good},
		"the file is gone":       {approval: good, allowed: filepath.Join(t.TempDir(), "none")},
		"bob's, as ann":          {approval: sign(bobs, approval()), allowed: allowed},
		"her key, not any more":  {approval: good, allowed: signers(t, `human:ann valid-before="20260201" `+public(t, anns))},
		"her key, then":          {approval: good, allowed: signers(t, `human:ann valid-before="20260401" `+public(t, anns)), level: review.LevelSigned},
		"for another purpose":    {approval: good, allowed: signers(t, `human:ann namespaces="git" `+public(t, anns))},
		"of another plan":        {approval: changed(func(a *review.Approval) { a.Plan.Hash = "sha256-x" }), allowed: allowed, false: true},
		"of other terms":         {approval: changed(func(a *review.Approval) { a.Bound = map[string]string{"spec.json": "sha256-x"} }), allowed: allowed, false: true},
		"by another":             {approval: changed(func(a *review.Approval) { a.Approver = "human:bob" }), allowed: allowed, false: true},
		"of another task":        {approval: changed(func(a *review.Approval) { a.Task = "tsk-b" }), allowed: allowed, false: true},
		"of other comments":      {approval: changed(func(a *review.Approval) { a.Comments.Hash = "sha256-x" }), allowed: allowed, false: true},
		"of fewer parts":         {approval: changed(func(a *review.Approval) { a.Excluded = []string{"Two"} }), allowed: allowed, false: true},
		"of another verdict":     {approval: changed(func(a *review.Approval) { a.Verdict = "review-accepted" }), allowed: allowed, false: true},
		"of another time":        {approval: changed(func(a *review.Approval) { a.Time = "2026-03-01T09:00:01Z" }), allowed: allowed, false: true},
		"of another store":       {approval: changed(func(a *review.Approval) { a.StoreID = "x" }), allowed: allowed, false: true},
		"of no approval":         {approval: changed(func(a *review.Approval) { a.Signature = inNamespace(t, other, "git", a.Statement()) }), allowed: allowed, false: true},
		"garbage":                {approval: changed(func(a *review.Approval) { a.Signature = "garbage" }), allowed: allowed, false: true},
		"cut off":                {approval: changed(func(a *review.Approval) { a.Signature = armor([]byte("SSHSIG\x00\x00\x00\x01\x00\x00\x00\x09x")) }), allowed: allowed, false: true},
		"an option in its place": {approval: changed(func(a *review.Approval) { a.Approver = "-oProxyCommand=x" }), allowed: allowed, false: true},
	} {
		t.Run(name, func(t *testing.T) {
			got := New(Config{AllowedSigners: tt.allowed}, os.Environ()).Attest(tt.approval)
			if got.Level != tt.level || got.False != tt.false || (got.Why == "") != (tt.level > 0 || tt.approval.Signature == "") {
				t.Errorf("%+v", got)
			}
		})
	}
	wrong := New(Config{AllowedSigners: allowed, Err: os.ErrInvalid, Needed: nil}, os.Environ())
	if got := wrong.Attest(good); got.Level != review.LevelClaimed || got.False {
		t.Errorf("without a configuration: %+v", got)
	}
	if _, err := wrong.Required(""); err == nil {
		t.Error("a configuration that cannot be read asks for nothing")
	}
	missing := New(Config{AllowedSigners: allowed}, []string{"PATH=/nowhere"})
	missing.program = filepath.Join(t.TempDir(), "ssh-keygen")
	if got := missing.Attest(good); got.Level != review.LevelClaimed || got.False || got.Why == "" {
		t.Errorf("without ssh-keygen: %+v", got)
	}
}

// What is in the place of the allowed signers, or of the answers of before, is read as a file or not at all.
func TestAPipeInPlaceOfAFileDoesNotWait(t *testing.T) {
	dir := t.TempDir()
	pipe, large := filepath.Join(dir, "pipe"), filepath.Join(dir, "large")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.WriteFile(large, nil, 0o600), os.Truncate(large, mostSigners+1)); err != nil {
		t.Fatal(err)
	}
	ann := key(t, "ann")
	a := approval()
	var err error
	if a.Signature, err = New(Config{Key: ann}, os.Environ()).Sign(t.Context(), a.Statement()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{pipe: "not a regular file", dir: "not a regular file", large: "larger than"} {
		if got := New(Config{AllowedSigners: name}, os.Environ()).Attest(a); got.Level != review.LevelClaimed || got.False || !strings.Contains(got.Why, want) {
			t.Errorf("%s: %+v", filepath.Base(name), got)
		}
	}
	allowed := signers(t, "human:ann "+public(t, ann))
	if got := New(Config{AllowedSigners: allowed, Remembered: pipe}, os.Environ()).Viewer().Attest(a); got.Level != review.LevelSigned {
		t.Errorf("with a pipe for answers: %+v", got)
	}
}

func inNamespace(t *testing.T, k *Keys, namespace string, statement []byte) string {
	t.Helper()
	out, err := k.run(t.Context(), false, statement, "-Y", "sign", "-q", "-n", namespace, "-f", k.conf.Key)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// A security key says whether somebody touched it. This one is made of software, and what it signs
// is checked by the real program.
func TestASecurityKeyThatWasTouched(t *testing.T) {
	pub, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	const kind, application = "sk-ssh-ed25519@openssh.com", "ssh:"
	blob := str(kind, string(pub), application)
	allowed := signers(t, "human:ann "+kind+" "+base64.StdEncoding.EncodeToString(blob))
	for name, tt := range map[string]struct {
		flags byte
		level review.Level
	}{"touched": {1, review.LevelTouched}, "not touched": {0, review.LevelSigned}} {
		a := approval()
		sum := sha512.Sum512(a.Statement())
		signed := append([]byte(sshsigMagic), str(review.ApprovalNamespace, "", "sha512", string(sum[:]))...)
		app, message := sha256.Sum256([]byte(application)), sha256.Sum256(signed)
		tail := append([]byte{tt.flags}, binary.BigEndian.AppendUint32(nil, 7)...)
		raw := ed25519.Sign(private, bytes.Join([][]byte{app[:], tail, message[:]}, nil))
		sig := append(str(kind, string(raw)), tail...)
		a.Signature = armor(append(append([]byte(sshsigMagic), 0, 0, 0, 1), str(string(blob), review.ApprovalNamespace, "", "sha512", string(sig))...))
		got := New(Config{AllowedSigners: allowed}, os.Environ()).Attest(a)
		if got.Level != tt.level || got.False {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// str are strings as SSH writes them.
func str(list ...string) []byte {
	var b []byte
	for _, s := range list {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	return b
}

func armor(b []byte) string {
	text := base64.StdEncoding.EncodeToString(b)
	var lines []string
	for len(text) > 70 {
		lines, text = append(lines, text[:70]), text[70:]
	}
	return "-----BEGIN SSH SIGNATURE-----\n" + strings.Join(append(lines, text), "\n") + "\n-----END SSH SIGNATURE-----\n"
}

// A key that cannot sign by itself asks nobody on a terminal that is not its own, and what fails
// is said.
func TestSignFails(t *testing.T) {
	locked := filepath.Join(t.TempDir(), "locked")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", locked).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	for name, conf := range map[string]Config{
		"locked": {Key: locked}, "gone": {Key: filepath.Join(t.TempDir(), "none")}, "unreadable settings": {Key: locked, Err: os.ErrInvalid},
	} {
		if _, err := New(conf, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}).Sign(t.Context(), []byte("x")); err == nil {
			t.Errorf("%s: signed", name)
		}
	}
	slow := New(Config{Key: locked}, os.Environ())
	slow.program = filepath.Join(t.TempDir(), "slow")
	if err := os.WriteFile(slow.program, []byte("#!/bin/sh\nexec sleep 100000\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := slow.Sign(ctx, []byte("x")); err == nil {
		t.Error("a program that never answers has signed")
	}
}

// Whatever stands in an approval as its signature is read without a panic.
func FuzzParseSignature(f *testing.F) {
	f.Add([]byte("SSHSIG\x00\x00\x00\x01"))
	f.Add(append([]byte("SSHSIG\x00\x00\x00\x01"), str(string(str("sk-x", "y")), "n", "", "sha512", string(str("a", "b")))...))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, text := range []string{armor(b), string(b)} {
			if s, err := parseSignature(text); err == nil && (s.keyType == "" && len(s.public) >= 8) {
				t.Errorf("%+v", s)
			}
		}
	})
}

// aDate is one in the options of an allowed signer. Another date is one that somebody may have meant.
var aDate = regexp.MustCompile(`"\d{8}"`)

// FuzzAllowedSigners damages one byte of a file of allowed signers: no signature counts that did not count before, one that
// counts no more is not called false, and why is said.
func FuzzAllowedSigners(f *testing.F) {
	var valid string
	var as []review.Approval // only the first one counts
	sign := func(who model.Actor, file string) {
		a := approval()
		a.Approver = who
		var err error
		if a.Signature, err = New(Config{Key: file}, os.Environ()).Sign(f.Context(), a.Statement()); err != nil {
			f.Fatal(err)
		}
		as = append(as, a)
	}
	for _, l := range []struct{ name, options string }{
		{"human:ann", `namespaces="git,` + review.ApprovalNamespace + `",valid-after="20260201"`},
		{"human:bob", `valid-before="20260201"`},
		{"cat", `namespaces="git"`},
		{"human:dan", ""},
	} {
		file := key(f, "key")
		valid += l.name + " " + l.options + " " + public(f, file) + "\n"
		if l.name == "human:dan" {
			l.name = "human:ann" // whose key it is not
		}
		sign(model.Actor("human:"+strings.TrimPrefix(l.name, "human:")), file)
	}
	sign("human:dan", key(f, "other"))
	counts := func(t testing.TB, signers string) (n []int, said []review.Attested) {
		allowed := filepath.Join(t.TempDir(), "allowed")
		if err := os.WriteFile(allowed, []byte(signers), 0o600); err != nil {
			t.Fatal(err)
		}
		for i, a := range as {
			got := New(Config{AllowedSigners: allowed}, os.Environ()).Attest(a)
			if said = append(said, got); got.Level > review.LevelClaimed {
				n = append(n, i)
			}
		}
		return n, said
	}
	if n, said := counts(f, valid); !slices.Equal(n, []int{0}) {
		f.Fatalf("with the valid file %d count: %+v", n, said)
	}
	if n, said := counts(f, strings.Replace(valid, "before=\"2026", "before=\"2027", 1)); !slices.Equal(n, []int{0, 1}) {
		f.Fatalf("with a later date %d count: %+v", n, said)
	}
	for i, c := range "\n\x00 #,*\"!\xff=\r\t" {
		f.Add(uint(i*len(valid)/12), byte(c), byte(i%2))
	}
	f.Add(uint(len(valid)/3), byte(0), byte(2))
	f.Add(uint(2*len(valid)/3), byte(0), byte(3))
	f.Fuzz(func(t *testing.T, at uint, c, how byte) {
		b := []byte(valid)
		i := int(at % uint(len(b)))
		switch how % 4 {
		case 0:
			b[i] = c
		case 1:
			b = slices.Insert(b, i, c)
		case 2:
			b = slices.Delete(b, i, i+1)
		case 3:
			b = b[:i]
		}
		if aDate.ReplaceAllString(string(b), "") == aDate.ReplaceAllString(valid, "") {
			return
		}
		n, said := counts(t, string(b))
		if len(n) > 1 || len(n) == 1 && n[0] != 0 {
			t.Errorf("%q\nlets %d count: %+v", b, n, said)
		}
		for _, a := range said {
			if a.False || (a.Why == "") != (a.Level > review.LevelClaimed) {
				t.Errorf("%q: %+v", b, a)
			}
		}
	})
}

// When an approval says that it was given is the person's own word, which the signature binds: a key counts
// for the time that it was good for, and one that was taken out of the allowed signers for none.
func TestTheTimeOfAnApproval(t *testing.T) {
	anns, other := key(t, "ann"), key(t, "other")
	at := func(when string) review.Approval {
		a := approval()
		a.Time = when
		sig, err := New(Config{Key: anns}, os.Environ()).Sign(t.Context(), a.Statement())
		if err != nil {
			t.Fatal(err)
		}
		a.Signature = sig
		return a
	}
	limited := signers(t, `human:ann valid-after="20260201",valid-before="20260401" `+public(t, anns))
	for name, tt := range map[string]struct {
		a       review.Approval
		allowed string
		level   review.Level
	}{
		"in time":                 {at("2026-03-01T09:00:00Z"), limited, review.LevelSigned},
		"before":                  {at("2026-01-31T09:00:00Z"), limited, review.LevelClaimed},
		"after":                   {at("2026-04-02T09:00:00Z"), limited, review.LevelClaimed},
		"of no time":              {at("yesterday"), limited, review.LevelClaimed},
		"a key that was removed":  {at("2026-03-01T09:00:00Z"), signers(t, "human:ann "+public(t, other)), review.LevelClaimed},
		"a key that was revoked":  {at("2026-03-01T09:00:00Z"), signers(t, "# human:ann "+public(t, anns)), review.LevelClaimed},
		"everybody's, of the key": {at("2026-03-01T09:00:00Z"), signers(t, "* "+public(t, anns)), review.LevelSigned},
	} {
		if got := New(Config{AllowedSigners: tt.allowed}, os.Environ()).Attest(tt.a); got.Level != tt.level || got.False {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Who signed with a key that they have not named is told the line that names it; nobody is told so of a
// key that is not theirs.
func TestTheLineThatNamesAKeyIsSaid(t *testing.T) {
	anns, bobs := key(t, "ann"), key(t, "bob")
	file := signers(t, "human:bob "+public(t, bobs))
	gone := filepath.Join(t.TempDir(), "none")
	for allowed, where := range map[string]string{"": "allowed_signers in [approvals]", file: file, gone: gone} {
		keys := New(Config{Key: anns, AllowedSigners: allowed}, os.Environ())
		a := approval()
		sig, err := keys.Sign(t.Context(), a.Statement())
		if err != nil {
			t.Fatal(err)
		}
		a.Signature = sig
		line := "human:ann " + public(t, anns)
		got := keys.Attest(a)
		if !strings.Contains(got.Why, line) || !strings.Contains(got.Why, where) || strings.Contains(got.Why, "verify") {
			t.Errorf("%q: %s", allowed, got.Why)
		}
		if other := New(Config{Key: bobs, AllowedSigners: allowed}, os.Environ()).Attest(a); strings.Contains(other.Why, "AAAA") {
			t.Errorf("%q: bob is told to name ann's key: %s", allowed, other.Why)
		}
		if allowed != file {
			continue
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(b, line+"\n"...), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := keys.Attest(a); got.Level != review.LevelSigned {
			t.Errorf("with the line that was said: %+v", got)
		}
	}
}

// A key with a passphrase is named, with what opens it.
func TestAPassphraseIsSaid(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var environ []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "SSH_A") {
			environ = append(environ, kv)
		}
	}
	_, err := New(Config{Key: file}, environ).Sign(t.Context(), []byte("x"))
	if err == nil || !strings.Contains(err.Error(), "ssh-add "+file) || strings.Contains(err.Error(), "supplied") {
		t.Errorf("it said: %v", err)
	}
}

// counted is Keys whose runs of ssh-keygen are counted.
func counted(t *testing.T, conf Config) (k *Keys, runs func() int) {
	t.Helper()
	dir := t.TempDir()
	program, count := filepath.Join(dir, "keygen"), filepath.Join(dir, "count")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho >> "+count+"\nexec ssh-keygen \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	k = New(conf, os.Environ())
	k.program = program
	return k, func() int {
		b, _ := os.ReadFile(count)
		_ = os.Remove(count)
		return len(b)
	}
}

// What is shown repeats what ssh-keygen said, in this process and the next, until the allowed signers change.
// What starts work asks each time, whatever is remembered.
func TestViewerRemembers(t *testing.T) {
	anns := key(t, "ann")
	good, forged := approval(), approval()
	sig, err := New(Config{Key: anns}, os.Environ()).Sign(t.Context(), good.Statement())
	if err != nil {
		t.Fatal(err)
	}
	good.Signature, forged.Signature = sig, sig
	forged.Plan.Hash = "sha256-x"
	conf := Config{AllowedSigners: signers(t, "human:ann "+public(t, anns)), Remembered: filepath.Join(t.TempDir(), "cache", "signatures")}
	for step, tt := range []struct {
		signers    string // "": as before
		shown      review.Level
		runs       int // for the good one and the forged one
		everything int // runs of Attest for the good one
	}{
		{shown: review.LevelSigned, runs: 1 + 3, everything: 1},
		{shown: review.LevelSigned, runs: 0, everything: 1},
		{signers: "human:bob " + public(t, anns), shown: review.LevelClaimed, runs: 3 + 3, everything: 3},
		{shown: review.LevelClaimed, runs: 0, everything: 3},
		{signers: "human:ann " + public(t, anns), shown: review.LevelSigned, runs: 0, everything: 1},
	} {
		if tt.signers != "" {
			if err := os.WriteFile(conf.AllowedSigners, []byte(tt.signers+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		k, runs := counted(t, conf)
		for range 2 {
			if is := k.Viewer().Attest(good); is.Level != tt.shown || is.False {
				t.Errorf("step %d: shown it is %+v", step, is)
			}
			if is := k.Viewer().Attest(forged); !is.False {
				t.Errorf("step %d: shown, the forged one is %+v", step, is)
			}
		}
		if n := runs(); n != tt.runs {
			t.Errorf("step %d: ssh-keygen ran %d times, want %d", step, n, tt.runs)
		}
		if is := k.Attest(good); is.Level != tt.shown || runs() != tt.everything {
			t.Errorf("step %d: asked anew it is %+v", step, is)
		}
	}
	// Anyone who can write the file can make a list wrong, and no more.
	lie := check{k: New(conf, nil), a: forged, statement: forged.Statement()}
	if lie.signers, err = os.ReadFile(conf.AllowedSigners); err != nil {
		t.Fatal(err)
	}
	at := forged.At().UTC().Format("20060102150405")
	lie.k.answers.put(lie.key("verify", []string{"-f", conf.AllowedSigners, "-I", "human:ann", "-Overify-time=" + at}), "")
	if is := New(conf, os.Environ()).Viewer().Attest(forged); is.Level != review.LevelSigned {
		t.Errorf("the lie is not what is read: %+v", is)
	}
	if is := New(conf, os.Environ()).Attest(forged); !is.False {
		t.Errorf("the lie is believed where work starts: %+v", is)
	}
	for _, body := range []string{"", "x\n", strings.Repeat("a", 64) + " \"\n" + strings.Repeat("b", 64), strings.Repeat("x", mostRemembered+1)} {
		if err := os.WriteFile(conf.Remembered, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		if is := New(conf, os.Environ()).Viewer().Attest(good); is.Level != review.LevelSigned {
			t.Errorf("with a broken file it is %+v", is)
		}
	}
	if in, err := os.Stat(conf.Remembered); err != nil || in.Size() > 1000 {
		t.Errorf("a file that is too large is not begun anew: %v, %v", in.Size(), err)
	}
}
