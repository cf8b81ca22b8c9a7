// Package app wires the program: it reads the person's settings and hands the command line, the workbench and the loop
// what they may not reach by themselves: the terminal, the editor, the shell, git and processes. main.go calls Main
// and does nothing else. Start reading there; workbench.go opens the terminal program.
package app
