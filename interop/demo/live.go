package demo

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vespe/model"
)

// live/project is the project in which the scripted worker works; live/work has what it writes, a directory a
// piece of work.
//
//go:embed live
var live embed.FS

const (
	projectDir = "live/project"
	workDir    = "live/work"
)

// WorkerVerb is what vespe is called with as the scripted worker. Nobody types it: it is no verb of the command
// line.
const WorkerVerb = "__demo-worker"

// LiveConfig is config.json of a store in which the scripted worker works: at a human pace with 1, without a pause
// with 0.
func LiveConfig(pace float64) ([]byte, error) {
	b, err := json.Marshal(struct {
		Name   string `json:"name"`
		Worker any    `json:"worker"`
	}{Name, struct {
		Argv     []string `json:"argv"`
		Format   string   `json:"format"`
		Parallel int      `json:"parallel"`
	}{[]string{"{vespe}", WorkerVerb, fmt.Sprintf("--pace=%g", pace)}, "claude", 2}}, jsontext.WithIndent("  "))
	return append(b, '\n'), err
}

// IsLive reports whether a store's worker is the scripted one.
func IsLive(p model.WorkerPolicy) bool { return len(p.Argv) > 1 && p.Argv[1] == WorkerVerb }

// WriteProject writes the files of the project, but for its store, into a directory.
func WriteProject(dir string) error { return write(projectDir, dir, nil) }

// write copies a tree of live into a directory, and tells each of its files first.
func write(from, dir string, each func(name string, body []byte) error) error {
	return fs.WalkDir(live, from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := live.ReadFile(name)
		if err != nil {
			return err
		}
		below := strings.TrimPrefix(name, from+"/")
		if each != nil {
			if err := each(below, body); err != nil {
				return err
			}
		}
		to := filepath.Join(dir, filepath.FromSlash(below))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if path.Ext(below) == "" && strings.HasPrefix(string(body), "#!") {
			mode = 0o755
		}
		return os.WriteFile(to, body, mode)
	})
}

// BuildLive writes the store of the live demo: a few tasks whose plans are accepted, for workers to begin with.
func BuildLive(ctx context.Context, s Store, now time.Time, progress func(done, total int)) error {
	return tellLive(now).write(ctx, s, progress)
}

// tellLive is the story of ledgerline as it was when it was a few lines of shell.
func tellLive(now time.Time) *story {
	now = now.UTC()
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	s := &story{first: midnight.AddDate(0, 0, -2), uids: map[string]model.UID{}}
	s.at(0, "09:10")
	s.create(ann, "amount", "Amounts in whole cents", "12.34 is 1234 cents. No floats, and 08 is not octal.", task{priority: model.Critical, goal: "feature", creates: []string{"lib/amount.sh", "test/amount_test.sh"}})
	s.create(ann, "journal", "Read a journal", "One line a posting, whatever the journal looks like.", task{after: []string{"amount"}, priority: model.Critical, goal: "feature", creates: []string{"lib/journal.sh", "test/journal_test.sh"}})
	s.finish(claude, ann, "amount", "# Plan\n\n`cents` and `money`, in shell arithmetic. A leading zero goes before the sum is made.", "Five cases are tested, below zero among them.")
	s.finish(claude, raj, "journal", "# Plan\n\n`postings` reads line by line and prints `LINE DATE ACCOUNT CENTS PAYEE`.", "Ten postings of the example are read.")
	s.at(1, "10:20")
	s.create(ann, "check", "Refuse what does not balance", "`ledgerline check FILE` names each transaction that does not balance, with its line and by how much.", task{
		after: []string{"journal"}, priority: model.High, goal: "feature", creates: []string{"lib/check.sh", "test/check_test.sh"},
		criteria: []string{"`sh test/check_test.sh` passes", "It fails where one transaction is off"}, verify: [][]string{{"sh", "test/check_test.sh"}},
	})
	s.create(raj, "csv", "Read a bank's CSV", "`ledgerline csv FILE` reads what banks hand out: commas or semicolons, with a heading or without.", task{
		after: []string{"amount"}, priority: model.High, goal: "feature", creates: []string{"lib/csv.sh", "test/csv_test.sh"},
		criteria: []string{"`sh test/csv_test.sh` passes", "A bad line is reported with its number, and skipped"}, verify: [][]string{{"sh", "test/csv_test.sh"}},
	})
	s.create(raj, "rules", "Map payees to accounts by rules", "A file that a person can read: a pattern and an account in each line.", task{
		after: []string{"csv"}, priority: model.High, goal: "feature", creates: []string{"lib/rules.sh", "test/rules_test.sh"},
		criteria: []string{"`sh test/rules_test.sh` passes"}, verify: [][]string{{"sh", "test/rules_test.sh"}},
	})
	s.create(raj, "dedupe", "Leave out duplicates", "A statement that overlaps the last one adds nothing twice. Two coffees bought on one day stay two.", task{
		after: []string{"csv"}, goal: "feature", creates: []string{"lib/dedupe.sh"},
		criteria: []string{"`sh test/dedupe_test.sh` passes", "Two equal lines of one day stay two"}, verify: [][]string{{"sh", "test/dedupe_test.sh"}},
	})
	s.create(ann, "balance", "Balance of each account", "`ledgerline balance FILE` prints a line an account, by name.", task{
		after: []string{"check"}, goal: "feature", creates: []string{"lib/balance.sh", "test/balance_test.sh"},
		criteria: []string{"`sh test/balance_test.sh` passes"}, verify: [][]string{{"sh", "test/balance_test.sh"}},
	})
	s.create(ann, "income", "Income by month", "What came in and what went out, a line a month.", task{
		after: []string{"balance"}, goal: "feature", creates: []string{"lib/income.sh", "test/income_test.sh"},
		criteria: []string{"`sh test/income_test.sh` passes"}, verify: [][]string{{"sh", "test/income_test.sh"}},
	})
	s.create(raj, "html", "Balance as a web page", "`ledgerline html FILE` prints one page that needs no scripts.", task{
		after: []string{"balance"}, priority: model.Low, goal: "feature", creates: []string{"lib/html.sh", "test/html_test.sh"},
		criteria: []string{"`sh test/html_test.sh` passes"}, verify: [][]string{{"sh", "test/html_test.sh"}},
	})
	s.create(ann, "guide", "Getting started guide", "From a bank's CSV to the first month in ten minutes. It works on a train.", task{
		after: []string{"rules", "income"}, goal: "docs", creates: []string{"docs/start.md", "examples/bank.csv", "examples/rules.txt", "test/guide_test.sh"},
		criteria: []string{"`sh test/guide_test.sh` passes", "Every command in it is run by the tests"}, verify: [][]string{{"sh", "test/guide_test.sh"}},
	})
	s.at(1, "14:00")
	s.plan(claude, "check", "# Plan\n\n1. Sum the cents of each transaction while reading.\n2. Say file, line, date and by how much it is off.\n3. Continue after the first one, and report them all.")
	s.plan(claude, "csv", "# Plan\n\n1. The separator is what the line has: a semicolon, else a comma.\n2. A first line without an amount is a heading.\n3. Any other line that cannot be read goes to standard error, with its number.")
	s.plan(codex, "rules", "# Plan\n\n1. `PATTERN = ACCOUNT`, a line each; `*` is any text.\n2. Where two patterns match a payee, ask: the objective does not say which one wins.")
	s.plan(codex, "dedupe", "# Plan\n\n1. Print the lines of the new statement that the old one does not have.\n2. `test/dedupe_test.sh` is there already, and must pass.")
	s.plan(claude, "balance", "# Plan\n\n1. Sort postings by account, and fold.\n2. Names on the left, sums on the right.")
	s.plan(claude, "income", "# Plan\n\n1. Only `Income:` and `Expenses:` count.\n2. Fold by month, as the balance folds by account.")
	s.plan(codex, "guide", "# Plan\n\n1. The example files.\n2. The guide, with a command in each step.\n3. A test that runs each command in it.")
	s.accept(ann, "check", "csv", "rules", "dedupe", "balance", "income", "guide")
	s.plan(codex, "html", "# Plan\n\n1. The lines of `balance`, as rows of a table.\n2. One file, no scripts, no style.\n\n## Not now\n\nCharts.")
	return s
}
