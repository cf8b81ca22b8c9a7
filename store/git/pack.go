package git

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strconv"
)

// Types of objects, as packs number them.
const (
	typeCommit = 1
	typeTree   = 2
	typeBlob   = 3
)

var typeNames = map[int]string{typeCommit: "commit", typeTree: "tree", typeBlob: "blob"}

const (
	// maxLoose is how many objects are handed over to become files of their own. More
	// become a pack: git slows down with thousands of either.
	maxLoose = 500
	// A pack in the making is handed over when it has become this large.
	maxPackObjects = 250_000
	maxPackBytes   = 64 << 20
	// largeObject is the size above which speed counts more than the last percent.
	largeObject = 64 << 10 // bytes
)

// pack gathers objects in git's pack format.
type pack struct {
	repo    *Repo
	body    bytes.Buffer // without header and trailer
	count   uint32
	written map[OID]bool // in this pack
	fast    *zlib.Writer
	best    *zlib.Writer
	digest  hash.Hash
}

func (r *Repo) newPack() *pack {
	p := &pack{repo: r, written: map[OID]bool{}, digest: r.newHash()}
	p.fast, _ = zlib.NewWriterLevel(nil, zlib.BestSpeed) // a level that there is
	p.best = zlib.NewWriter(nil)
	return p
}

// name is what git calls an object.
func (p *pack) name(kind int, body []byte) OID {
	p.digest.Reset()
	io.WriteString(p.digest, typeNames[kind]+" "+strconv.Itoa(len(body))+"\x00") //nolint:errcheck // a hash takes everything
	p.digest.Write(body)
	return OID(hex.EncodeToString(p.digest.Sum(nil)))
}

// add puts an object into the pack.
func (p *pack) add(kind int, body []byte) (OID, error) {
	oid := p.name(kind, body)
	if p.written[oid] {
		return oid, nil
	}
	size := len(body)
	b := byte(kind<<4 | size&0x0f)
	for size >>= 4; size > 0; size >>= 7 {
		p.body.WriteByte(b | 0x80)
		b = byte(size & 0x7f)
	}
	p.body.WriteByte(b)
	z := p.best
	if len(body) > largeObject {
		z = p.fast
	}
	z.Reset(&p.body)
	if _, err := z.Write(body); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	p.count++
	p.written[oid] = true
	return oid, nil
}

// full: it is time to hand the pack over.
func (p *pack) full() bool { return p.count >= maxPackObjects || p.body.Len() >= maxPackBytes }

// flush hands the objects to git.
func (p *pack) flush(ctx context.Context) error {
	if p.count == 0 {
		return nil
	}
	header := []byte("PACK\x00\x00\x00\x02\x00\x00\x00\x00")
	binary.BigEndian.PutUint32(header[8:], p.count)
	p.digest.Reset()
	p.digest.Write(header)
	p.digest.Write(p.body.Bytes())
	in := io.MultiReader(bytes.NewReader(header), &p.body, bytes.NewReader(p.digest.Sum(nil)))
	args := []string{"unpack-objects", "-q"}
	if p.count > maxLoose {
		args = []string{"index-pack", "--stdin"}
	}
	if _, err := p.repo.run.run(ctx, nil, in, args...); err != nil {
		return fmt.Errorf("%d objects: %w", p.count, err)
	}
	p.count = 0
	p.body.Reset()
	clear(p.written)
	return nil
}
