// Package storefiles reads what belongs to a store and to none of its tasks: the policy, milestones, guidelines and what
// was decided on guidance.
package storefiles

import (
	"cmp"
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"vespe/model"
	"vespe/model/guidelines"
	"vespe/store/durable"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// Files are these files on a disk.
type Files struct{ disk *durable.Files }

// New is the files on a disk.
func New(disk *durable.Files) *Files { return &Files{disk} }

// guidelinesFile is what every planning and working prompt begins with.
const guidelinesFile = "guidelines.txt"

// Policy is what config.json says now, without a look at any task.
func (s *Files) Policy() (model.Policy, error) {
	p, _, err := ReadPolicy(s.disk)
	return p, err
}

// Guidelines are those of the project, guidelines.txt; nil where there is no such file.
func (s *Files) Guidelines(context.Context) ([]byte, error) {
	b, err := s.disk.FS.ReadFile(guidelinesFile, layout.MaxDocument)
	if fsys.Missing(err) {
		return nil, nil
	}
	return b, err
}

// QuotedGuidelines are the guidelines of the project as agents are told them, at most most bytes of them (guidelines.Quote).
func (s *Files) QuotedGuidelines(ctx context.Context, most int) string {
	b, err := s.Guidelines(ctx)
	return guidelines.Quote(b, err, most)
}

// ReadPolicy reads .vespe/config.json, and .project-config.json beside .vespe for the keys
// that it leaves open.
func ReadPolicy(disk *durable.Files) (model.Policy, []model.Problem, error) {
	p := model.DefaultPolicy()
	var ps []model.Problem
	own, err := disk.FS.ReadFile(layout.PolicyFile, layout.MaxJSON)
	switch {
	case err == nil:
		p, ps = model.DecodePolicy(layout.Shown(layout.PolicyFile), own)
	case !fsys.IsAboutFile(err):
		return p, nil, err // nothing may be decided by another policy
	case !fsys.Missing(err):
		p, ps = unreadPolicy(layout.Shown(layout.PolicyFile), err)
	}
	beside, err := disk.FS.ReadBeside(layout.ProjectConfig, layout.MaxJSON)
	if err != nil {
		if !fsys.IsAboutFile(err) {
			return p, nil, err
		}
		if !fsys.Missing(err) {
			q, more := unreadPolicy(layout.ProjectConfig, err)
			p.Unread, ps = cmp.Or(p.Unread, q.Unread), append(ps, more...)
		}
		return p, ps, nil
	}
	q, more := model.DecodePolicy(layout.ProjectConfig, beside)
	return fillPolicy(p, q, objectKeys(own), objectKeys(beside)), append(ps, more...), nil
}

// unreadPolicy is the policy of a file that is there and cannot be read.
func unreadPolicy(name string, err error) (model.Policy, []model.Problem) {
	p := failure.OfFile(name, err)
	return model.UnreadPolicy(name + ": " + p.Reason + "; " + p.Hint), []model.Problem{p}
}

// fillPolicy takes from q the keys that only it has.
func fillPolicy(p, q model.Policy, inP, inQ map[string]bool) model.Policy {
	p.Unread = cmp.Or(p.Unread, q.Unread)
	take := func(key string) bool { return inQ[key] && !inP[key] }
	if take("name") {
		p.Name = q.Name
	}
	if take("description") {
		p.Description = q.Description
	}
	if take("dependency_policy") {
		p.DependencyPolicy = q.DependencyPolicy
	}
	if take("on_subtask_failure") {
		p.OnSubtaskFailure = q.OnSubtaskFailure
	}
	if take("max_attempts") {
		p.MaxAttempts = q.MaxAttempts
	}
	for _, x := range q.Extra {
		if take(x.Key) {
			p.Extra = append(p.Extra, x)
		}
	}
	return p
}

// objectKeys is the keys of a JSON object as far as it can be read.
func objectKeys(b []byte) map[string]bool {
	keys := map[string]bool{}
	d := jsontext.NewDecoder(strings.NewReader(string(b)))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return keys
	}
	for {
		t, err := d.ReadToken()
		if err != nil || t.Kind() != '"' {
			return keys
		}
		keys[t.String()] = true
		if d.SkipValue() != nil {
			return keys
		}
	}
}

// IsPolicyProblem says whether a problem is of the policy.
func IsPolicyProblem(p model.Problem) bool {
	return p.Path == layout.Shown(layout.PolicyFile) || p.Path == layout.ProjectConfig
}
