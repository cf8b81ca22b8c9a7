package store

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"vespe/model"
)

func (s *Store) randomHex(n int) string { return s.uids.hex(n) }

// NewUID makes a uid: "tsk-" and a UUIDv7 in lower-case hex, from the store's clock and
// random source. Those of one Store ascend.
func (s *Store) NewUID() model.UID { return model.UID("tsk-" + s.uids.v7()) }

// uidSource makes ids.
type uidSource struct {
	mu   sync.Mutex
	now  func() time.Time
	rand io.Reader
	ms   int64
	seq  uint16 // 12 bits, counts within a millisecond
}

func (u *uidSource) read(b []byte) {
	if _, err := io.ReadFull(u.rand, b); err != nil {
		// crypto/rand never fails; a test's source that runs dry must not repeat ids.
		panic(fmt.Sprintf("store: random source: %v", err))
	}
}

func (u *uidSource) hex(n int) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	b := make([]byte, n)
	u.read(b)
	return hex.EncodeToString(b)
}

func (u *uidSource) v7() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	var b [16]byte
	u.read(b[6:])
	ms := max(u.now().UnixMilli(), 0)
	if ms > u.ms {
		u.ms, u.seq = ms, binary.BigEndian.Uint16(b[6:])&0x07ff
	} else if u.seq++; u.seq > 0x0fff {
		u.ms, u.seq = u.ms+1, 0
	}
	binary.BigEndian.PutUint64(b[:8], uint64(u.ms)<<16|0x7000|uint64(u.seq))
	b[8] = b[8]&0x3f | 0x80
	return strings.ToLower(hex.EncodeToString(b[:]))
}
