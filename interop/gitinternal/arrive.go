package gitinternal

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"vespe/interop/records"
	"vespe/model"
	"vespe/model/runlog"
	"vespe/model/visible"
)

// plans gives a task the texts of its plans. A plan needs an objective: the title where there is no other.
func plans(c *records.Converted, b bundle, title string) {
	var texts []string
	for _, p := range b.plans() {
		t := planText(p.fields)
		if strings.TrimSpace(t) != "" && (len(texts) == 0 || texts[len(texts)-1] != t) {
			texts = append(texts, t)
		}
	}
	if len(texts) == 0 {
		return
	}
	c.Imported.Earlier, c.Imported.Plan = texts[:len(texts)-1], texts[len(texts)-1]
	if c.Imported.Objective == "" {
		c.Imported.Objective = records.Body(title)
	}
}

// runs gives a task the runs that are over, as far as anything of them can be shown.
func runs(c *records.Converted, b bundle) {
	live := false
	for i, r := range b.runs() {
		if run, ok := runOfObject(b, r, i+1); ok {
			run.Files = runFiles(c, b, r)
			c.Imported.Runs = append(c.Imported.Runs, run)
		} else {
			live = true
		}
	}
	if live {
		c.Note("unfinished runs are saved only in spec.external." + key)
	}
}

// runDir is the id of a run that came from there.
func runDir(id string) string { return "run-" + id }

func runOfObject(b bundle, r *object, attempt int) (model.ForeignRun, bool) {
	outcome := map[string]string{"completed": model.RunCompleted, "failed": model.RunFailed}[text(r.fields, "status")]
	if outcome == "" {
		return model.ForeignRun{}, false
	}
	report := &model.RunReport{Attempt: attempt, Why: "in git-internal: " + cmp.Or(text(r.fields, "error"), "not verified here")}
	for _, p := range b.ofRun("provenance", r.id) {
		usage := within(p.fields, "token_usage")
		u := object{fields: usage}
		report.In, report.Out = report.In+u.whole("input_tokens"), report.Out+u.whole("output_tokens")
		var cost float64
		if json.Unmarshal(raw(usage, "cost_usd"), &cost) == nil {
			report.Cost += cost
		}
	}
	return model.ForeignRun{Run: model.Run{
		ID: runDir(r.id), Worker: who(r.fields), Started: r.at, Ended: r.updated(), Outcome: outcome, Report: report,
		Extra: model.Extra{model.TextField(model.ForeignKey, "git-internal"), model.TextField("object_id", dashed(r.id)), model.TextField("commit", text(r.fields, "commit"))},
	}}, true
}

// who made an object; a kind that is none of ours is the system itself.
func who(fields model.Extra) model.Actor {
	var ref actorRef
	if json.Unmarshal(raw(fields, "created_by"), &ref) == nil && slices.Contains([]string{model.Human, model.Agent, model.System, model.MCPClient}, ref.Kind) {
		if who, err := model.ParseActor(ref.Kind + ":" + ref.ID); err == nil {
			return who
		}
	}
	return system
}

func runFiles(c *records.Converted, b bundle, r *object) map[string][]byte {
	files := map[string][]byte{}
	if checks := b.ofRun("evidence", r.id); len(checks) > 0 {
		report := runlog.Report{Commit: text(r.fields, "commit"), Why: "reported by git-internal, not verified here"}
		for _, e := range checks {
			report.Checks = append(report.Checks, evidenceOf(e))
		}
		files["verify.json"] = report.Encode()
	}
	for _, p := range b.ofRun("patch_set", r.id) {
		if patch, ok := c.Attached[p.id]; ok {
			if _, again := files["changes.patch"]; again {
				c.Note("only the last patch of each run is imported")
			}
			files["changes.patch"] = patch // the last one is what came of it
		}
	}
	return files
}

func evidenceOf(e *object) runlog.Evidence {
	out := runlog.Evidence{
		Name: cmp.Or(text(e.fields, "command"), text(e.fields, "kind")+" "+text(e.fields, "tool")), Source: "git-internal",
		Status: runlog.NotRun, Output: runlog.Tail(text(e.fields, "summary"), runlog.MaxOutput), Bytes: int64(len(text(e.fields, "summary"))),
	}
	switch err := json.Unmarshal(raw(e.fields, "exit_code"), &out.Exit); {
	case err != nil || string(raw(e.fields, "exit_code")) == "null":
		out.Why = "it has no exit code"
	case out.Exit == 0:
		out.Status = runlog.Pass
	default:
		out.Status = runlog.Fail
	}
	return out
}

// decisions are the decisions about a task's runs as events of its history. None of them is an approval.
func decisions(b bundle, least time.Time) []model.Event {
	var out []model.Event
	for _, d := range b.of("decision", nil) {
		words := text(d.fields, "decision_type")
		if why := text(d.fields, "rationale"); why != "" {
			words += ": " + why
		}
		if len(words) > maxSummary {
			words = strings.ToValidUTF8(words[:maxSummary], "") + "…"
		}
		out = append(out, model.Event{
			Name: "decision", At: records.Later(d.at, least), Actor: who(d.fields), Summary: words,
			Details: []model.ExtraField{model.TextField("object_id", dashed(d.id)), model.TextField("run_id", text(d.fields, "run_id"))},
		})
	}
	return out
}

// maxSummary bounds the words of a decision in the history, in bytes.
const maxSummary = 4 << 10

// notes says what of the objects has no place here but in spec.external.
func notes(c *records.Converted, b bundle) {
	patched := 0
	for i := range b.list {
		o := &b.list[i]
		_, known := kinds[o.typ]
		switch {
		case !known:
			c.Note(fmt.Sprintf("objects of the unknown type %s, saved in spec.external.%s", visible.Line(o.typ), key))
		case slices.Contains(onlyKept, o.typ):
			c.Note("objects of the type " + o.typ + " are saved only in spec.external." + key)
		case o.typ == "patch_set" && c.Attached[o.id] == nil:
			patched++
		case o.typ == "decision":
			c.Note("decisions are imported as history; they approve nothing here")
		}
	}
	if patched > 0 {
		c.Note("patch sets without their patch, saved in spec.external." + key)
	}
}
