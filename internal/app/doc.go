// Package app wires the program: it reads the person's settings and hands the command line and the loop what they may
// not reach by themselves: the terminal, the shell, git and processes. A main package calls Main and says how the
// workbench opens: here, with internal/workbench, or in the executable beside this one, with BecomePart.
package app
