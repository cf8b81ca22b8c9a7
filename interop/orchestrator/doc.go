// Package orchestrator reads and writes the tasks, milestones and plan phases of the
// orchestrator's task lifecycle: its state as one JSON object, its plan, or its tasks alone, in
// a list or a line each.
//
// # What becomes what
//
//	id                             uid: a UUIDv7 of a hash of it. A task that was made here is called T and the
//	                               128 bits of its uid in decimal, because ids there are T and a number
//	title, description             name; objective.md is the title and below it the description, which is no member
//	                               of a task there but of one of a plan
//	user_story, acceptance_criteria, files_to_create, files_to_modify, test_files, max_attempts, milestone_id
//	                               the same of the spec
//	priority, dependencies         spec.priority, depends_on
//	attempts                       retry_count, and an event attempts with the number in the history
//	implementation_notes           result/summary.md
//	error                          error_details of a task that failed
//	linear_issue_id                spec.external.linear_issue_id
//	milestones                     milestones: their id, name and description
//	plan.phases, phases            phase N is the milestone MN, as it becomes there. Where there are no tasks yet,
//	                               those of the phases come as tasks; their files as files_to_modify
//	the whole record               spec.external.orchestrator: estimated_complexity and unknown members are there alone
//	the rest of the state          the member workflow_state of its first task's record
//
// # What is written anew
//
// task_ids and status of milestones, current_task_id, current_task_ids, completed_task_ids,
// failed_task_ids and in_flight_task_ids follow from the tasks: they are not kept, and an export
// works them out. Tasks stand in the order of their ids.
//
// # Statuses
//
// completed is completed with its review accepted, failed is failed. blocked is what it says as
// long as a dependency is not completed; with none such it waits for a person's answer. pending
// and in_progress arrive as the texts put them, because an import brings no approval. What is
// exported is its column in docs/design.md (Other vocabularies).
//
// # Parts of a task that was split
//
// A split there puts T2-a, T2-b and so on in the place of T2, and leaves those that depend on T2
// with an id that nothing has. They arrive depending on the last part.
package orchestrator
