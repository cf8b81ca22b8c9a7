// Package upstream imports the tasks of a store that the original vespe wrote, and exports a
// directory that it can read. To work on such a store itself nothing
// has to be brought: it is opened where it lies.
//
// # The record
//
// The original has files, not records. A record here is what they say of one task:
//
//	config.json, status.json, dependencies.json  their known members as members of the record; others as
//	                                             config.KEY, status.KEY, dependencies.KEY
//	objective.md, plan.md                        objective, plan
//	persistent/, memory/, result/                history and result: each file's path and hash
//	agents/UID/                                  agents: those that the task names
//	config.json of the project, and what there is
//	beside its tasks                             project, of the first record
//
// # What becomes what
//
//	uid, name, created_at, parent_uid, depends_on  the same
//	created_by_agent_uid, assigned_agent_uid       agent:NAME or human:NAME, by agents/; without that the uid
//	progress, retry_count, error_details           the same
//	objective, plan                                objective.md, plan.md
//	persistent/ and memory/msg-*.json              events; the file as it came is in their details, as original
//	result/                                        result/
//	the whole record                               spec.external.vespe_upstream: parent_content_hashes, agents,
//	                                               project and unknown members are there alone
//
// # Statuses
//
// Completed is completed with its review accepted, Failed is failed, and aborted where the original
// says so in error_details. Error and a pause are paused with what it was. ObjectiveDefined with a
// plan is one whose plan was rejected. Created, PlanDefined and Working arrive as the texts put
// them: an import brings no approval. Out, a task is in its stored state; replanned is
// ObjectiveDefined, aborted is Failed.
package upstream
