package priority

import (
	"bytes"
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"

	"vespe/model"
	"vespe/model/visible"
	"vespe/model/yamltext"
)

// MaxFile is the largest file that is read, in bytes. It also bounds how deep anything in it
// can be nested.
const MaxFile = 64 << 10

// maxRules bounds the rules of a file.
const maxRules = 500

// Parse reads rules/priority.yml; path is for the problems. Anything that cannot be read is a
// problem of Error severity, and then there are no rules: half of them would set other
// priorities than all. A key that is not known is a warning.
func Parse(path string, b []byte) (*Rules, []model.Problem) {
	p := &reader{path: path, rules: &Rules{Hash: model.HashBytes(b)}}
	p.file(b)
	if p.broken {
		return nil, p.problems
	}
	return p.rules, p.problems
}

type reader struct {
	path     string
	rules    *Rules
	problems []model.Problem
	broken   bool
	weight   int // of the regular expressions so far
}

func (p *reader) add(sev model.Severity, line int, code, reason, hint string) {
	p.broken = p.broken || sev == model.Error
	if len(p.problems) < 20 {
		p.problems = append(p.problems, model.Problem{
			Path: p.path, Line: line, Severity: sev, Code: code, Reason: visible.Line(reason), Hint: hint,
		})
	}
}

// bad is something that cannot be read.
func (p *reader) bad(n ast.Node, reason, hint string) {
	p.add(model.Error, yamltext.Line(n), "bad-rule", reason, hint)
}

func (p *reader) file(b []byte) {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	switch {
	case len(b) > MaxFile:
		p.add(model.Error, 0, "too-large", fmt.Sprintf("the file is larger than %d KiB", MaxFile>>10), "shorten it")
		return
	case !utf8.Valid(b):
		p.add(model.Error, 0, "bad-utf8", "the file is not valid UTF-8", "save it again as UTF-8")
		return
	}
	if yamltext.Depth(b) > maxDepth {
		p.add(model.Error, 0, "too-deep", "brackets are nested too deep, or not closed", "close them")
		return
	}
	if c, whole := model.ConflictProblem("", p.path, b); whole {
		p.problems, p.broken = append(p.problems, c), true
		return
	}
	f, err := yamltext.Parse(b)
	if err != nil {
		why, line := yamltext.Why(err)
		p.add(model.Error, line, "bad-yaml", "this is not YAML: "+why, "fix the file at this line")
		return
	}
	var docs []*ast.DocumentNode
	for _, d := range f.Docs {
		if d.Body != nil {
			docs = append(docs, d)
		}
	}
	switch {
	case len(docs) == 0:
	case len(docs) > 1:
		p.bad(docs[1].Body, "there are two documents in one file", "keep one of them")
	default:
		p.top(docs[0].Body)
	}
}

// maxDepth bounds how deep brackets are nested, wherever they stand: the parser's time grows with
// its square.
const maxDepth = 1000

// entry is a key with its value.
type entry struct {
	key  string
	at   ast.Node
	node ast.Node
}

// mapping are the entries of a mapping.
func (p *reader) mapping(n ast.Node, what string) ([]entry, bool) {
	values, ok := yamltext.Pairs(n)
	if _, null := n.(*ast.NullNode); null {
		return nil, true
	}
	if !ok {
		p.bad(n, what+" is "+kind(n)+", not a mapping", "write KEY: VALUE")
		return nil, false
	}
	var out []entry
	for _, v := range values {
		key, ok := yamltext.Scalar(v.Key)
		if !ok {
			p.bad(v, "a key is "+kind(v.Key)+", not a word", "write KEY: VALUE")
			continue
		}
		if slices.ContainsFunc(out, func(e entry) bool { return e.key == key }) {
			p.bad(v.Key, strconv.Quote(key)+" is given twice", "keep one of the two")
			continue
		}
		out = append(out, entry{key, v.Key, v.Value})
	}
	return out, true
}

// sequence are the items of a list.
func (p *reader) sequence(n ast.Node, what string) []ast.Node {
	switch s := n.(type) {
	case *ast.SequenceNode:
		if len(s.Values) > maxRules {
			p.bad(n, fmt.Sprintf("%s has %d entries; the limit is %d", what, len(s.Values), maxRules), "shorten it")
			return nil
		}
		return s.Values
	case *ast.NullNode:
		return nil
	}
	p.bad(n, what+" is "+kind(n)+", not a list", "write it as a list")
	return nil
}

func kind(n ast.Node) string {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.AliasNode, *ast.AnchorNode, *ast.MergeKeyNode:
		return "an anchor or an alias, which is not supported"
	case *ast.NullNode, nil:
		return "nothing"
	case *ast.TagNode:
		return "a tag, which is not supported"
	}
	return "a value"
}

var topKeys = []string{"bank_whitelist", "patterns", "rules", "llm_thresholds", "score_command", "default"}

func (p *reader) top(n ast.Node) {
	entries, _ := p.mapping(n, "the file")
	p.rules.thresholds = []threshold{{.9, model.Critical}, {.8, model.High}, {.5, model.Medium}}
	for _, e := range entries {
		switch e.key {
		case "bank_whitelist":
			for _, item := range p.sequence(e.node, e.key) {
				if domain, ok := yamltext.Scalar(item); ok && strings.TrimSpace(domain) != "" {
					p.rules.domains = append(p.rules.domains, strings.ToLower(strings.TrimPrefix(strings.TrimSpace(domain), "@")))
				} else {
					p.bad(item, "a domain is "+kind(item), "write it like bank.example")
				}
			}
		case "patterns":
			for i, item := range p.sequence(e.node, e.key) {
				p.pattern(i, item)
			}
		case "rules":
			for i, item := range p.sequence(e.node, e.key) {
				p.rule(i, item)
			}
		case "llm_thresholds":
			p.limits(e.node)
		case "score_command":
			for _, item := range p.sequence(e.node, e.key) {
				if arg, ok := yamltext.Scalar(item); ok {
					p.rules.Command = append(p.rules.Command, arg)
				} else {
					p.bad(item, "an argument is "+kind(item), `write the program and its arguments, like ["score", "--json"]`)
				}
			}
		case "default":
			p.rules.byDefault, _ = p.priority(e.node)
		default:
			p.unknown(e, topKeys)
		}
	}
}

func (p *reader) unknown(e entry, known []string) {
	p.add(model.Warning, yamltext.Line(e.at), "unknown-key", strconv.Quote(e.key)+" is not a known key", "the keys are "+strings.Join(known, ", "))
}

func (p *reader) priority(n ast.Node) (model.Priority, bool) {
	if word, ok := yamltext.Scalar(n); ok {
		if pr, ok := model.ParsePriority(word); ok {
			return pr, true
		}
		p.bad(n, strconv.Quote(word)+" is not a priority", "use critical, high, medium or low")
		return "", false
	}
	p.bad(n, "a priority is "+kind(n), "use critical, high, medium or low")
	return "", false
}

// fields reads an item of a list of rules; need are the keys that it must have.
func (p *reader) fields(item ast.Node, what string, known []string, need ...string) (map[string]ast.Node, bool) {
	entries, ok := p.mapping(item, what)
	out := map[string]ast.Node{}
	for _, e := range entries {
		if !slices.Contains(known, e.key) {
			p.unknown(e, known)
			continue
		}
		out[e.key] = e.node
	}
	for _, key := range need {
		if _, has := out[key]; ok && !has {
			p.bad(item, what+" has no "+key, "write "+strings.Join(need, ", "))
			ok = false
		}
	}
	return out, ok
}

func (p *reader) pattern(i int, item ast.Node) {
	id := fmt.Sprintf("patterns[%d]", i+1)
	f, ok := p.fields(item, id, []string{"regex", "priority"}, "regex", "priority")
	if !ok {
		return
	}
	source, ok := yamltext.Scalar(f["regex"])
	if !ok || source == "" {
		p.bad(f["regex"], id+": the regex is "+kind(f["regex"]), "write a regular expression")
		return
	}
	re, err := compileRegex(source)
	if err == nil {
		err = p.weigh(source)
	}
	if err != nil {
		p.bad(f["regex"], id+": "+err.Error(), "fix the regular expression (Go's RE2 syntax)")
		return
	}
	if pr, ok := p.priority(f["priority"]); ok {
		p.rules.patterns = append(p.rules.patterns, rule{id: id, said: source, line: yamltext.Line(item), regex: re, priority: pr})
	}
}

// weigh adds up the regular expressions of a file.
func (p *reader) weigh(source string) error {
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return err
	}
	if p.weight += sizeOf(re); p.weight > maxAllRegex {
		return errors.New("the regular expressions of the file are too large together")
	}
	return nil
}

// maxAllRegex bounds all regular expressions of a file together, as maxRegex does each. With maxRead that
// is some tens of millions of steps for a task at the very most, less than a tenth of a second where nothing else runs.
const maxAllRegex = 4_000

func (p *reader) rule(i int, item ast.Node) {
	id := fmt.Sprintf("rules[%d]", i+1)
	f, ok := p.fields(item, id, []string{"name", "when", "priority"}, "when", "priority")
	if !ok {
		return
	}
	source, ok := yamltext.Scalar(f["when"])
	if !ok {
		p.bad(f["when"], id+": the expression is "+kind(f["when"]), `write one like risk == "high"`)
		return
	}
	program, patterns, err := compile(source)
	for _, re := range patterns {
		if err == nil {
			err = p.weigh(re)
		}
	}
	if err != nil {
		why, line := exprError(err)
		if _, block := f["when"].(*ast.LiteralNode); block {
			line++ // it begins in the line after the sign
		}
		p.add(model.Error, yamltext.Line(f["when"])+line, "bad-rule", id+": "+why, "fix the expression; docs/format/priority.md lists what it may use")
		return
	}
	said := source
	if name, ok := yamltext.Scalar(f["name"]); ok && strings.TrimSpace(name) != "" {
		said = strings.TrimSpace(name)
	}
	if pr, ok := p.priority(f["priority"]); ok {
		p.rules.rules = append(p.rules.rules, rule{id: id, said: strings.Join(strings.Fields(said), " "), line: yamltext.Line(item), program: program, priority: pr})
	}
}

func (p *reader) limits(n ast.Node) {
	entries, ok := p.mapping(n, "llm_thresholds")
	if !ok {
		return
	}
	for _, e := range entries {
		pr, known := model.ParsePriority(e.key)
		if !known || pr == model.Low {
			p.unknown(e, []string{"critical", "high", "medium"})
			continue
		}
		word, _ := yamltext.Scalar(e.node)
		least, err := strconv.ParseFloat(word, 64)
		if err != nil || !(least >= 0 && least <= 1) {
			p.bad(e.node, fmt.Sprintf("the threshold of %s is %s", e.key, strconv.Quote(word)), "write a number from 0 to 1")
			continue
		}
		for i := range p.rules.thresholds {
			if t := &p.rules.thresholds[i]; t.priority == pr {
				t.least = least
			}
		}
	}
}
