// Package runlog is what is known of a run while it goes on and afterwards: the events of
// persistent/runs/<run>/output.jsonl, the evidence of verify.json, and a View that folds events into
// what a person wants to see. It is pure.
//
// output.jsonl holds one Event a line, as a JSON object, in the order in which things happened. It is
// appended to by whoever runs the worker and read by everybody else while it grows: it is the one way
// by which another process learns what a worker does. A line that cannot be read is shown as it is, as
// an event of the kind raw, and takes none of the others with it.
//
// Whatever an event says comes from a worker, or from what it ran: it is untrusted, kept as it was, and
// to be made visible by who draws it. Only phases, checks and the words of kind note and error are
// vespe's own, and these quote others.
package runlog
