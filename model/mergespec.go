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
		e, _ := DecodeFields(SpecFile, EncodeSpec(sp))
		return e
	}
	sp, _ := DecodeSpec(SpecFile, EncodeFields(mergeFields(fields(mine), fields(base), fields(theirs), "context", "external")))
	return sp
}

// mergeFields is mine with what differs between base and theirs, objects named in deep
// member by member.
func mergeFields(mine, base, theirs Extra, deep ...string) Extra {
	have, was, is := mine.byKey(), base.byKey(), theirs.byKey()
	changed := map[string][]byte{} // nil: it goes
	var added []string
	for _, key := range fieldKeys(base, theirs) {
		if SameJSON(was[key], is[key]) {
			continue
		}
		value := is[key]
		if slices.Contains(deep, key) {
			value = nil
			if sub := mergeFields(objectFields(have[key]), objectFields(was[key]), objectFields(is[key])); len(sub) > 0 {
				value = ObjectField(key, sub).Value
			}
		}
		changed[key] = value
		if _, ok := have[key]; !ok && value != nil {
			added = append(added, key)
		}
	}
	var out Extra
	for _, f := range mine {
		if value, ok := changed[f.Key]; ok {
			f.Value = value
		}
		if f.Value != nil {
			out = append(out, f)
		}
	}
	for _, key := range added {
		out = append(out, ExtraField{Key: key, Value: changed[key]})
	}
	return out
}

func objectFields(b []byte) Extra {
	if len(b) == 0 {
		return nil
	}
	e, _ := DecodeFields(SpecFile, b)
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

// DifferentKeys are the keys of spec.json that two specs do not have alike.
func DifferentKeys(a, b *Spec) []string {
	was, _ := DecodeFields(SpecFile, EncodeSpec(a))
	is, _ := DecodeFields(SpecFile, EncodeSpec(b))
	old, now := was.byKey(), is.byKey()
	return slices.DeleteFunc(fieldKeys(is, was), func(key string) bool { return SameJSON(old[key], now[key]) })
}
