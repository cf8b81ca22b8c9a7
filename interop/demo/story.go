package demo

import (
	"time"

	"vespe/model"
)

// tell is the story of ledgerline, a small bookkeeping tool for the terminal.
func tell(now time.Time) *story {
	now = now.UTC()
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	s := &story{first: midnight.AddDate(0, 0, -6), uids: map[string]model.UID{}}
	s.milestones()
	s.foundations()
	s.imports()
	s.reports()
	s.trouble()
	s.shipping()
	s.today(now)
	return s
}

// foundations is the part that is finished.
func (s *story) foundations() {
	s.at(0, "08:50")
	s.create(ann, "core", "Ledger core", "", task{priority: model.Critical, goal: "feature", labels: []string{"core"}})
	s.create(claude, "entry", "Double-entry model", "Represent accounts, postings and transactions so that an unbalanced transaction cannot be built.", task{
		milestone: "M1",
		parent:    "core", priority: model.Critical, goal: "feature", labels: []string{"core"},
		creates: []string{"ledger/account.go", "ledger/posting.go"}, criteria: []string{"An unbalanced transaction does not compile or is refused with both sums", "Amounts are exact; no floats"},
	})
	s.create(claude, "journal", "Append-only journal", "", task{
		parent: "core", after: []string{"entry"}, priority: model.High, goal: "feature", labels: []string{"core", "storage"}, risk: "medium",
		creates: []string{"journal/append.go", "journal/recover.go"},
	})
	s.create(claude, "walformat", "Record format", "One record a line, with length and checksum, readable with `less`.", task{milestone: "M1", parent: "journal", goal: "feature"})
	s.create(codex, "recovery", "Recover a torn tail", "After a power cut the journal opens, and the half-written record is set aside and reported.", task{milestone: "M1", parent: "journal", after: []string{"walformat"}, goal: "feature", labels: []string{"storage"}})
	s.finish(claude, ann, "entry", "", "Accounts, postings and transactions with exact decimal amounts. 31 tests.")
	s.at(0, "14:10")
	s.plan(claude, "core", "# Plan\n\n1. Double-entry model\n2. Append-only journal\n3. Balance assertions\n4. Currencies\n\nEach is a task of its own; this one is done when they are.")
	s.accept(ann, "core")
	s.plan(claude, "journal", "")
	s.reject(raj, "journal", "Two files a transaction is one too many: a crash between them leaves an index that lies. Put the checksum into the record itself.")
	s.at(0, "16:30")
	s.do(claude, model.DefinePlan, "journal", func(op *model.Op) { op.Args = model.NewPlan{Text: s.text("journal", "plan2", "")} })
	s.accept(raj, "journal")
	s.finish(claude, ann, "walformat", "# Plan\n\n`LEN CRC32C JSON\\n`, one line a record. Readers stop at the first bad checksum.\n\n- [x] encode, decode\n- [x] fuzz the decoder", "Format written down in docs/journal.md; decoder fuzzed for an hour without a finding.")
	s.at(1, "09:05")
	s.finish(codex, raj, "recovery", "# Plan\n\nScan from the last checkpoint, stop at the first record whose checksum is wrong, move the rest to `journal.torn-<time>`.", "Recovers in 40 ms on a 200 MB journal. The torn tail is kept, never deleted.")
	s.start(claude, "journal")
	s.complete(claude, "journal", "Appends are one write and one fsync. Recovery is in the subtask.")
	s.approve(raj, "journal")
	s.create(claude, "assert", "Balance assertions", "`balance Assets:Bank 1200 EUR` in a journal fails the load when the sum differs, and says by how much.", task{milestone: "M1", parent: "core", after: []string{"entry"}, goal: "feature", labels: []string{"core"}})
	s.finish(claude, ann, "assert", "# Plan\n\nCheck while loading; collect every failed assertion, not only the first.", "Each failed assertion names file, line, expected and actual sum.")
	s.create(ann, "currency", "Currency conversion", "", task{parent: "core", after: []string{"entry"}, priority: model.High, goal: "feature", labels: []string{"core"}, risk: "high", creates: []string{"currency/rate.go", "currency/parse.go", "currency/convert.go"}, modifies: []string{"ledger/posting.go", "journal/append.go", "report/balance.go"}, criteria: []string{"Amounts convert without floats, and back to the same cents", "`@` and `@@` parse", "A missing rate is refused with the date that is missing", "Reports can be asked for in one currency"}})
}

// imports is the part that agents are at work on.
func (s *story) imports() {
	s.at(1, "11:20")
	s.create(ann, "import", "Import bank statements", "People keep their books only if getting data in takes no effort.\n\nRead what banks hand out, without asking the user to clean it first.", task{priority: model.High, goal: "feature", labels: []string{"import"}})
	s.create(claude, "csv", "Parse CSV exports", "", task{milestone: "M2", parent: "import", after: []string{"entry"}, priority: model.High, goal: "feature", labels: []string{"import", "parser"}, creates: []string{"importer/csv.go", "importer/csv_test.go"}, criteria: []string{"Semicolon, comma and tab files of the 12 sample banks load", "Latin-1 and UTF-8 are told apart", "A bad line is reported with its number and skipped"}})
	s.create(claude, "ofx", "Parse OFX and QFX", "Both the SGML dialect (1.x) and the XML one (2.x). Unclosed tags are normal.", task{milestone: "M2", parent: "import", after: []string{"entry"}, goal: "feature", labels: []string{"import", "parser"}, creates: []string{"importer/ofx.go", "importer/ofx_test.go"}})
	s.create(codex, "dedupe", "Detect duplicates", "", task{milestone: "M2", parent: "import", after: []string{"csv", "ofx"}, priority: model.High, goal: "feature", labels: []string{"import"}, risk: "medium", creates: []string{"importer/dedupe.go"}, modifies: []string{"importer/csv.go", "importer/ofx.go"}})
	s.create(codex, "rules", "Map payees to accounts by rules", "A rules file that a person can read: pattern, account, and an example line that must keep matching.", task{milestone: "M2", parent: "import", after: []string{"csv"}, goal: "feature", labels: []string{"import"}, creates: []string{"importer/rules.go"}, modifies: []string{"importer/csv.go"}})
	s.create(claude, "camt", "Parse CAMT.053", "ISO 20022 statements, as European banks send them.", task{parent: "import", after: []string{"entry"}, priority: model.Low, goal: "feature", labels: []string{"import", "parser"}, creates: []string{"importer/camt.go"}})
	s.plan(claude, "import", "# Plan\n\nOne parser for each format, all giving the same `Line`. Then duplicates, then rules. Formats in the order in which people asked for them: CSV, OFX, CAMT.")
	s.accept(ann, "import")
	s.finish(claude, ann, "csv", "", "All 12 sample banks load. 2 of them change their header in the middle of the file; both are handled.")
	s.at(2, "10:15")
	s.plan(claude, "ofx", "# Plan\n\n1. Tokenize leniently, close what is open when its parent closes.\n2. Map STMTTRN to `Line`.\n3. Fixtures from five banks.\n\nRisk: date zones are written in three ways.")
	s.accept(ann, "ofx")
	s.start(claude, "ofx")
	s.plan(codex, "rules", "# Plan\n\n- rules.toml: `match`, `account`, `example`\n- `ledgerline rules test` fails when an example no longer matches\n- first match wins; order is the file's")
	s.accept(raj, "rules")
	s.plan(codex, "dedupe", "")
	s.accept(raj, "dedupe")
	s.plan(claude, "camt", "# Plan\n\nStream with encoding/xml; one `Line` per `Ntry`. Batches (`NtryDtls`) become one line each.")
	s.because(ann, model.Pause, "camt", "after 0.1; nobody has asked twice")
}

// reports holds a plan that was rejected, plans to review and finished work to review.
func (s *story) reports() {
	s.at(2, "15:40")
	s.create(raj, "reports", "Reports", "Answer the three questions people have: what do I own, where does it go, what is owed.", task{priority: model.Medium, goal: "feature", labels: []string{"reports"}})
	s.create(claude, "balance", "Balance sheet", "Assets, liabilities and equity on a day, with sums that can be opened.", task{milestone: "M1", parent: "reports", after: []string{"entry", "assert"}, goal: "feature", labels: []string{"reports"}})
	s.create(claude, "income", "Income statement", "", task{milestone: "M3", parent: "reports", after: []string{"balance"}, goal: "feature", labels: []string{"reports"}, criteria: []string{"Any two dates", "Totals equal the change in equity"}})
	s.create(codex, "budget", "Budget against actual", "Compare months with a budget file. Over and under must be readable without color.", task{parent: "reports", after: []string{"income"}, priority: model.Low, goal: "feature", labels: []string{"reports"}, creates: []string{"report/budget.go"}, modifies: []string{"report/networth.go"}})
	s.finish(claude, raj, "balance", "# Plan\n\nFold postings by account prefix. Print a tree; `--depth` folds it.", "")
	s.at(3, "09:20")
	s.plan(claude, "income", "")
	s.accept(raj, "income")
	s.start(claude, "income")
	s.happens("income", model.RunReport{Template: "claude", Base: "4c1f0de", Integrated: "1b77e02", Why: "every check passed"})
	s.now = s.now.Add(44 * time.Minute)
	s.complete(claude, "income", "")
	s.create(raj, "query", "Query language", "`ledgerline query 'account:Food and amount > 50 and month:2025-03'`. One grammar for every report's filter.", task{parent: "reports", after: []string{"balance"}, priority: model.Low, goal: "feature", labels: []string{"reports"}})
	s.plan(codex, "budget", "# Plan\n\n1. Read `budget.toml`.\n2. Rewrite the report engine as plug-ins.\n3. Add a budget plug-in.")
	s.reject(raj, "budget", "Step 2 is not needed for a comparison. No plug-ins, please: one function beside income.go.")
	s.create(claude, "networth", "Net worth over time", "One number a month, as a line in the terminal.", task{milestone: "M3", parent: "reports", after: []string{"balance"}, goal: "feature", labels: []string{"reports"}, creates: []string{"report/networth.go", "report/sample.go", "term/spark.go", "term/spark_test.go"}, modifies: []string{"ledger/price.go", "cmd/report.go"}, criteria: []string{"Each month's end has one number, prices of that day", "Twenty years are drawn in under a second", "`--plain` prints the numbers", "A month without prices should say so"}})
	s.plan(claude, "networth", "# Plan\n\nSample the balance at each month's end; draw with braille dots, and as digits with `--plain`.")
	s.accept(raj, "networth")
	s.start(claude, "networth")
	s.happens("networth", model.RunReport{Template: "claude", Base: "8ad20c7"})
	s.at(3, "12:00")
	s.complete(claude, "networth", "Drawn with braille dots; `--plain` prints the numbers. Checked against the balance sheet on 24 month ends.")
	s.at(3, "13:30")
	s.name("charts")
	s.name("html")
	s.bring("charts", "Chart library", "Bars and lines that the HTML export and the terminal share.", "reports", []model.UID{s.uid("html")})
	s.bring("html", "Export to HTML", "A single file without scripts, with the charts in it.", "reports", []model.UID{s.uid("charts"), s.uid("income")})
}

// trouble is what goes wrong in every project.
func (s *story) trouble() {
	s.at(4, "08:30")
	s.because(raj, model.Replan, "ofx", "The QFX files of two banks are XML behind an SGML header. The plan reads neither.")
	s.plan(claude, "ofx", "# Plan\n\n1. Look at the first bytes: SGML header, XML declaration, or the one behind the other.\n2. Tokenize leniently, close what is open when its parent closes.\n3. Map STMTTRN to `Line`.\n4. Fixtures from seven banks, the two with mixed headers among them.\n\nRisk: date zones are written in three ways.")
	s.at(4, "08:55")
	s.create(raj, "prices", "Fetch prices", "", task{parent: "core", after: []string{"currency"}, goal: "feature", labels: []string{"network"}, risk: "high", creates: []string{"currency/fetch.go"}, modifies: []string{"currency/rate.go"}})
	s.create(codex, "fx", "Read ECB exchange rates", "Daily rates from the ECB's XML, kept in a file that can be checked in.", task{parent: "currency", goal: "feature", labels: []string{"network"}, creates: []string{"currency/ecb.go"}})
	s.create(claude, "rounding", "Rounding rules", "", task{parent: "currency", goal: "feature", labels: []string{"core"}, risk: "high", creates: []string{"currency/round.go"}})
	s.plan(codex, "fx", "# Plan\n\n1. Download once a day, keep the file.\n2. Never use a rate from the future.\n3. Offline: the last one that is there, and say its date.")
	s.accept(ann, "fx")
	s.start(codex, "fx")
	s.happens("fx", model.RunReport{Template: "codex", Base: "8ad20c7"})
	s.now = s.now.Add(22 * time.Minute)
	s.stumble(codex, "fx", "TestOffline: got today's date for yesterday's rate.\n\n--- FAIL: TestOffline (0.02s)\n    fx_test.go:88: date = 2025-03-11, want 2025-03-10")
	s.do(codex, model.Retry, "fx", nil)
	s.start(codex, "fx")
	s.happens("fx", model.RunReport{Template: "codex", Base: "8ad20c7"})
	s.now = s.now.Add(31 * time.Minute)
	s.stumble(codex, "fx", "The ECB file has no rates on bank holidays; the lookup walks back one day and gives up.")
	s.do(codex, model.Retry, "fx", nil)
	s.start(codex, "fx")
	s.happens("fx", model.RunReport{Template: "codex", Base: "8ad20c7"})
	s.now = s.now.Add(17 * time.Minute)
	s.stumble(codex, "fx", "Walking back works, but the cache is written with the new date. Two of nine tests fail.")
	s.at(4, "14:25")
	s.plan(claude, "rounding", "")
	s.accept(ann, "rounding")
	s.start(claude, "rounding")
	s.ask(claude, "rounding", model.NewRequest{
		Kind: model.KindChoice, Title: "Which way do we round?", Options: []string{"half to even", "half away from zero"}, Risk: model.RiskHigh,
		Detail: "2.345 EUR is 2.34 or 2.35.\n\n- **half to even** is what banks do: over many postings it favors nobody.\n- **half away from zero** is what people expect of a single bill.\n\nThe plan's third step waits for this; the first two are done.",
	})
	s.create(codex, "fuzz", "Fuzz every parser", "An hour each, corpus checked in.", task{milestone: "M2", parent: "import", after: []string{"csv", "ofx"}, goal: "test", labels: []string{"quality"}})
	s.plan(codex, "fuzz", "# Plan\n\nOne target for each parser; the property is that decode and encode agree on what decodes.")
	s.accept(raj, "fuzz")
	s.create(codex, "perf", "Load a million postings in a second", "", task{after: []string{"journal"}, priority: model.Low, goal: "perf", labels: []string{"core"}})
	s.plan(codex, "perf", "# Plan\n\nMap the journal, decode in four parts, merge.")
	s.accept(raj, "perf")
	s.start(codex, "perf")
	s.now = s.now.Add(time.Hour)
	s.do(codex, model.RaiseError, "perf", func(op *model.Op) {
		op.Args = model.ErrorReport{Failure: true, Details: "1.9 s is what this design gives: checksums alone take 0.8 s. It needs another record format, which is not this task's to choose."}
	})
	s.create(raj, "sync", "Sync through a server", "Keep several machines in step.", task{priority: model.Low, goal: "feature"})
	s.because(raj, model.Abort, "sync", "git does this already")
}

// shipping depends on nearly everything else.
func (s *story) shipping() {
	s.at(4, "17:10")
	s.create(ann, "release", "Release 0.1", "", task{after: []string{"core", "import", "reports"}, priority: model.High, goal: "chore", labels: []string{"release"}})
	s.create(claude, "cli", "Command line", "Verbs, help with examples, exit codes that scripts can use.", task{milestone: "M3", parent: "release", after: []string{"entry"}, goal: "feature", labels: []string{"cli"}})
	s.create(codex, "man", "Manual page", "Made from the command line's own help.", task{milestone: "M3", parent: "release", after: []string{"cli"}, priority: model.Low, goal: "docs", labels: []string{"docs"}})
	s.create(codex, "pack", "Debian and Homebrew packages", "Built by CI from a tag, signed.", task{milestone: "M3", parent: "release", after: []string{"cli", "man"}, goal: "build", labels: []string{"release"}, risk: "high"})
	s.create(claude, "guide", "Getting started guide", "From a bank's CSV to the first balance sheet in ten minutes.", task{milestone: "M3", parent: "release", after: []string{"csv", "balance"}, goal: "docs", labels: []string{"docs"}, creates: []string{"docs/start.md", "examples/bank.csv"}})
	s.create(ann, "security", "Security review", "", task{milestone: "M3", parent: "release", after: []string{"import"}, priority: model.Critical, goal: "chore", labels: []string{"quality"}, risk: "high"})
	s.at(5, "09:00")
	s.finish(claude, ann, "cli", "# Plan\n\nCobra. `add`, `balance`, `income`, `import`, `check`. Every verb has an example in its help.", "Five verbs with examples; exit codes 0, 1, 2 and 3 are documented.")
	s.plan(codex, "man", "# Plan\n\nGenerate from cobra's tree at build time; test that every flag is in it.")
	s.accept(ann, "man")
	s.start(codex, "man")
	s.plan(codex, "security", "")
	s.plan(claude, "guide", "# Plan\n\n1. A sample CSV in `examples/`.\n2. The guide as a test: each command in it is run by CI.\n3. Screens drawn from the program, never typed.")
	s.accept(ann, "guide")
	s.plan(codex, "pack", "# Plan\n\nnfpm for deb, a tap for brew. Keys stay in CI.")
	s.accept(ann, "pack")
}

// today is what the user finds on the desk: new plans, sent-back work, and tasks that
// nobody has looked at.
func (s *story) today(now time.Time) {
	s.at(5, "15:30")
	s.because(ann, model.ReviewRejected, "networth", "The line starts in the month before the first posting, at zero. Start where the data starts.")
	s.because(ann, model.Replan, "guide", "It needs the network in step 2. Everything in the guide must work on a train.")
	s.create(ann, "changelog", "Changelog for 0.1", none, task{parent: "release", goal: "docs", labels: []string{"docs"}})
	s.create(ann, "website", "One page on the web", none, task{parent: "release", after: []string{"guide"}, priority: model.Low, goal: "docs"})
	s.create(codex, "completion", "Shell completion", "bash, zsh and fish; account names too.", task{milestone: "M3", parent: "release", after: []string{"cli"}, priority: model.Low, goal: "feature", labels: []string{"cli"}})
	s.plan(codex, "completion", "# Plan\n\nCobra's own for the verbs, a function over the chart of accounts for the names.")
	s.accept(raj, "completion")
	s.create(claude, "locale", "Dates and numbers by locale", "1.234,56 and 1,234.56; 03/04 is two different days. Ask once for each bank and remember.", task{milestone: "M2", parent: "import", after: []string{"csv"}, priority: model.High, goal: "feature", labels: []string{"import"}, modifies: []string{"importer/csv.go"}, criteria: []string{"The 12 sample banks load without a question", "Where both readings fit it asks once, and keeps the answer"}})
	s.plan(claude, "locale", "# Plan\n\n1. Guess from the whole file, never from one line.\n2. When two readings fit, ask; keep the answer with the bank's rules.\n3. Tests with the 12 sample banks.")
	s.accept(ann, "locale")
	s.create(codex, "errors", "Errors that name the line", "Every error of a load says file, line and what was expected.", task{milestone: "M3", parent: "release", after: []string{"cli"}, goal: "feature", labels: []string{"cli"}})
	s.finish(codex, ann, "errors", "# Plan\n\nCarry positions from the tokenizer; test each message against its line.", "All 26 messages carry file and line.")
	s.create(raj, "backup", "Back up before an upgrade", "A new version keeps a copy of the journal before it first writes to it.", task{milestone: "M1", parent: "core", after: []string{"journal"}, goal: "feature", labels: []string{"storage"}, modifies: []string{"journal/append.go"}})
	s.plan(claude, "backup", "# Plan\n\nHard-link the journal to `journal.v<old>` on the first write by a new version; say so once.")
	s.do(claude, model.DefinePlan, "currency", func(op *model.Op) { op.Args = model.NewPlan{Text: s.text("currency", "plan1", "")} })
	s.comment(
		ann, "currency", "The direction is right. Not with floats.",
		remark{model.Demand, true, "float64", "Two people who convert the same amount must get the same cents. No floats, anywhere."},
		remark{model.Question, false, "parse `@`", "My bank's statements give the total, not the price of one. How is that written?"},
		remark{model.Demand, false, "Rates from the future", "Could it look a missing rate up instead of refusing?"},
	)
	s.now = now.Add(-95 * time.Minute)
	s.plan(claude, "networth", "# Plan\n\n1. First sample: the month of the first posting.\n2. A test with a journal that begins on the 31st.\n\nOtherwise as before.")
	s.revise(
		claude, "currency", "",
		reply{model.CommentAddressed, "The rate is a fraction of integers now, and a property says what that is worth."},
		reply{model.CommentAnswered, "With `@@`; it is in the second step."},
		reply{model.CommentDeclined, "The objective says never. Fetching is a task of its own, Fetch prices."},
	)
	s.plan(ann, "release", "")
	s.accept(ann, "release")
	s.split()
	s.start(codex, "locale")
	s.happens("locale", model.RunReport{})
	s.ask(codex, "man", model.NewRequest{
		Kind: model.KindAction, Title: "Install mandoc, to check the page", Risk: model.RiskMedium, ExpiresAt: now.Add(20 * time.Hour).UTC().Truncate(time.Second),
		Args:   []byte(`{"command": "sudo apt-get install --yes mandoc", "cwd": "."}`),
		Detail: "`mandoc -T lint` finds what `man` shows without a word: macros that do not exist, columns past the edge. Without it the test of the page can only look for names.",
	})
	s.ask(codex, "man", model.NewRequest{
		Kind: model.KindAction, Key: "tests", Title: "Run the tests of the page", Risk: model.RiskLow,
		Args: []byte(`{"command": "go test ./man", "cwd": "."}`), Detail: "They compare the flags of the page with those of the program, and write nothing.",
	})
	s.ask(codex, "man", model.NewRequest{
		Kind: model.KindAction, Key: "look", Title: "Look at the page as a terminal shows it", Risk: model.RiskLow,
		Args: []byte(`{"command": "man --local-file man/ledgerline.1", "cwd": "."}`), Detail: "It shows whether a line is cut at 80 columns.",
	})
}

// milestones are what the project has promised.
func (s *story) milestones() {
	s.at(0, "08:30")
	s.milestone("M1", "Books that balance", "One person's books, by hand, in one currency.")
	s.milestone("M2", "Statements come in", "What banks hand out is read without cleaning it first.")
	s.milestone("M3", "Release 0.1", "Others can install it and find out how it works.")
}

// split is a plan that came with the tasks that it is split into, each with a plan of its own.
func (s *story) split() {
	s.plan(codex, "query", "# Plan\n\nOne grammar for every report's filter, in three tasks.\n\n1. The grammar, with a parser that never panics.\n2. Evaluation over postings, in one pass.\n3. Errors that point at the word.\n\n## Not now\n\nSorting and grouping: reports do that already.")
	s.create(codex, "grammar", "Grammar and parser", "A grammar that fits on a page, and a parser for it by hand.", task{parent: "query", goal: "feature", labels: []string{"reports"}, creates: []string{"query/parse.go", "query/parse_test.go"}, criteria: []string{"The grammar is in docs/query.md, and tested against the parser"}})
	s.create(codex, "evaluate", "Evaluate over postings", "A query of a year's postings takes no longer than reading them.", task{parent: "query", after: []string{"grammar"}, goal: "feature", labels: []string{"reports"}, creates: []string{"query/eval.go"}, risk: "medium"})
	s.create(codex, "pointing", "Errors that point at the word", "`amont > 50`: the line, a caret below the word, and the field that was meant.", task{parent: "query", after: []string{"grammar"}, priority: model.Low, goal: "feature", labels: []string{"reports", "cli"}})
	s.plan(codex, "grammar", "# Plan\n\n- recursive descent, one function for each rule\n- `and` binds closer than `or`; parentheses as usual\n- fuzzed for an hour\n\n| rule | example |\n|---|---|\n| field | `account:Food` |\n| compare | `amount > 50` |\n| span | `month:2025-03` |")
	s.plan(codex, "evaluate", "# Plan\n\nCompile the tree to a closure once; call it for each posting. No index before a measurement asks for one.")
	s.plan(codex, "pointing", "# Plan\n\nTokens keep their columns. The nearest field name by edit distance is proposed when it is closer than three.")
}
