// Package keymap is the one table of what a person can do in the workbench:
// each action with its title, help, default keys and the scopes in which it has them.
// Dispatch, the footer, the help, the palette, the configuration file and
// docs/keys.md all come from it, so none of them can say something that is not so.
//
//	actions.go   Action and its constants
//	meaning.go   Meanings: the table of keys, each of which means one thing
//	table.go     Actions: the table of actions, and what keys each is done on
//	scope.go     scopes, and the chains in which they are active together
//	keymap.go    Keymap: building, clashes, overrides
//	resolve.go   from key presses to actions, chords and their continuations
//	keys.go      the spelling of keys, and their labels
//	config.go    Parse: the [keys] table of the configuration
//	words.go     Words: other names by which the palette finds an action
//
// # Scopes
//
// Keys are resolved against a list of scopes, inner before outer; the first scope that
// knows the key wins. Chains lists the combinations that occur. Within a chain two actions
// share a key only where it means the same for both, and in different scopes.
//
// # Chords
//
// A binding is one key ("j", "ctrl+d") or several, one after the other ("Y a"), which only
// people set. After a key
// that starts a chord, Resolve says that it continues, and Continuations lists what may
// follow.
//
// The package is data and pure functions. It imports nothing of vespe and knows no
// terminal library; keys are spelled as Bubble Tea spells them (tea.KeyPressMsg.String).
package keymap
