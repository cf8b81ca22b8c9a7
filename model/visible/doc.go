// Package visible makes text from files fit to be looked at: whatever a terminal, a font
// or a layout would act on or hide becomes an escape that can be read.
//
// A reviewer decides on what is on screen, and an agent reads the bytes. The two must be
// the same text, so nothing here is ever dropped:
//
//   - a control character becomes its picture: ESC is ␛, CR is ␍, DEL is ␡;
//   - C1, bidi controls, zero-width and other default-ignorable characters, tag
//     characters, variation selectors, line and paragraph separators and noncharacters
//     become their code point: ⟨U+202E⟩;
//   - a byte that is not UTF-8 becomes its value: ⟨0xFF⟩.
//
// Two invisible characters are part of how ordinary emoji are written and stay where they
// do only that: U+FE0F directly after an emoji or inside a keycap (1️⃣), and U+200D
// between two emoji (👩‍💻). Anywhere else they are shown like the rest, and so are tag
// characters, even in the flags that are made of them: they can carry a whole hidden
// message.
//
// Private-use characters (icon fonts), blanks that take a cell, such as U+2800 or the
// wide spaces, and combining marks are left alone: they can be seen or they leave a hole.
//
// Text that needs no change is returned as it is, without an allocation.
//
//   - visible.go: the functions
//   - tables.go: which characters are hidden, which are emoji
package visible
