// Package priority is rules/priority.yml: which priority a task gets that nobody
// gave one. It is pure, and safe on rules that somebody else wrote: a file is small, has no
// aliases, and an expression has no loops inside loops and no way to make large values, so
// judging a task takes a bounded number of passes over its texts.
//
//	bank_whitelist: [bank.example]          # domains of context.sender: high
//	patterns:                               # on the objective, whatever the case; the first counts
//	  - {regex: "invoice|payment due", priority: medium}
//	rules:                                  # expressions over the task (Facts); the first counts
//	  - name: risky changes
//	    when: risk == "high" && len(files_to_modify) > 3
//	    priority: high
//	llm_thresholds: {critical: 0.9, high: 0.8, medium: 0.5}
//	default: low
//
// The first of these that says something sets the rule's priority. A score from 0 to 1, where
// there is one, may raise it by the thresholds.
//
//	rules.go  Rules, Judge
//	facts.go  what rules see of a task
//	parse.go  reading the file, with what is wrong in which line
//	expr.go   expressions, and what they may not do
//	regex.go  regular expressions, and how large they may be
package priority
