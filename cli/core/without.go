package core

import (
	"context"
	"errors"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/plantext"
	"vespe/model/snapshot"
	"vespe/store"
)

// What says of a part of a plan which of two of one name is meant.
const (
	sectionPart = "section:"
	taskPart    = "task:"
)

// leftOutParts are the parts of a plan that --without names, as an operation names them.
func leftOutParts(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, uid model.UID, without []string) ([]string, error) {
	if len(without) == 0 {
		return nil, nil
	}
	plan, err := s.Content(ctx, uid, model.Plan)
	if err != nil && !errors.Is(err, model.ErrNoContent) {
		return nil, err
	}
	sections := plantext.Sections(string(plan.Body))
	var out []string
	for _, what := range without {
		part, err := leftOutPart(snap, uid, sections, what)
		if err != nil {
			return nil, err
		}
		out = append(out, part)
	}
	return out, nil
}

// leftOutPart is one of them. A name that a section and a subtask have is neither.
func leftOutPart(snap *snapshot.Snapshot, uid model.UID, sections []plantext.Section, what string) (string, error) {
	if title, ok := strings.CutPrefix(what, sectionPart); ok {
		return strings.TrimSpace(title), nil
	}
	name, wantsTask := strings.CutPrefix(what, taskPart)
	name = strings.TrimSpace(name)
	task, noTask := subtaskNamed(snap, uid, name)
	if wantsTask {
		return string(task), noTask
	}
	isSection := slices.ContainsFunc(sections, func(o plantext.Section) bool { return o.Title == what })
	t, isTask := snap.Task(task)
	switch {
	case !isTask, isSection && t.Config.ParentUID != uid:
		return what, nil
	case isSection:
		return "", Usagef("%q is both a section of the plan and a subtask (%s): write %s%s or %s%s", what, task, sectionPart, what, taskPart, what)
	}
	return string(task), nil
}

// subtaskNamed is a task as people name it; of several of one name the subtask of uid.
func subtaskNamed(snap *snapshot.Snapshot, uid model.UID, name string) (model.UID, error) {
	var named []model.UID
	if i, ok := snap.Index(uid); ok {
		for _, k := range snap.Children(i) {
			if t := snap.At(int(k)); t.Config.Name == name {
				named = append(named, t.UID)
			}
		}
	}
	if len(named) == 1 {
		return named[0], nil
	}
	return snap.Find(name)
}
