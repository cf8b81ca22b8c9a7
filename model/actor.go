package model

import (
	"encoding/hex"
	"fmt"
	"strings"

	"vespe/model/visible"
)

// maxActorName bounds an actor's name in bytes.
const maxActorName = 128

// ParseActor reads KIND:NAME, where KIND is human, agent, system or mcp_client in any
// case. The name may hold spaces, but nothing that cannot be seen. Files are
// read more tolerantly: an actor that an older system wrote without a kind is kept as it
// is.
func ParseActor(s string) (Actor, error) {
	const form = `write KIND:NAME, for example "human:ann"; the kinds are human, agent, system and mcp_client`
	kind, name, ok := strings.Cut(s, ":")
	if !ok {
		return "", fmt.Errorf("actor %q has no kind: %s", visible.Line(s), form)
	}
	kind = strings.ToLower(strings.TrimSpace(kind))
	switch kind {
	case Human, Agent, System, MCPClient:
	default:
		return "", fmt.Errorf("actor %q has the unknown kind %q: %s", visible.Line(s), visible.Line(kind), form)
	}
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return "", fmt.Errorf("actor %q has no name: %s", visible.Line(s), form)
	case len(name) > maxActorName:
		return "", fmt.Errorf("the actor's name is %d bytes long: use at most %d", len(name), maxActorName)
	case visible.Line(name) != name:
		return "", fmt.Errorf("actor %q has invisible characters: write the name without them", visible.Line(s))
	}
	return Actor(kind + ":" + name), nil
}

// SystemActor is who a cascade is by: what vespe does because something else happened.
const SystemActor Actor = System + ":vespe"

// UIDHead begins every uid.
const UIDHead = "tsk-"

const ulidAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ" // Crockford's base 32

// ULID is the ULID with the bits of a uid; a uid that has other than 128 bits stays as it is.
func ULID(uid UID) string {
	b, err := hex.DecodeString(strings.TrimPrefix(string(uid), UIDHead))
	if err != nil || len(b) != 16 {
		return string(uid)
	}
	var out [26]byte
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = ulidAlphabet[b[15]&31]
		for k := 15; k > 0; k-- {
			b[k] = b[k]>>5 | b[k-1]<<3
		}
		b[0] >>= 5
	}
	return string(out[:])
}
