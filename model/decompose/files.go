package decompose

import (
	pathpkg "path"
	"slices"
	"strings"
	"unicode"

	"vespe/internal/lazyregexp"
)

// use is what a task does to a file.
type use int

const (
	useUnknown use = iota
	useCreate
	useModify
	useTest
	useMention // nothing: it is only spoken of
)

// path is a file that a section names.
type path struct {
	name   string
	use    use
	line   int
	listed bool // in a list of files
}

var (
	quotedRe = lazyregexp.New("`([^`\n]+)`")
	bareRe   = lazyregexp.New(`[\w.@+-]+(?:/[\w.@+\[\]()-]+)+|[\w@+-][\w.@+-]*\.\w{1,8}`)
	placeRe  = lazyregexp.New(`(?::\d+(?:[-–]\d+)?|#L\d+(?:-L?\d+)?)$`)
)

// extensions are those by which a word without a slash, or a path that need not be there, is known for a file.
var extensions = strings.Fields(`go mod sum py pyi js jsx ts tsx mjs cjs rs java kt kts scala rb php c h cc cpp hpp cs fs swift m ex exs erl
	hs ml clj lua pl r jl dart zig vue svelte html htm css scss sass less sql graphql proto thrift json jsonl yaml yml toml ini cfg conf env
	xml csv md mdx rst txt adoc sh bash zsh fish ps1 bat tf tfvars nix lock gradle properties ipynb tmpl tpl golden snap svg png`)

var bareNames = []string{"Makefile", "Dockerfile", "Justfile", "Procfile", "LICENSE", "README", "CHANGELOG", "Gemfile", "Rakefile", "Jenkinsfile", ".gitignore", ".dockerignore", ".env"}

// isFile says whether a word is the name of a file, as far as it can be seen.
func isFile(s string) bool {
	base := pathpkg.Base(s)
	if slices.Contains(bareNames, base) {
		return true
	}
	i := strings.LastIndexByte(base, '.')
	return i > 0 && slices.Contains(extensions, strings.ToLower(base[i+1:])) || i == 0 && strings.Contains(s, "/")
}

// cleanPath is a path of the project as it is kept; "" for what is none.
func cleanPath(s string) string {
	s = placeRe.Get().ReplaceAllString(strings.TrimSpace(s), "")
	s = strings.Trim(s, `"'`)
	switch {
	case s == "" || len(s) > 400 || strings.HasSuffix(s, "/") || strings.ContainsAny(s, "*?<>|{}$\\,;=`:"),
		strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~") || strings.HasPrefix(s, "-") || strings.Contains(s, "..."),
		strings.ContainsFunc(s, func(c rune) bool { return unicode.IsSpace(c) || !unicode.IsPrint(c) }):
		return ""
	}
	s = pathpkg.Clean(s)
	if s == "." || s == ".." || strings.HasPrefix(s, "../") || s == ".vespe" || strings.HasPrefix(s, ".vespe/") || s == ".git" || strings.HasPrefix(s, ".git/") {
		return ""
	}
	return s
}

// pathsIn are the paths of a list of files: those in backquotes, or else whatever looks like one. What only
// stands in brackets tells of the file before it.
func pathsIn(s string, listed bool) []string {
	var out []string
	add := func(p string) {
		if p = cleanPath(p); p != "" && isFile(p) && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	quoted := quotedRe.Get().FindAllStringSubmatchIndex(s, -1)
	for _, m := range quoted {
		if depth := strings.Count(s[:m[0]], "(") - strings.Count(s[:m[0]], ")"); depth > 0 && len(out) > 0 {
			continue
		}
		p := s[m[2]:m[3]]
		if listed && cleanPath(p) != "" && strings.Contains(p, "/") && pathpkg.Ext(p) == "" && !strings.HasSuffix(p, "/") {
			out = append(out, cleanPath(p)) // a list of files says so: "scripts/install"
			continue
		}
		add(p)
	}
	if len(quoted) == 0 {
		for _, m := range bareRe.Get().FindAllString(s, -1) {
			add(strings.TrimRight(m, ".,:;)"))
		}
	}
	return out
}

var verbs = map[use]*lazyregexp.Regexp{
	useCreate:  lazyregexp.New(`(?i)\b(?:creat(?:e|es|ed|ing)|new|add(?:s|ed|ing)? (?:a |the )?(?:new )?file|write|introduce|scaffold|generated?)\b`),
	useModify:  lazyregexp.New(`(?i)\b(?:modif(?:y|ies|ied)|updat(?:e|es|ed|ing)|edit|chang(?:e|es|ed)|extend(?:s|ed|ing)?|existing|refactor|delet(?:e|es|ed)|remov(?:e|es|ed)|migrat(?:e|ed)|rewrite|fix|replace|wire)\b`),
	useMention: lazyregexp.New(`(?i)\b(?:see|like|from|per|follow(?:s|ing)?|mirror(?:s|ing)?|as in|pattern|read(?:s|ing)?|copy|same as|similar to|use[sd]?|using|call(?:s|ed)?|run|check|verify|e\.g\.|matches|against|via|by)\b`),
}

// lastVerb is what the last word before a path says about it.
func lastVerb(s string) use {
	found, at := useUnknown, -1
	for _, u := range []use{useCreate, useModify, useMention} {
		for _, m := range verbs[u].Get().FindAllStringIndex(s, -1) {
			if m[0] > at {
				found, at = u, m[0]
			}
		}
	}
	return found
}

// mentionsOf are the paths of a sentence, each with what it is for: those in backquotes, and others that have a
// directory and an ending.
func mentionsOf(s string) []path {
	var out []path
	add := func(name string, at int) {
		p := cleanPath(name)
		if p == "" || !isFile(p) || slices.ContainsFunc(out, func(o path) bool { return o.name == p }) {
			return
		}
		u := lastVerb(quotedRe.Get().ReplaceAllString(s[:at], " "))
		if u == useModify && IsTest(p) {
			u = useTest
		}
		out = append(out, path{name: p, use: u})
	}
	for _, m := range quotedRe.Get().FindAllStringSubmatchIndex(s, -1) {
		add(s[m[2]:m[3]], m[0])
	}
	bare := quotedRe.Get().ReplaceAllStringFunc(s, func(q string) string { return strings.Repeat(" ", len(q)) })
	for _, m := range bareRe.Get().FindAllStringIndex(bare, -1) {
		name := strings.TrimRight(bare[m[0]:m[1]], ".,:;)")
		if before := bare[:m[0]]; strings.Contains(name, "/") && !strings.HasSuffix(before, "/") && !strings.HasSuffix(before, "~") && !strings.HasSuffix(before, ":") {
			add(name, m[0])
		}
	}
	return out
}

var (
	createdRe = lazyregexp.New(`(?i)\b(?:new|create[sd]?|add(?:ed|s)?|generated)\b`)
	changedRe = lazyregexp.New(`(?i)\b(?:modif(?:y|ied|ies)|update[sd]?|edit(?:ed|s)?|chang(?:e|es|ed)|extend(?:ed|s)?|existing|delete[sd]?|remove[sd]?)\b`)
)

// useOf is what an entry of a list of files says: its label, or else its first word that does.
func useOf(name labelName, text string) use {
	switch name {
	case labelCreate:
		return useCreate
	case labelModify:
		return useModify
	case labelTest:
		return useTest
	}
	text = quotedRe.Get().ReplaceAllString(text, " ")
	created, changed := createdRe.Get().FindStringIndex(text), changedRe.Get().FindStringIndex(text)
	switch {
	case created == nil && changed == nil:
		return useUnknown
	case created == nil || changed != nil && changed[0] < created[0]:
		return useModify
	}
	return useCreate
}

var testNameRe = lazyregexp.New(`(?:^test_.*|_test|[._-](?:test|tests|spec)|_spec|[a-z0-9](?:Test|Tests|Spec|IT))\.[A-Za-z0-9]+$`)

// IsTest says whether a file is named like a test.
func IsTest(p string) bool {
	dirs := strings.Split(p, "/")
	for _, d := range dirs[:len(dirs)-1] {
		if d == "test" || d == "tests" || d == "__tests__" || d == "spec" || d == "e2e" {
			return true
		}
	}
	base := dirs[len(dirs)-1]
	return strings.HasPrefix(base, "test_") || testNameRe.Get().MatchString(base)
}

// sortFiles says of every file what its task does to it.
func (r *reader) sortFiles() {
	made := map[string]string{} // file → the key of who creates it
	later := map[string]bool{}
	for i := range r.items {
		for _, p := range r.items[i].loose {
			if p.use == useCreate {
				later[p.name] = true
			}
		}
	}
	for i := range r.items {
		it := &r.items[i]
		for _, p := range onceEach(it.loose) {
			switch r.decide(it, p, made, later) {
			case useTest:
				it.Tests = append(it.Tests, p.name)
			case useCreate:
				it.Create = append(it.Create, p.name)
				made[p.name] = it.Key
			case useModify:
				it.Modify = append(it.Modify, p.name)
			}
		}
		if len(it.there) > 0 {
			it.note("files to create that already exist: %s", strings.Join(it.there, ", "))
		}
		if len(it.absent) > 0 {
			it.note("files to modify that don't exist: %s", strings.Join(it.absent, ", "))
		}
		for _, l := range []*[]string{&it.Create, &it.Modify, &it.Tests} {
			if n := len(*l); n > maxFiles {
				it.note("it names %d files; only the first %d are used", n, maxFiles)
				*l = (*l)[:maxFiles]
			}
		}
	}
}

// onceEach has every path once, with the most that was said of it.
func onceEach(all []path) []path {
	var out []path
	rank := [...]int{useUnknown: 1, useCreate: 4, useModify: 3, useTest: 5, useMention: 0}
	for _, p := range all {
		k := slices.IndexFunc(out, func(o path) bool { return o.name == p.name })
		switch {
		case k < 0:
			out = append(out, p)
		case rank[p.use] > rank[out[k].use]:
			out[k].use = p.use
		}
	}
	return out
}

func (r *reader) decide(it *Item, p path, made map[string]string, later map[string]bool) use {
	by, earlier := made[p.name]
	there, known := false, r.exists != nil
	if known {
		there = r.exists(p.name)
	}
	switch {
	case p.use == useMention:
		return useMention
	case p.use == useTest || IsTest(p.name):
		return useTest
	case earlier && p.use == useCreate:
		it.note("%s is already created by %s, so it counts as modified here", p.name, by)
		return useModify
	case earlier:
		return useModify
	case p.use == useCreate:
		if there {
			it.there = append(it.there, p.name)
		}
		return useCreate
	case p.use == useModify:
		if known && !there && !later[p.name] {
			it.absent = append(it.absent, p.name)
		}
		return useModify
	case known && !there && !later[p.name]:
		return useCreate
	}
	return useModify
}
