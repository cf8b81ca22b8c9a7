package model

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"
)

// gateKey is the key of .vespe/config.json under which stands which calls of agents wait for a person.
const gateKey = "gate"

var gateFormat = formatOf[GateRules]()

// GateRules say which calls of an agent's tools wait for a person: those that any rule is about. What is not
// said is nil or "".
type GateRules struct {
	Tools    []string `file:"tools,as=patterns"`    // names of tools; * stands for any characters
	Commands []string `file:"commands,as=patterns"` // a command and words that it has, such as "git push --force"; * stands for any characters
	Paths    []string `file:"paths,as=patterns"`    // files that are written, from the project's directory; ** stands for any directories
	Reads    []string `file:"reads,as=patterns"`    // likewise, of files that are read or written
	Risk     string   `file:"risk,as=gate-risk"`    // the least risk of calls that wait: RiskLow, RiskMedium, RiskHigh; RiskNever or "" for none
	// Unread says why rules that somebody wrote cannot be read, with the file and what to do; "" where they can. Who
	// wrote some wanted to be asked, so everything waits.
	Unread string
}

// Empty reports that nothing waits.
func (g *GateRules) Empty() bool {
	return len(g.Tools)+len(g.Commands)+len(g.Paths)+len(g.Reads) == 0 && (g.Risk == "" || g.Risk == RiskNever) && g.Unread == ""
}

// Gate is what the store says of calls that wait. What is said in no way that can be read makes all calls wait.
func (p Policy) Gate() GateRules {
	g := GateRules{Unread: p.Unread}
	raw, ok := p.Extra.Get(gateKey)
	if !ok || raw[0] == 'n' {
		return g
	}
	problems := rulesIn(gateKey, raw, func(r *reader, m *members) { r.gateIn(m, &g) })
	g.Unread = cmp.Or(g.Unread, firstOf(PolicyPath, problems))
	return g
}

// gateIn reads gate, and says what of it cannot be used. The object is kept as it is.
func (r *reader) gateIn(m *members, g *GateRules) {
	r.rules(m, `an object such as {"commands": ["git push"]}`, func(sub *reader, in *members) {
		gateFormat().read(sub, in, reflect.ValueOf(g).Elem())
	})
}

func (r *reader) patterns(m *members, dst *[]string) {
	var list []string
	if !readTexts(r, m, &list) {
		return
	}
	key := string(m.bare())
	if i := slices.IndexFunc(list, func(s string) bool { return !ValidPattern(key, s) }); i >= 0 {
		r.invalid(m, "has the invalid pattern "+QuoteKey(list[i]))
		return
	}
	*dst = list
}

// ValidPattern reports a pattern of one of the keys of GateRules that can be matched.
func ValidPattern(key, pattern string) bool {
	if strings.TrimSpace(pattern) == "" || strings.ContainsFunc(pattern, unicode.IsControl) {
		return false
	}
	if key == "paths" || key == "reads" {
		return doublestar.ValidatePattern(pattern)
	}
	_, err := path.Match(pattern, "")
	return err == nil
}

// CallPrefix begins the keys of requests for calls that an agent's client waits for.
const CallPrefix = "call:"

// IsCall reports a request for a call that an agent's client waits for: once it waits no more, as its own person
// has answered there, nobody needs to decide on it.
func (q *Request) IsCall() bool {
	kind := q.CreatedBy.Kind()
	return strings.HasPrefix(q.Key, CallPrefix) && (kind == Agent || kind == MCPClient)
}

// deferredPrefix begins the keys of requests for calls that an agent's client put off.
const deferredPrefix = "deferred:"

// DeferredPrefix begins the keys of all calls that were put off in one run or, outside of runs, in one session
// of a client.
func DeferredPrefix(owner string) string { return deferredPrefix + shortHash(owner, 4) + ":" }

// DeferredKey is the key of the request for a call that a client put off: the hook that put it off and the loop
// that its client ran under ask by the same. owner is the run, else the client's session; call is the client's id of
// the call.
func DeferredKey(owner, call string) string {
	return DeferredPrefix(owner) + shortHash(owner+"\x00"+call, 8)
}

// ReservedKey reports a key of requests for calls, which the hooks and the loop give: under such a key nobody else asks,
// or the answer to what they asked would let a call through.
func ReservedKey(key string) bool {
	return strings.HasPrefix(key, CallPrefix) || strings.HasPrefix(key, deferredPrefix)
}

func shortHash(s string, n int) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:n])
}
