//go:build torture && linux

package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vespe/model"
)

// hostileTemplate is a store with three tasks, with a plan, a result and history.
func hostileTemplate(t *testing.T) string {
	t.Helper()
	root := filepath.Join(memoryDir(t), "template")
	must(t, filepath.Dir(root), "init", root)
	for _, call := range []string{
		"new|Alpha", "new|Beta|--depends|Alpha", "new|Gamma|--parent|Beta", "define-objective|Alpha|Do it.", "define-plan|Alpha|First one, then the other.",
		"define-objective|Beta|Do it.", "define-plan|Beta|First one.", "accept-plan|Alpha", "start|Alpha|--as|agent:claude", "work-completed|Alpha|Done.|--as|agent:claude",
		"pause|Beta|-m|hitl: may it?",
	} {
		must(t, root, strings.Split(call, "|")...)
	}
	return root
}

func taskDirs(t *testing.T, root string) map[string]string {
	t.Helper()
	configs, err := filepath.Glob(filepath.Join(root, ".vespe", "tasks", "*", "config.json"))
	if err != nil || len(configs) != 3 {
		t.Fatal(configs, err)
	}
	dirs := map[string]string{}
	for _, config := range configs {
		var c struct{ Name string }
		b, err := os.ReadFile(config)
		if err == nil {
			err = json.Unmarshal(b, &c)
		}
		if err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(filepath.Join(root, ".vespe"), filepath.Dir(config))
		if err != nil {
			t.Fatal(err)
		}
		dirs[c.Name] = rel
	}
	return dirs
}

// hand lays things into a store. Names are relative to .vespe; {A} is the directory of Alpha.
type hand struct {
	t             *testing.T
	root, outside string
	tasks         map[string]string
}

func (l *hand) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *hand) path(name string) string {
	for task, dir := range l.tasks {
		name = strings.ReplaceAll(name, "{"+task[:1]+"}", dir)
	}
	return filepath.Join(l.root, ".vespe", name)
}

// free makes room for a name.
func (l *hand) free(name string) string {
	path := l.path(name)
	if found, err := filepath.Glob(path); err == nil && len(found) > 0 {
		path = found[0]
	}
	l.must(os.RemoveAll(path))
	l.must(os.MkdirAll(filepath.Dir(path), 0o755))
	return path
}

// outsiders are what links lead to: a store's files, as somebody else's store has them.
func (l *hand) outsiders() {
	uid := strings.TrimPrefix(l.tasks["Alpha"], "tasks/")
	for name, body := range map[string]string{
		"file":                    secret,
		"json":                    `{"uid":"` + uid + `","name":"` + secret + `","description":"` + secret + `","current_state":"working","depends_on":["` + secret + `"]}`,
		"dir/config.json":         `{"uid":"dir","name":"` + secret + `"}`,
		"dir/x.json":              `{"id":"x","question":"` + secret + `"}`,
		"dir/plan-0001.md":        secret,
		"dir/000000000001.json":   secret,
		"dir/sub/result.md":       secret,
		"dir/20250101_000_x.json": `{"event":"` + secret + `"}`,
	} {
		writeFile(l.t, filepath.Join(l.outside, name), body)
	}
}

func (l *hand) link(name, to string) { l.must(os.Symlink(to, l.free(name))) }
func (l *hand) write(name, body string) {
	writeFile(l.t, l.free(name), body)
}

func (l *hand) sparse(name string, size int64) {
	path := l.free(name)
	l.must(os.WriteFile(path, nil, 0o644))
	l.must(os.Truncate(path, size))
}

type hostileTree struct {
	name string
	lay  func(*hand)
}

// everywhere are names that something else than a plain file is put under.
var everywhere = []string{
	"{A}/config.json", "{A}/status.json", "{A}/spec.json", "{A}/dependencies.json", "{A}/objective.md", "{A}/plan.md",
	"{A}/persistent/revisions/plan-0001-*.md", "{A}/persistent/20250101000000_000_x.json", "{A}/result/result.md", "{A}/approvals/accept-*.json",
	"hitl_queue/x.json", "log/000000000003.json", "log/base.ck", "cache/projected", "cache/checkpoint", "lock", "store.json", "config.json",
	".vespe_root", "milestones.json", "guidelines.txt", "rules/priority.yml",
}

// hostileTrees are made by one hand each.
func hostileTrees() []hostileTree {
	return slices.Concat(oddTrees(), foreignTrees(), everywhereTrees())
}

// oddTrees have files and directories that nobody expects.
func oddTrees() []hostileTree {
	return []hostileTree{
		{"the store is a link", func(l *hand) {
			l.must(os.Rename(filepath.Join(l.root, ".vespe"), filepath.Join(l.outside, "moved")))
			l.must(os.Symlink(filepath.Join(l.outside, "moved"), filepath.Join(l.root, ".vespe")))
		}},
		{"of another user", func(l *hand) {
			l.must(filepath.WalkDir(l.root, func(path string, _ os.DirEntry, err error) error {
				if err != nil {
					return err
				}
				return os.Lchown(path, 12345, 12345)
			}))
		}},
		{"links in a circle", func(l *hand) { l.link("{A}/plan.md", "objective.md"); l.link("{A}/objective.md", "plan.md") }},
		{"links within the tree", func(l *hand) {
			for _, name := range []string{"plan.md", "status.json", "spec.json"} {
				l.link("{A}/"+name, "../"+filepath.Base(l.tasks["Beta"])+"/"+name)
			}
			l.link("tasks/tsk-0123456789abcdef0123456789abcdef", filepath.Base(l.tasks["Beta"]))
		}},
		{"a task is a link", func(l *hand) { l.link("tasks/dir", filepath.Join(l.outside, "dir")) }},
		{"sockets", func(l *hand) {
			for _, name := range []string{"{A}/plan.md", "hitl_queue/x.json", "{B}/status.json"} {
				s, err := net.ListenUnix("unix", &net.UnixAddr{Name: l.short(name), Net: "unix"})
				l.must(err)
				l.t.Cleanup(func() { _ = s.Close() })
			}
		}},
		{"one file of every kind is huge", func(l *hand) {
			for _, name := range everywhere {
				l.sparse(name, 2<<30)
			}
		}},
		{"a million brackets", func(l *hand) {
			deep := `{"uid":"x","x":` + strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000) + `}`
			for _, name := range everywhere {
				if strings.HasSuffix(name, ".json") {
					l.write(name, deep)
				}
			}
			l.write("{B}/persistent/20250101000000_000_deep.json", deep)
		}},
		{"uids that differ in case", func(l *hand) {
			for _, dir := range []string{"TSK-A", "tsk-a", "Tsk-A"} {
				l.write("tasks/"+dir+"/config.json", `{"uid":"`+dir+`","name":"`+dir+`"}`)
			}
		}},
		{"uids that lead outside", func(l *hand) {
			up := "../../../outside/dir"
			l.write("tasks/evil/config.json", `{"uid":"`+up+`","name":"evil","parent_uid":"`+up+`"}`)
			l.write("tasks/evil/dependencies.json", `{"depends_on":["`+up+`","/etc/passwd","."," ","..","a/b"]}`)
			l.write("tasks/evil/status.json", `{"current_state":"working","subtask_uids":["`+up+`"],"accepted_plan":{"approval":"`+up+`/x.json"}}`)
			l.write("tasks/..hidden/config.json", `{"uid":"..hidden","name":"h"}`)
			l.write("hitl_queue/evil.json", `{"id":"`+up+`/x","task_uid":"`+up+`","question":"?"}`)
		}},
		{"a log that names other places", func(l *hand) {
			for i, to := range []string{"tasks/../../../outside/file", "/etc/cron.d/x", "log/000000000099.json", "../.git/config", ".vespe_root"} {
				l.write(fmt.Sprintf("log/%012d.json", 100+i), `{"format":1,"seq":`+fmt.Sprint(100+i)+`,"prev":"","op_id":"x","actor":"human:x","at":"2026-01-01T00:00:00Z","ops":[],"files":[{"path":"`+to+`","was":"","sha256":"`+model.HashBytes([]byte("x"))+`","body":"x"}]}`)
			}
		}},
		{"a last entry that names other places", func(l *hand) {
			l.write("log/000000000016.json", `{"format":1,"seq":16,"prev":"","op_id":"x","actor":"human:x","at":"2026-01-01T00:00:00Z","ops":[],"files":[{"path":"tasks/../../../outside/file","was":"","sha256":"`+model.HashBytes([]byte("x"))+`","body":"x"}]}`)
		}},
	}
}

// foreignTrees have contents that nobody expects, and commands for anyone who would run them.
func foreignTrees() []hostileTree {
	return []hostileTree{
		{"a policy with commands", func(l *hand) {
			evil := l.evil()
			l.write("config.json", `{"git":{"mode":"branch"},"worker":{"argv":["`+evil+`"]},"editor":"`+evil+`","pager":"`+evil+`","hooks":{"post":"`+evil+`"},"verify":["`+evil+`"]}`)
			writeFile(l.t, filepath.Join(l.root, ".project-config.json"), `{"git":{"mode":"ref"},"editor":"`+evil+`"}`)
		}},
		{"a repository with commands", func(l *hand) {
			evil := l.evil()
			l.write("config.json", `{"git":{"mode":"branch"}}`)
			git := filepath.Join(l.root, ".git")
			writeFile(l.t, filepath.Join(git, "HEAD"), "ref: refs/heads/main\n")
			writeFile(l.t, filepath.Join(git, "config"), "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "+evil+"\n\thooksPath = hooks\n\tpager = "+evil+"\n\tsshCommand = "+evil+
				"\n\teditor = "+evil+"\n[include]\n\tpath = "+l.outside+"/file\n[diff]\n\texternal = "+evil+"\n[filter \"x\"]\n\tclean = "+evil+"\n[credential]\n\thelper = "+evil+"\n")
			writeFile(l.t, filepath.Join(l.root, ".gitattributes"), "* filter=x diff=x\n")
			for _, hook := range []string{"post-checkout", "reference-transaction", "pre-commit", "post-index-change"} {
				l.must(os.MkdirAll(filepath.Join(git, "hooks"), 0o755))
				l.must(os.Symlink(evil, filepath.Join(git, "hooks", hook)))
			}
			l.must(os.MkdirAll(filepath.Join(git, "objects"), 0o755))
			l.must(os.MkdirAll(filepath.Join(git, "refs"), 0o755))
		}},
		{"a repository elsewhere", func(l *hand) {
			l.write("config.json", `{"git":{"mode":"ref"}}`)
			writeFile(l.t, filepath.Join(l.root, ".git"), "gitdir: "+l.outside+"/dir\n")
		}},
		{"a repository that is a link", func(l *hand) {
			l.write("config.json", `{"git":{"mode":"ref"}}`)
			l.must(os.Symlink(filepath.Join(l.outside, "dir"), filepath.Join(l.root, ".git")))
		}},
		{"texts that speak to terminals", func(l *hand) {
			const evil = "\x1b]0;owned\a\x1b[8m\u202e"
			quoted, err := json.Marshal(evil)
			l.must(err)
			l.write("tasks/evil/config.json", `{"uid":"evil","name":`+string(quoted)+`,"created_by":`+string(quoted)+`}`)
			l.write("{A}/plan.md", evil+"[x](file:///etc/passwd) ![y]("+l.outside+"/file)\n")
			l.write("tasks/"+"a\x1b[2Jb", evil)
		}},
		{"a circle of tasks", func(l *hand) {
			const n = 10_000
			for i := range n {
				dir := filepath.Join(l.root, ".vespe", "tasks", fmt.Sprintf("tsk-%032x", i))
				l.must(os.MkdirAll(dir, 0o755))
				l.must(os.WriteFile(filepath.Join(dir, "config.json"), fmt.Appendf(nil, `{"uid":"tsk-%032x","name":"c%d","parent_uid":"tsk-%032x"}`, i, i, (i+7)%n), 0o644))
				l.must(os.WriteFile(filepath.Join(dir, "dependencies.json"), fmt.Appendf(nil, `{"depends_on":["tsk-%032x"]}`, (i+1)%n), 0o644))
			}
		}},
		{"nothing may be read", func(l *hand) {
			l.must(filepath.WalkDir(l.path("."), func(path string, d os.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				return os.Chmod(path, 0)
			}))
		}},
	}
}

// everywhereTrees have the same in place of everything that vespe knows.
func everywhereTrees() (trees []hostileTree) {
	for _, dir := range []string{
		"tasks", "hitl_queue", "log", "objects", "tmp", "cache", "reviews", "rules", "reflections", "log/owed",
		"{A}/persistent", "{A}/persistent/revisions", "{A}/persistent/runs", "{A}/result", "{A}/result/sub", "{A}/approvals", "{A}/reviews",
	} {
		trees = append(trees, hostileTree{dir + " leads outside", func(l *hand) { l.link(dir, filepath.Join(l.outside, "dir")) }})
	}
	for what, make := range map[string]func(l *hand, name string){
		"links to outside": func(l *hand, name string) {
			to := "file"
			if strings.HasSuffix(name, ".json") {
				to = "json"
			}
			l.link(name, filepath.Join(l.outside, to))
		},
		"links to devices": func(l *hand, name string) { l.link(name, "/dev/zero") },
		"links to /proc":   func(l *hand, name string) { l.link(name, "/proc/self/environ") },
		"FIFOs":            func(l *hand, name string) { l.must(unix.Mkfifo(l.free(name), 0o644)) },
		"devices": func(l *hand, name string) {
			l.must(unix.Mknod(l.free(name), unix.S_IFCHR|0o666, int(unix.Mkdev(1, 5))))
		},
		"terminals": func(l *hand, name string) {
			l.must(unix.Mknod(l.free(name), unix.S_IFCHR|0o666, int(unix.Mkdev(5, 0))))
		},
		"hard links":        func(l *hand, name string) { l.must(os.Link(filepath.Join(l.outside, "json"), l.free(name))) },
		"directories":       func(l *hand, name string) { l.must(os.MkdirAll(l.free(name), 0o755)) },
		"files of rubbish":  func(l *hand, name string) { l.write(name, "\x00\xff{[\"") },
		"conflicts":         func(l *hand, name string) { l.write(name, "<<<<<<< ours\n{}\n=======\n[]\n>>>>>>> theirs\n") },
		"files of no bytes": func(l *hand, name string) { l.write(name, "") },
	} {
		trees = append(trees, hostileTree{"everywhere " + what, func(l *hand) {
			for _, name := range everywhere {
				make(l, name)
			}
		}}, hostileTree{"in a task " + what, func(l *hand) {
			for _, name := range everywhere[1:10] { // its config.json says who it is
				make(l, name)
			}
			for _, name := range everywhere[10:11] {
				make(l, name)
			}
		}}, hostileTree{"in the machinery " + what, func(l *hand) {
			for _, name := range everywhere[11:16] {
				make(l, name)
			}
		}})
	}
	return trees
}

// evil is a program that leaves a trace outside, and a git that is one.
func (l *hand) evil() string {
	evil := filepath.Join(l.root, "evil")
	l.must(os.WriteFile(evil, []byte("#!/bin/sh\ntouch "+filepath.Join(l.outside, "owned")+"\n"), 0o755))
	l.must(os.MkdirAll(filepath.Join(l.root, "bin"), 0o755))
	l.must(os.Symlink(evil, filepath.Join(l.root, "bin", "git")))
	return evil
}

// short is a name for a socket, whose names may not be long: through a link beside the store.
func (l *hand) short(name string) string {
	path := l.free(name)
	dir, err := os.MkdirTemp("/dev/shm", "s")
	l.must(err)
	l.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l.must(os.Symlink(filepath.Dir(path), filepath.Join(dir, "d")))
	return filepath.Join(dir, "d", filepath.Base(path))
}
