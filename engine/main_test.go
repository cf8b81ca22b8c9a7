package engine

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"vespe/engine/proc"
	"vespe/model"
	"vespe/model/runlog"
	"vespe/store"
)

// The test program is run again as the guard of workers, as a worker that does what its plan says, and
// as a loop that can be killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "__guard":
			os.Exit(proc.GuardMain(os.Args[2:]))
		case "__worker":
			os.Exit(scripted())
		case "__loop":
			os.Exit(loopProcess(os.Args[2]))
		}
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // else each guard and each worker ends a second later
	scoresOrTests(m)
}

// scripted is a worker that does what the lines of its prompt say that begin with "do ", or with "do@N "
// in the N-th attempt only, or with "do>N " after that:
//
//	write FILE TEXT   append FILE TEXT   remove FILE   say TEXT   exit CODE   commit FILE TEXT
//	hang   deaf (SIGTERM is ignored)   fork (leaves a process in a session of its own)   flood BYTES   garbage   evidence   report TEXT   kill
//	args FILE (writes its arguments)   spin TIMES   meet N (waits until as many workers do)   fifo (reads from one that nobody writes to)
//	ask TITLE (and ends)   askwait TITLE (and continues with the answer in answer.md)   result FILE TEXT   answer (writes what it was told into FILE)
func scripted() int {
	name := os.Getenv("VESPE_PROMPT_FILE")
	prompt, err := os.ReadFile(name)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	if b, err := os.ReadFile(filepath.Join(os.Getenv("TEST_STATE"), "instead-"+os.Getenv("VESPE_TASK"))); err == nil {
		prompt = b
	}
	turn := count1(filepath.Join(os.Getenv("TEST_STATE"), os.Getenv("VESPE_TASK")))
	in := bufio.NewScanner(strings.NewReader(string(prompt)))
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		line := strings.TrimSpace(in.Text())
		rest, ok := strings.CutPrefix(line, "do ")
		if at, after, found := strings.Cut(line, " "); !ok && found && at == fmt.Sprintf("do@%d", turn) {
			rest, ok = after, true
		} else if n, err := strconv.Atoi(strings.TrimPrefix(at, "do>")); !ok && found && err == nil && strings.HasPrefix(at, "do>") && turn > n {
			rest, ok = after, true
		}
		if !ok {
			continue
		}
		if code, over := perform(strings.Fields(rest), rest); over {
			return code
		}
	}
	return 0
}

// count1 counts how often it was called for a name, in a file.
func count1(name string) int {
	b, _ := os.ReadFile(name)
	n, _ := strconv.Atoi(string(b))
	n++
	if err := os.WriteFile(name, []byte(strconv.Itoa(n)), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return n
}

func perform(words []string, line string) (code int, over bool) {
	arg := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	text := ""
	if len(words) > 2 {
		text = strings.Join(words[2:], " ") + "\n"
	}
	fail := func(err error) (int, bool) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 4, true
		}
		return 0, false
	}
	switch words[0] {
	case "write":
		_ = os.MkdirAll(filepath.Dir(arg(1)), 0o755)
		return fail(os.WriteFile(arg(1), []byte(text), 0o644))
	case "append":
		f, err := os.OpenFile(arg(1), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return fail(err)
		}
		defer f.Close()
		_, err = f.WriteString(text)
		return fail(err)
	case "remove":
		return fail(os.Remove(arg(1)))
	case "say":
		fmt.Println(strings.TrimPrefix(line, "say "))
	case "exit":
		n, _ := strconv.Atoi(arg(1))
		return n, true
	case "commit":
		if err := os.WriteFile(arg(1), []byte(text), 0o644); err != nil {
			return fail(err)
		}
		for _, argv := range [][]string{{"add", "-A"}, {"-c", "user.name=w", "-c", "user.email=w@w", "commit", "-qm", "by the worker"}} {
			if out, err := exec.Command("git", argv...).CombinedOutput(); err != nil {
				fmt.Fprintln(os.Stderr, string(out))
				return fail(err)
			}
		}
	case "hang":
		fmt.Println("hanging")
		time.Sleep(time.Hour)
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("hanging")
		time.Sleep(time.Hour)
	case "args":
		return fail(os.WriteFile(arg(1), []byte("good "+strings.Join(os.Args[2:], " ")+"\n"), 0o644))
	case "meet":
		n, _ := strconv.Atoi(arg(1))
		at := filepath.Join(os.Getenv("TEST_STATE"), "meet-")
		if err := os.WriteFile(at+os.Getenv("VESPE_RUN_ID"), nil, 0o600); err != nil {
			return fail(err)
		}
		for end := time.Now().Add(stuck); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if came, err := filepath.Glob(at + "*"); err == nil && len(came) >= n {
				return 0, false
			}
		}
		return 8, true
	case "spin":
		n, _ := strconv.Atoi(arg(1))
		sum := [32]byte{}
		for range n {
			sum = sha256.Sum256(sum[:])
		}
		fmt.Printf("%x\n", sum)
	case "fifo":
		name := filepath.Join(os.Getenv("TEST_STATE"), "fifo-"+os.Getenv("VESPE_RUN_ID"))
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			return fail(err)
		}
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			return fail(err)
		}
		_, err = f.Read(make([]byte, 1))
		return fail(err)
	case "fork":
		c := exec.Command(os.Args[0], "__worker")
		hang := filepath.Join(os.Getenv("TEST_STATE"), "hang-prompt")
		if err := os.WriteFile(hang, []byte("do hang\n"), 0o600); err != nil {
			return fail(err)
		}
		c.Env = append(os.Environ(), "VESPE_PROMPT_FILE="+hang, "VESPE_TASK=forked")
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return fail(c.Start())
	case "evidence": // as if it had been verified
		dir := filepath.Join(os.Getenv("VESPE_STORE"), ".vespe", "tasks", os.Getenv("VESPE_TASK"), "persistent", "runs", os.Getenv("VESPE_RUN_ID"))
		rep := runlog.Report{OK: true, Tested: true, Criteria: []runlog.Criterion{{Text: "it works", Status: runlog.Pass, By: "me"}}}
		return fail(os.WriteFile(filepath.Join(dir, "verify.json"), rep.Encode(), 0o644))
	case "report": // as task_report of a worker does
		dir := filepath.Join(os.Getenv("VESPE_STORE"), ".vespe", "tasks", os.Getenv("VESPE_TASK"), "persistent", "runs", os.Getenv("VESPE_RUN_ID"))
		return fail(os.WriteFile(filepath.Join(dir, runlog.ReportFile), []byte(strings.TrimPrefix(line, "report ")+"\n"), 0o644))
	case "kill": // its guard
		return fail(syscall.Kill(os.Getppid(), syscall.SIGKILL))
	case "garbage":
		fmt.Print("\xff\xfe\x80 no text \x00\n")
		fmt.Fprint(os.Stderr, strings.Repeat("\xe4", 10_000))
	case "flood":
		n, _ := strconv.Atoi(arg(1))
		for range n / 64 {
			fmt.Println(strings.Repeat("x", 63))
		}
	case "result":
		dir := filepath.Join(os.Getenv("VESPE_STORE"), ".vespe", "tasks", os.Getenv("VESPE_TASK"), "result")
		_ = os.MkdirAll(dir, 0o755)
		return fail(os.WriteFile(filepath.Join(dir, arg(1)), []byte(text), 0o644))
	case "ask":
		return fail(ask(strings.TrimPrefix(line, "ask "), ""))
	case "hook": // what a hook does that puts a call off
		return fail(ask("allow it?", model.DeferredKey(os.Getenv("VESPE_RUN_ID"), arg(1))))
	case "askwait":
		return fail(askAndWait(strings.TrimPrefix(line, "askwait ")))
	case "answer":
		b, err := os.ReadFile(os.Getenv("VESPE_PROMPT_FILE"))
		if err != nil {
			return fail(err)
		}
		for _, l := range strings.Split(string(b), "\n") {
			if strings.Contains(l, "the second one") {
				return fail(os.WriteFile(arg(1), []byte(l+"\n"), 0o644))
			}
		}
		return 7, true
	default:
		fmt.Fprintln(os.Stderr, "the script says", line)
		return 9, true
	}
	return 0, false
}

// ask files a question as a worker does.
func ask(title, key string) error {
	s, err := store.Open(os.Getenv("VESPE_STORE"), store.Options{Scratch: true})
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = askIn(s, title, key)
	return err
}

func askIn(s *store.Store, title, key string) (string, error) {
	applied, err := s.Do(context.Background(), model.Op{
		Name: model.Ask, UID: model.UID(os.Getenv("VESPE_TASK")), Actor: model.Actor(os.Getenv("VESPE_ACTOR")),
		Args: model.NewRequest{Title: title, Key: key},
	})
	if err != nil {
		return "", err
	}
	return applied.Change.Request, nil
}

// askAndWait asks, waits for the answer as `vespe wait` does, and writes it down.
func askAndWait(title string) error {
	s, err := store.Open(os.Getenv("VESPE_STORE"), store.Options{Scratch: true})
	if err != nil {
		return err
	}
	defer s.Close()
	id, err := askIn(s, title, "")
	if err != nil {
		return err
	}
	fmt.Println("waiting")
	for at := uint64(0); ; {
		snap, err := s.Refresh(context.Background())
		if err != nil {
			return err
		}
		for _, q := range snap.Requests() {
			if q.ID == id && q.Answer != nil {
				return os.WriteFile("answer.md", []byte(q.Answer.Text+"\n"), 0o600)
			}
		}
		if at, err = s.Await(context.Background(), max(at, snap.Seq()), time.Minute); err != nil {
			return err
		}
	}
}
