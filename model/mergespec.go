package model

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// SameJSON reports that a and b are one value: white space, the order of members and how
// strings are escaped do not count, the digits of a number do. nil is the same as null.
func SameJSON(a, b []byte) bool {
	return bytes.Equal(a, b) || bytes.Equal(canonicalJSON(a), canonicalJSON(b))
}

func canonicalJSON(b []byte) []byte {
	if len(b) == 0 {
		return []byte("null")
	}
	v := jsontext.Value(bytes.Clone(b))
	if err := v.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)); err != nil {
		return b
	}
	return v
}

// MergeSpecs is mine with what differs between base and theirs: a key that both changed is
// as in theirs. Members of context and external are merged one by one.
func MergeSpecs(mine, base, theirs *Spec) *Spec {
	fields := func(sp *Spec) Extra {
		e, _ := DecodeFields(specFile, EncodeSpec(sp))
		return e
	}
	sp, _ := DecodeSpec(specFile, EncodeFields(mergeFields(fields(mine), fields(base), fields(theirs), "context", "external")))
	return sp
}

// mergeFields is mine with what differs between base and theirs, objects named in deep
// member by member.
func mergeFields(mine, base, theirs Extra, deep ...string) Extra {
	out := mine
	for _, key := range fieldKeys(base, theirs) {
		was, _ := base.Get(key)
		is, there := theirs.Get(key)
		switch {
		case SameJSON(was, is):
		case slices.Contains(deep, key):
			have, _ := mine.Get(key)
			sub := mergeFields(objectFields(have), objectFields(was), objectFields(is))
			if len(sub) == 0 {
				out = out.Without(key)
			} else {
				out = out.With(ObjectField(key, sub))
			}
		case there:
			out = out.With(ExtraField{Key: key, Value: is})
		default:
			out = out.Without(key)
		}
	}
	return out
}

func objectFields(b []byte) Extra {
	if len(b) == 0 {
		return nil
	}
	e, _ := DecodeFields(specFile, b)
	return e
}

// fieldKeys are the keys of all, each once.
func fieldKeys(all ...Extra) []string {
	var out []string
	seen := map[string]bool{}
	for _, e := range all {
		for _, f := range e {
			if !seen[f.Key] {
				seen[f.Key] = true
				out = append(out, f.Key)
			}
		}
	}
	return out
}

// differentKeys are the keys of spec.json that two specs do not have alike.
func differentKeys(a, b *Spec) []string {
	was, _ := DecodeFields(specFile, EncodeSpec(a))
	is, _ := DecodeFields(specFile, EncodeSpec(b))
	return slices.DeleteFunc(fieldKeys(is, was), func(key string) bool {
		x, _ := was.Get(key)
		y, _ := is.Get(key)
		return SameJSON(x, y)
	})
}
