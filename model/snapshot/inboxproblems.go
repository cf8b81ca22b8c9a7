package snapshot

import (
	"strconv"
	"strings"

	"vespe/model"
)

func inInbox(p model.Problem) bool { return p.Severity == model.Error || p.Code == codeCycle }

// inboxProblems are the items of problems that wait for a person. What a merge left in
// several files of a task is one.
func inboxProblems(s *Snapshot) []InboxItem {
	var items []InboxItem
	type merge struct{ item, before int } // the item of a task's conflicts, and where its reason begins
	merges := map[model.UID]merge{}
	for k, p := range s.Problems() {
		if !inInbox(p) {
			continue
		}
		if m, more := merges[p.UID]; more && p.Code == model.CodeConflictMarks {
			title := items[m.item].Title
			items[m.item].Title = title[:m.before] + ", " + place(p) + title[m.before:]
			merges[p.UID] = merge{m.item, m.before + len(", "+place(p))}
			continue
		}
		item := InboxItem{Kind: InboxProblem, Task: -1, Problem: k, Title: p.Reason}
		if where := place(p); where != "" {
			item.Title = where + ": " + p.Reason
		}
		if i, ok := s.tasks.lookup(p.UID); ok {
			item.Task = i
			if p.Code == model.CodeConflictMarks {
				merges[p.UID] = merge{len(items), len(place(p))}
			}
		}
		items = append(items, item)
	}
	return items
}

// place is the file of a problem, and the line: in the task's directory, if it is one of a task.
// A cycle is in several.
func place(p model.Problem) string {
	where := p.Path
	if p.Code == codeCycle || p.Code == codeParentCycle {
		return ""
	}
	if p.UID != "" {
		if _, rest, ok := strings.Cut(where, "/"+string(p.UID)+"/"); ok {
			where = rest
		} else if strings.HasSuffix(where, "/"+string(p.UID)) {
			where = "" // the task itself, which is named anyway
		}
	}
	if where != "" && p.Line > 0 && p.Code != model.CodeConflictMarks {
		where += ":" + strconv.Itoa(p.Line)
	}
	return where
}
