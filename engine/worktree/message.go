package worktree

import (
	"context"
	"fmt"
	"strings"
	"time"

	"vespe/model/visible"
	"vespe/store/git"
)

// Message is what a commit says. All of it is untrusted.
type Message struct {
	Subject string // one line
	Body    string // may be empty
	Task    string // uid
}

// Keys of the lines that end a message.
const (
	trailerTask = "Vespe-Task"
	trailerRun  = "Vespe-Run"

	maxSubject = 120
	maxBody    = 16 << 10
)

// text is the whole message. No line of subject or body can be taken for a trailer of ours.
func (m Message) text(trailers ...string) string {
	subject := strings.Join(strings.Fields(visible.Line(m.Subject)), " ")
	if r := []rune(subject); len(r) > maxSubject {
		subject = string(r[:maxSubject-1]) + "…"
	}
	if subject == "" {
		subject = "Work of vespe"
	}
	if ours(subject) {
		subject = "Work: " + subject
	}
	var b strings.Builder
	b.WriteString(subject + "\n")
	if body := strings.TrimSpace(visible.String(m.Body[:min(len(m.Body), maxBody)])); body != "" {
		b.WriteByte('\n')
		for line := range strings.SplitSeq(body, "\n") {
			if ours(line) {
				line = "> " + line
			}
			b.WriteString(strings.TrimRight(line, " \t\r") + "\n")
		}
	}
	b.WriteByte('\n')
	for i := 0; i+1 < len(trailers); i += 2 {
		if trailers[i+1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", trailers[i], strings.Join(strings.Fields(visible.Line(trailers[i+1])), " "))
		}
	}
	return b.String()
}

// ours reports whether a line looks like a trailer of ours.
func ours(line string) bool {
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "vespe-")
}

// trailer is the value of a line of the last paragraph of a message; "" when there is none.
func trailer(message, key string) string {
	message = strings.TrimRight(message, "\n")
	if at := strings.LastIndex(message, "\n\n"); at >= 0 {
		for line := range strings.SplitSeq(message[at+2:], "\n") {
			if value, ok := strings.CutPrefix(line, key+": "); ok {
				return value
			}
		}
	}
	return ""
}

// person is who commits are by.
type person struct{ name, email string }

// identity is the person's, as git would find it without guessing; else vespe's own.
func (r *Repo) identity(ctx context.Context) person {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.who != (person{}) {
		return r.who
	}
	var p person
	out, _ := r.run(ctx, "config", "-z", "--get-regexp", `^user\.(name|email)$`) // 1: there is no such setting
	for _, set := range split(out) {
		if key, value, _ := strings.Cut(set, "\n"); key == "user.name" {
			p.name = value
		} else {
			p.email = value
		}
	}
	for _, kv := range r.environ {
		if value, ok := strings.CutPrefix(kv, "GIT_AUTHOR_NAME="); ok && value != "" {
			p.name = value
		} else if value, ok := strings.CutPrefix(kv, "GIT_AUTHOR_EMAIL="); ok && value != "" {
			p.email = value
		}
	}
	if p.name == "" || p.email == "" {
		p = person{"vespe", "vespe@vespe.invalid"}
	}
	if ctx.Err() == nil {
		r.who = p
	}
	return p
}

func (p person) env(at time.Time) []string {
	date := fmt.Sprintf("@%d %s", at.Unix(), at.Format("-0700"))
	return []string{
		"GIT_AUTHOR_NAME=" + p.name, "GIT_AUTHOR_EMAIL=" + p.email, "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=" + p.name, "GIT_COMMITTER_EMAIL=" + p.email, "GIT_COMMITTER_DATE=" + date,
	}
}

// commitTree makes a commit. Neither hooks nor signing programs have a part in it.
func (r *Repo) commitTree(ctx context.Context, tree, message string, parents ...string) (string, error) {
	return r.commitAt(ctx, r.now(), tree, message, parents...)
}

func (r *Repo) commitAt(ctx context.Context, at time.Time, tree, message string, parents ...string) (string, error) {
	args := []string{"commit-tree", "--no-gpg-sign", tree}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	out, err := r.call(ctx, git.Call{
		Args: args, In: strings.NewReader(message), Env: r.identity(ctx).env(at),
		Config: []string{"i18n.commitEncoding=UTF-8"},
	})
	return strings.TrimSpace(out), err
}
