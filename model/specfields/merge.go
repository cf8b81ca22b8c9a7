package specfields

import (
	"slices"

	"vespe/model"
)

// Merge is mine with what differs between base and theirs: a key that both changed is
// as in theirs. Members of context and external are merged one by one.
func Merge(mine, base, theirs *model.Spec) *model.Spec {
	fields := func(sp *model.Spec) model.Extra {
		e, _ := model.DecodeFields(model.SpecFile, model.EncodeSpec(sp))
		return e
	}
	sp, _ := model.DecodeSpec(model.SpecFile, model.EncodeFields(mergeFields(fields(mine), fields(base), fields(theirs), "context", "external")))
	return sp
}

// mergeFields is mine with what differs between base and theirs, objects named in deep
// member by member.
func mergeFields(mine, base, theirs model.Extra, deep ...string) model.Extra {
	have, was, is := mine.ByKey(), base.ByKey(), theirs.ByKey()
	changed := map[string][]byte{} // nil: it goes
	var added []string
	for _, key := range fieldKeys(base, theirs) {
		if model.SameJSON(was[key], is[key]) {
			continue
		}
		value := is[key]
		if slices.Contains(deep, key) {
			value = nil
			if sub := mergeFields(objectFields(have[key]), objectFields(was[key]), objectFields(is[key])); len(sub) > 0 {
				value = model.ObjectField(key, sub).Value
			}
		}
		changed[key] = value
		if _, ok := have[key]; !ok && value != nil {
			added = append(added, key)
		}
	}
	var out model.Extra
	for _, f := range mine {
		if value, ok := changed[f.Key]; ok {
			f.Value = value
		}
		if f.Value != nil {
			out = append(out, f)
		}
	}
	for _, key := range added {
		out = append(out, model.ExtraField{Key: key, Value: changed[key]})
	}
	return out
}

func objectFields(b []byte) model.Extra {
	if len(b) == 0 {
		return nil
	}
	e, _ := model.DecodeFields(model.SpecFile, b)
	return e
}

// fieldKeys are the keys of all, each once.
func fieldKeys(all ...model.Extra) []string {
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
func DifferentKeys(a, b *model.Spec) []string {
	was, _ := model.DecodeFields(model.SpecFile, model.EncodeSpec(a))
	is, _ := model.DecodeFields(model.SpecFile, model.EncodeSpec(b))
	old, now := was.ByKey(), is.ByKey()
	return slices.DeleteFunc(fieldKeys(is, was), func(key string) bool { return model.SameJSON(old[key], now[key]) })
}
