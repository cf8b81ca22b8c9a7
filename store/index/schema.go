package index

// version is that of the schema. Another one is rebuilt.
const version = 1

// header is what stands at the beginning of an SQLite database: PRAGMA user_version is at offset 60,
// application_id at 68, big-endian.
const (
	headerSize    = 100
	headerMagic   = "SQLite format 3\x00"
	headerVersion = 60
	headerApp     = 68
)

// schema is how the database is made. The columns of tasks up to result_summary are those of the TASKS
// specification; the others are vespe's own.
const schema = `CREATE TABLE tasks (
  task_id        TEXT,  -- ULID of the uid
  created_at     TEXT,  -- RFC 3339, UTC, as all times
  source         TEXT,
  objective      TEXT,
  context        TEXT,  -- JSON object
  priority       TEXT,  -- low, med, high, critical
  status         TEXT,  -- NEW, READY, IN_PROGRESS, WAITING_HITL, DONE, CANCELLED
  subtasks       TEXT,  -- JSON list of {"step","done"}
  assigned_agent TEXT,
  last_updated   TEXT,
  tool_output    TEXT,  -- JSON, of imported tasks
  result_summary TEXT,

  id             INTEGER PRIMARY KEY,  -- rowid of texts and words
  uid            TEXT NOT NULL UNIQUE,
  name           TEXT NOT NULL,
  vespe_status   TEXT NOT NULL,  -- as vespe ls shows it
  state          TEXT NOT NULL,
  parent_uid     TEXT,
  depends_on     TEXT NOT NULL,  -- JSON list of uids
  labels         TEXT NOT NULL,  -- JSON list
  goal_type      TEXT,
  risk           TEXT,
  milestone_id   TEXT,
  created_by     TEXT,
  description    TEXT,
  plan_revision  INTEGER NOT NULL,
  looks          INTEGER NOT NULL  -- of its files, when they were read
);
CREATE TABLE texts (
  id        INTEGER PRIMARY KEY,  -- of the task
  name      TEXT NOT NULL,
  objective TEXT NOT NULL,
  plan      TEXT NOT NULL,
  comments  TEXT NOT NULL,  -- each part after the first begins with char(30), its name and a line break
  results   TEXT NOT NULL,
  history   TEXT NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5(
  name, objective, plan, comments, results, history,
  content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2"
);
CREATE VIRTUAL TABLE names USING fts5(
  name, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2"
);
CREATE TABLE terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE);
CREATE VIRTUAL TABLE parts USING fts5(
  term, content='', tokenize="trigram", detail=none, columnsize=0
);
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`

// tuning keeps a build from merging what it has just written again and again.
const tuning = `
INSERT INTO words(words, rank) VALUES ('hashsize', 33554432), ('automerge', 16);
INSERT INTO names(names, rank) VALUES ('hashsize', 8388608);
INSERT INTO parts(parts, rank) VALUES ('hashsize', 8388608);
INSERT INTO words(words, rank) VALUES ('rank', '` + ranking + `');
`
