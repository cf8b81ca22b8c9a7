// Package complexity says how much a piece of work is, from 0 to 13, and how it could be cut into
// parts that are less. It knows nothing of tasks: Work is words and paths. It is pure.
//
// # The score
//
// Of adds five parts, each in steps of a half:
//
//	file_scope       0–5  half a point a file, those to create and those to modify
//	cross_file_deps  0–2  the first directories of the files: 2, 3, 4 or more of them give 1, 1½, 2.
//	                      Within one, the layers: 2, 3 or more give 1, 2. Else ½ for more than
//	                      three files. A single file gives nothing
//	semantic         0–3  hard words: 1, 2, 3 or more of them give 2, 2½, 3. Where there is none, words
//	                      of medium weight: ½, 1, 1½
//	uncertainty      0–2  vague words: 1, 2, 3 or more of them give ½, 1, 1½; and ½ for criteria that
//	                      are shorter than 20 characters or longer than 200 on average
//	token_penalty    0–1  the estimate of tokens is above the limit: 1; above four fifths of it: ½
//
// The words are looked for in the name, the user story and the criteria. A word counts once however
// often it is there. Tokens are 1.3 a word, 2,000 a file to modify, which has to be read, and 50 a
// file to create. What has to be written is estimated as 600 a file to create and 375 a file to modify; no
// part of the score goes by it, only a warning. Minutes are half a minute a file, times 1, 1½, 2 or 3 by level, and at least one.
//
// These are the rules, the words and the figures that the orchestrator's task specification
// documents, except that its code looks for any part of a word: there "rapid" has an api in it.
// Here a word is a whole one; in paths, where words are joined, one of those they are joined of.
//
// # Parts
//
// Divide proposes parts in one of three ways. Two things differ from the orchestrator's code on
// purpose. Directories stay whole: it fills batches of four files across them, here a directory with
// more than four files is one part. And there are always two parts or more: what comes to one is
// no split, and is refused with the reason. The way that Suggest names is that of the dominant part of the
// score, as the documentation says; dominant is what has most of what it can have, because its example
// is split by layers at 3 of 5, 2 of 2, 2½ of 3 and 1 of 2. (Its code compares bare points, and splits that one by
// files.)
package complexity
