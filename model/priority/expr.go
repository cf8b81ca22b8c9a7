package priority

import (
	"errors"
	"fmt"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"
)

// What an expression may have: nodes, and bytes as it is written.
const (
	maxNodes  = 500
	maxSource = 4000
	maxSums   = 8 // of "+": each copies all that stands before it
)

// builtins are what an expression may call: nothing that makes large values, and no clock.
var builtins = []string{
	"len", "any", "all", "none", "one", "count", "lower", "upper", "trim", "hasPrefix", "hasSuffix",
	"abs", "ceil", "floor", "round", "int", "float", "string", "min", "max",
}

// compile reads an expression that is true or false of a task. patterns are its regular
// expressions.
func compile(source string) (program *vm.Program, patterns []string, err error) {
	if len(source) > maxSource {
		return nil, nil, fmt.Errorf("the expression is longer than %d bytes", maxSource)
	}
	// What is refused is looked for before anything of it is compiled or worked out ahead.
	tree, err := parser.Parse(source)
	if err != nil {
		return nil, nil, err
	}
	g := &guard{}
	ast.Walk(&tree.Node, g)
	if g.err != nil {
		return nil, nil, g.err
	}
	options := []expr.Option{expr.Env(Facts{}), expr.AsBool(), expr.MaxNodes(maxNodes), expr.DisableAllBuiltins()}
	for _, name := range builtins {
		options = append(options, expr.EnableBuiltin(name))
	}
	program, err = expr.Compile(source, options...)
	return program, g.patterns, err
}

// guard refuses what would let a short expression run for long, or fill the memory: ranges, names for
// values (each twice as long as the one before it), long sums, loops that look at more than their element,
// and large regular expressions, or such as nobody knows before.
type guard struct {
	err      error
	patterns []string
	sums     int
}

// Visit is called for every node, those inside first.
func (g *guard) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.BinaryNode:
		switch n.Operator {
		case "..":
			g.refuse("ranges are not supported")
		case "+":
			if g.sums++; g.sums > maxSums {
				g.refuse(fmt.Sprintf("more than %d + operators are not supported", maxSums))
			}
		case "matches":
			re, ok := n.Right.(*ast.StringNode)
			if !ok {
				g.refuse("a pattern must be a string literal")
				return
			}
			if err := checkRegex(re.Value); err != nil {
				g.refuse(err.Error())
			}
			g.patterns = append(g.patterns, re.Value)
		}
	case *ast.PredicateNode:
		inner := &loops{}
		body := n.Node
		ast.Walk(&body, inner)
		switch {
		case inner.found:
			g.refuse("nested loops are not supported")
		case inner.names:
			g.refuse("a loop can only use its element #")
		}
	case *ast.VariableDeclaratorNode:
		g.refuse("let is not supported")
	}
}

func (g *guard) refuse(why string) {
	if g.err == nil {
		g.err = errors.New(why)
	}
}

// loops is what there is in the body of a loop: another, and names that are no builtin's.
type loops struct{ found, names bool }

func (l *loops) Visit(node *ast.Node) {
	switch (*node).(type) {
	case *ast.PredicateNode:
		l.found = true
	case *ast.IdentifierNode:
		l.names = true
	}
}

// holds works an expression out.
func (r *rule) holds(f *Facts) (is bool, err error) {
	defer func() { // whatever the library does not expect is no reason to end the program
		if p := recover(); p != nil {
			is, err = false, fmt.Errorf("it can't be evaluated: %v", p)
		}
	}()
	out, err := expr.Run(r.program, *f)
	if err != nil {
		var at *file.Error
		if errors.As(err, &at) {
			return false, errors.New(at.Message)
		}
		return false, err
	}
	is, _ = out.(bool)
	return is, nil
}

// exprError is what is wrong with an expression, and in which of its lines, from 0.
func exprError(err error) (why string, line int) {
	var at *file.Error
	if errors.As(err, &at) {
		return at.Message, max(0, at.Line-1)
	}
	return err.Error(), 0
}
