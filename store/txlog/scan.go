package txlog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// LastImage is what the log last made a file.
type LastImage struct {
	Hash      string
	Immutable bool
	Edited    bool   // by somebody else: an entry took it over
	Seq       uint64 // the entry
}

// scanned is an entry without the bodies of its files.
type scanned struct {
	Head, Prev string
	At         time.Time
	Ops        []scannedOp
}

// scannedOp is which operation an entry holds.
type scannedOp struct {
	ID   string     `json:"id"`
	Name model.Name `json:"name"`
	UID  model.UID  `json:"uid"`
}

// ScannedFile is a file of an entry without its bytes.
type ScannedFile struct {
	Path      string `json:"path"`
	Was       string `json:"was"`
	Hash      string `json:"sha256"`
	Immutable bool   `json:"immutable"`
	Edited    bool   `json:"edited"`
	KeptApart bool   `json:"kept_apart"`
}

// ScanEntry reads an entry as a stream and calls image for each of its files: an entry of a
// large import would not fit into memory several times over.
func ScanEntry(ctx context.Context, log fsys.Dir, seq uint64, image func(ScannedFile)) (scanned, error) {
	var out scanned
	bad := func(err error) error { return &EntryError{seq, err} }
	r, _, err := log.Open(strings.TrimPrefix(layout.EntryFile(seq), layout.LogDir+"/"), layout.MaxEntry)
	if err != nil {
		return out, err
	}
	defer r.Close()
	sum := sha256.New()
	body := io.TeeReader(r, sum)
	d := jsontext.NewDecoder(body)
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return out, bad(errors.Join(errors.New("no object"), err))
	}
	number := uint64(0)
	for {
		t, err := d.ReadToken()
		if err != nil {
			return out, bad(err)
		}
		if t.Kind() == '}' {
			break
		}
		switch t.String() {
		case "seq":
			err = json.UnmarshalDecode(d, &number)
		case "prev":
			err = json.UnmarshalDecode(d, &out.Prev)
		case "at":
			err = json.UnmarshalDecode(d, &out.At)
		case "ops":
			err = json.UnmarshalDecode(d, &out.Ops)
		case "files":
			err = scanFiles(ctx, d, image)
		default:
			err = d.SkipValue()
		}
		if err != nil {
			return out, bad(err)
		}
	}
	if number != seq {
		return out, bad(errors.New("names another entry"))
	}
	if _, err := io.Copy(io.Discard, body); err != nil {
		return out, err
	}
	out.Head = layout.HashPrefix + hex.EncodeToString(sum.Sum(nil))
	return out, nil
}

func scanFiles(ctx context.Context, d *jsontext.Decoder, image func(ScannedFile)) error {
	if t, err := d.ReadToken(); err != nil || t.Kind() != '[' {
		return errors.Join(errors.New("the files aren't a list"), err)
	}
	for d.PeekKind() != ']' {
		if err := ctx.Err(); err != nil {
			return err
		}
		var f ScannedFile
		if err := json.UnmarshalDecode(d, &f); err != nil {
			return err
		}
		if err := layout.CheckTarget(f.Path); err != nil {
			return err
		}
		image(f)
	}
	_, err := d.ReadToken()
	return err
}

// EntryError says that an entry cannot be read.
type EntryError struct {
	Seq uint64
	Err error
}

func (e *EntryError) Error() string {
	return layout.Shown(layout.EntryFile(e.Seq)) + ": " + e.Err.Error()
}
func (e *EntryError) Unwrap() error { return e.Err }
