package signing

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"strings"
)

// signature is what an armored SSH signature says of itself (PROTOCOL.sshsig of OpenSSH). It is
// no check of it.
type signature struct {
	public    []byte // the key, as SSH writes it
	keyType   string
	namespace string
	rest      []byte // what stands behind the signature's own bytes: flags and a counter, of a security key
}

const (
	sshsigMagic   = "SSHSIG"
	sshsigArmor   = "SSH SIGNATURE"
	sshsigVersion = 1
	userPresent   = 0x01 // of the flags of a security key
)

var errTruncated = errors.New("it is cut off")

func parseSignature(armored string) (signature, error) {
	var s signature
	block, rest := pem.Decode([]byte(armored))
	if block == nil || block.Type != sshsigArmor || strings.TrimSpace(string(rest)) != "" {
		return s, errors.New("it is not one armored SSH signature")
	}
	b, ok := strings.CutPrefix(string(block.Bytes), sshsigMagic)
	switch {
	case !ok || len(b) < 4:
		return s, errors.New("its contents are damaged")
	case binary.BigEndian.Uint32([]byte(b)) != sshsigVersion:
		return s, errors.New("its version is unsupported")
	}
	r := wire(b[4:])
	public, namespace, _, _, sig := r.next(), r.next(), r.next(), r.next(), r.next()
	if r == nil || len(r) > 0 {
		return s, errTruncated
	}
	key := wire(public)
	s.public, s.keyType, s.namespace = public, string(key.next()), string(namespace)
	in := wire(sig)
	in.next() // what kind it is
	in.next() // the signature's own bytes
	if key == nil || in == nil {
		return s, errTruncated
	}
	s.rest = in
	return s, nil
}

// wire is a row of strings, each behind its length; nil once it was cut off.
type wire []byte

func (w *wire) next() []byte {
	if len(*w) < 4 || uint64(len(*w)-4) < uint64(binary.BigEndian.Uint32(*w)) {
		*w = nil
		return nil
	}
	n := 4 + int(binary.BigEndian.Uint32(*w))
	s := (*w)[4:n]
	*w = append(wire{}, (*w)[n:]...) // never nil
	return s
}

// touched reports that the key is in a security key, which says that somebody was there.
func (s *signature) touched() bool {
	return strings.HasPrefix(s.keyType, "sk-") && len(s.rest) == 5 && s.rest[0]&userPresent != 0
}

// key names the key for people, as ssh-keygen -l does.
func (s *signature) key() string {
	sum := sha256.Sum256(s.public)
	return s.keyType + " SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}
