package proc

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary is also the guard, and every program that a guard runs here.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "__guard":
			os.Exit(GuardMain(os.Args[2:]))
		case "__worker":
			os.Exit(worker(os.Args[2:]))
		}
	}
	// A program with the race detector in it waits for a second before it ends.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	code := m.Run()
	if left := ours(); left != "" && code == 0 {
		fmt.Fprintln(os.Stderr, "goroutines that were left behind:\n"+left)
		code = 1
	}
	os.Exit(code)
}

// ours are the stacks of goroutines of this package, once those that are about to end have ended.
func ours() (left string) {
	for range 1000 {
		left = ""
		b := make([]byte, 1<<20)
		for _, g := range strings.Split(string(b[:runtime.Stack(b, true)]), "\n\n") {
			if strings.Contains(g, "engine/proc.") && !strings.Contains(g, "TestMain") {
				left += g + "\n\n"
			}
		}
		if left == "" {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return left
}

// worker does what its arguments say, one after the other.
func worker(args []string) int {
	for i, arg := range args {
		verb, value, _ := strings.Cut(arg, "=")
		n, _ := strconv.Atoi(value)
		switch verb {
		case "say":
			fmt.Println(value)
		case "warn":
			fmt.Fprintln(os.Stderr, value)
		case "pid": // and so that a test can tell when it is there
			fmt.Println("pid", os.Getpid())
		case "env":
			fmt.Println(os.Getenv(value))
		case "dir":
			fmt.Println(os.Getwd())
		case "cat":
			_, _ = io.Copy(os.Stdout, os.Stdin)
		case "tty":
			_, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
			fmt.Println(err)
		case "flood": // n KiB, 0: without end
			b := bytes.Repeat([]byte("0123456789abcde\n"), 64)
			for j := 0; n == 0 || j < n; j++ {
				_, _ = os.Stdout.Write(b)
			}
		case "tick": // n lines, 20 ms from one to the next
			t := time.NewTicker(20 * time.Millisecond)
			for range n {
				<-t.C
				fmt.Println("tick")
			}
		case "give":
			give(value)
		case "mute":
			os.Stdout.Close()
			os.Stderr.Close()
		case "spawn", "daemon", "bare": // what follows is another process: in the group, in a session, without an environment
			spawn(verb, args[i+1:])
			if value == "hang" {
				hang()
			}
			return n
		case "chain", "tree":
			spread(verb, n)
		case "starter":
			return starts(value)
		case "exit":
			return n
		default:
			signals(verb, n)
		}
	}
	return 0
}

// signals are the verbs that are about signals.
func signals(verb string, n int) {
	switch verb {
	case "hang":
		hang()
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
	case "polite":
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		fmt.Println("pid", os.Getpid())
		<-c
		fmt.Println("goodbye")
	case "forget": // once it is asked to end it has no environment, and lives on
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		fmt.Println("pid", os.Getpid())
		<-c
		forget()
		hang()
	case "stopped":
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	case "die":
		_ = syscall.Kill(os.Getpid(), syscall.Signal(n))
		hang()
	default:
		panic(verb)
	}
}

// spread makes n processes, each in a session of its own, each ending once it has started the next; or
// 2^n of one group, which hang.
func spread(verb string, n int) {
	if verb == "chain" {
		if n > 0 {
			spawn("daemon", []string{"chain=" + strconv.Itoa(n-1)})
		}
		return
	}
	for range 2 {
		if n > 0 {
			spawn("spawn", []string{"tree=" + strconv.Itoa(n-1)})
		}
	}
	fmt.Println("pid", os.Getpid())
	hang()
}

// starts runs what a file says, until it is killed.
func starts(path string) int {
	var spec Spec
	b, err := os.ReadFile(path)
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(b)).Decode(&spec)
	}
	if err == nil {
		spec.Guard = guardArgv()
		_, err = Start(context.Background(), spec)
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	hang()
	return 0
}

// give gives its stdout to anyone who listens.
func give(path string) {
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	if err == nil {
		_, _, err = c.WriteMsgUnix([]byte{1}, syscall.UnixRights(1), nil)
	}
	if err != nil {
		fmt.Println(err)
	}
}

// forget overwrites the environment that others see, which Linux shows as long as the memory is there.
func forget() {
	b, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		panic(err)
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	from, err1 := strconv.ParseInt(fields[47], 10, 64) // env_start and env_end of proc_pid_stat(5)
	to, err2 := strconv.ParseInt(fields[48], 10, 64)
	memory, err3 := os.OpenFile("/proc/self/mem", os.O_WRONLY, 0)
	if err := errors.Join(err1, err2, err3); err != nil {
		panic(err)
	}
	if _, err := memory.WriteAt(make([]byte, to-from), from); err != nil {
		panic(err)
	}
}

func hang() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR2)
	<-c
}

func spawn(how string, args []string) {
	cmd := exec.Command(os.Args[0], append([]string{"__worker"}, args...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: how == "daemon"}
	if how == "bare" {
		cmd.Env = []string{"GORACE=" + os.Getenv("GORACE")}
	}
	if err := cmd.Start(); err != nil {
		fmt.Println(err)
	}
}
