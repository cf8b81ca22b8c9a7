// Package yamltext reads YAML, of which JSON is a part, as a tree with the line of each value, for readers that say where
// something is wrong. It is pure.
package yamltext

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Above these Parse refuses: what the library does with them grows with the square of their number.
const (
	mostLists     = 32       // in one line, as in "- - - a"
	mostDocuments = 100      // in one text
	mostLine      = 16 << 10 // bytes
)

// bounded refuses what the library is not to be given.
func bounded(b []byte) error {
	documents, at := 0, 0
	for line := range bytes.Lines(b) {
		at++
		if bytes.HasPrefix(line, []byte("---")) {
			documents++
		}
		lists := 0
		for rest := bytes.TrimLeft(line, " \t"); len(rest) > 1 && bytes.IndexByte([]byte("-?:"), rest[0]) >= 0 && rest[1] == ' '; lists++ {
			rest = bytes.TrimLeft(rest[1:], " \t")
		}
		if documents > mostDocuments || lists > mostLists || len(line) > mostLine {
			return fmt.Errorf("line %d is too long, nested too deep, or starts too many documents", at)
		}
	}
	return nil
}

// Parse reads YAML. A fault of the library is an error like any other.
func Parse(b []byte) (f *ast.File, err error) {
	if err := bounded(b); err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it can't be parsed: %v", r)
		}
	}()
	return parser.ParseBytes(b, 0)
}

// Depth is how deep brackets are nested, wherever they stand.
func Depth(b []byte) (most int) {
	now := 0
	for _, c := range b {
		switch c {
		case '[', '{':
			now++
			most = max(most, now)
		case ']', '}':
			now = max(0, now-1)
		}
	}
	return most
}

// Why is what an error of Parse says, and the line that it is about, counted from 1; 0 where nobody knows.
func Why(err error) (why string, line int) {
	var at yaml.Error
	if !errors.As(err, &at) {
		return err.Error(), 0
	}
	if t := at.GetToken(); t != nil && t.Position != nil {
		line = t.Position.Line
	}
	return at.GetMessage(), line
}

// Line is the line of a value, counted from 1; 0 where nobody knows.
func Line(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 0
	}
	return n.GetToken().Position.Line
}

// Scalar is a word or a number as it is written; false for anything else.
func Scalar(n ast.Node) (string, bool) {
	switch s := n.(type) {
	case *ast.StringNode:
		return s.Value, true
	case *ast.LiteralNode:
		if s.Value != nil {
			return s.Value.Value, true
		}
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	}
	return "", false
}

// Pairs are the entries of a mapping; false for anything else.
func Pairs(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}, true
	}
	return nil, false
}
