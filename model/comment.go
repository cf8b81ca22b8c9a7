package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vespe/model/anchor"
)

// CommentKind says what a comment wants.
type CommentKind string

// The kinds of comment.
const (
	Remark   CommentKind = "comment"  // nothing but to be read
	Question CommentKind = "question" // an answer
	Demand   CommentKind = "change"   // another text
)

// CommentKinds are all of them, the plainest first.
func CommentKinds() []CommentKind { return []CommentKind{Remark, Question, Demand} }

// CommentState says how far a comment is.
type CommentState string

// The states of a comment. Whoever answers it sets one of the next three; only a person
// resolves it, or opens it again.
const (
	CommentOpen      CommentState = "open"
	CommentAddressed CommentState = "addressed" // the text has been changed as it asks
	CommentDeclined  CommentState = "declined"  // it has not, for a reason
	CommentAnswered  CommentState = "answered"  // it was a question
	CommentResolved  CommentState = "resolved"
)

// Resolutions are the states that an answer gives a comment.
func Resolutions() []CommentState {
	return []CommentState{CommentAddressed, CommentDeclined, CommentAnswered}
}

// Comment is what somebody says about a task's objective or plan, or about a few lines of it.
type Comment struct {
	ID       string       `json:"id"` // "c" and at least six hexadecimal digits, one of a kind in its task
	Kind     CommentKind  `json:"kind"`
	Blocking bool         `json:"blocking,omitempty"` // the plan is not accepted before it is settled
	Doc      Doc          `json:"doc"`
	Place    Place        `json:"place,omitzero"` // none: it is about the whole document
	Text     string       `json:"text"`
	By       Actor        `json:"by"`
	At       time.Time    `json:"at"`
	Since    int          `json:"since"`            // the plan's revision that it was made on
	Spot     Spot         `json:"changes,omitzero"` // of a comment on Changes
	State    CommentState `json:"state"`
	Replies  []Reply      `json:"replies,omitempty"` // oldest first
	Via      string       `json:"via,omitempty"`     // ViaFiles, or "" for what was given to vespe

	Unknown jsontext.Value `json:",embed"`
}

// Spot says of a comment on Changes what its place, which is by the lines of a patch, is for who has the
// files: it is zero for any other.
type Spot struct {
	Run  string `json:"run"`            // whose patch it is
	File string `json:"file,omitempty"` // that the lines belong to; "" for the patch as a whole
	Line int    `json:"line,omitempty"` // of the file after the change, or before it where the line is gone; 0 for the file as a whole
}

// String is the spot in words: "importer/ofx.go:12".
func (s Spot) String() string {
	if s.Line > 0 {
		return fmt.Sprintf("%s:%d", s.File, s.Line)
	}
	return s.File
}

// Place is where in a document a comment belongs, by the lines of the revision that its review
// file is of.
type Place struct {
	From   int      `json:"from"` // lines, from 1, both in it
	To     int      `json:"to"`
	Quote  []string `json:"quote"`
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
	// Fate is what became of the lines since the comment was made: "" while nothing did, else
	// kept, moved, edited or lost. When they are lost From is where they were, and Quote is still
	// what they said.
	Fate string `json:"fate,omitempty"`
}

// IsZero reports that a comment is about the whole document.
func (p Place) IsZero() bool { return p.From == 0 }

// Lost reports that the lines are not there any more.
func (p Place) Lost() bool { return p.Fate == anchor.Lost.String() }

func placeOf(a anchor.Anchor) Place {
	return Place{From: a.From, To: a.To, Quote: a.Quote, Before: a.Before, After: a.After}
}

// PlaceAt is the place of lines from to to of a text.
func PlaceAt(text []byte, from, to int) Place { return placeOf(anchor.Make(string(text), from, to)) }

// Reply is one answer to a comment, or what a person decided about it.
type Reply struct {
	State    CommentState `json:"state"` // that the comment has since
	Text     string       `json:"text,omitempty"`
	By       Actor        `json:"by"`
	At       time.Time    `json:"at"`
	Revision int          `json:"revision"` // the plan's, that answers it
	Via      string       `json:"via,omitempty"`
}

// ViaFiles is how a comment or an answer came that vespe was not given, but found in a review file that
// status.json spoke of: By is who the file says it is of, another clone's person or anybody.
const ViaFiles = "files"

// Settled reports that nothing more is waited for.
func (c *Comment) Settled() bool {
	return c.State != CommentOpen && !c.Holds()
}

// OfPerson reports that a person waits for its answer: it is theirs, or one of them opened it again.
func (c *Comment) OfPerson() bool {
	if n := len(c.Replies); n > 0 && c.State == CommentOpen && c.Replies[n-1].By.Kind() == Human {
		return true
	}
	return c.By.Kind() == Human
}

// Holds reports that it keeps the plan from being accepted: a demand that was declined does so
// until a person agrees.
func (c *Comment) Holds() bool {
	return c.Blocking && (c.State == CommentOpen || c.State == CommentDeclined)
}

// ReviewFile is reviews/plan-NNNN.json: what was said about one revision of a plan, and the
// verdict on it when there is one. Comments of earlier revisions that were not settled then
// are in it, too, at the lines that they now are about.
type ReviewFile struct {
	Revision      int       `json:"revision"`
	PlanHash      string    `json:"plan_hash"`
	ObjectiveHash string    `json:"objective_hash,omitempty"`
	Verdict       string    `json:"verdict"` // as in Review; "" while there is none
	By            Actor     `json:"by,omitempty"`
	At            time.Time `json:"at,omitzero"`
	Reason        string    `json:"reason,omitempty"`
	Comments      []Comment `json:"comments"` // in the order in which they were made

	Unknown jsontext.Value `json:",embed"`
}

// CommentBook is what status.json says about the comments on a task's plan.
type CommentBook struct {
	Revision  int    `file:"revision"`        // of the plan: the review file that they are in
	Open      int    `file:"open,always"`     // of people, or opened again by one, that nobody has answered
	Blocking  int    `file:"blocking,always"` // of people, that keep the plan from being accepted
	Questions int    `file:"questions"`       // of agents, that nobody has said anything to
	Hash      string `file:"hash,as=hash"`    // of that file, as vespe wrote it
	File      string `file:"file"`            // what it is called, below reviews; "" as older versions named it (Name)
	Extra     Extra
}

// DecodeReviewFile reads a review file.
func DecodeReviewFile(b []byte) (*ReviewFile, error) {
	f := new(ReviewFile)
	if err := json.Unmarshal(b, f); err != nil {
		return nil, fmt.Errorf("not a review file: %w", err)
	}
	return f, nil
}

// EncodeReviewFile writes a review file.
func EncodeReviewFile(f *ReviewFile) []byte {
	f.At = f.At.UTC().Truncate(time.Millisecond)
	return Indented(f)
}

// Indented writes a value of strings, numbers and times as a file of the store.
func Indented(v any) []byte {
	var b bytes.Buffer
	if err := json.MarshalWrite(&b, v, json.Deterministic(true), jsontext.WithIndent("  "), jsontext.PreserveRawStrings(true),
		jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		panic("such a value can always be written: " + err.Error())
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// Find is the comment with an id; nil when there is none.
func (f *ReviewFile) Find(id string) *Comment {
	for i := range f.Comments {
		if f.Comments[i].ID == id {
			return &f.Comments[i]
		}
	}
	return nil
}

// Book is what status.json says of a review file that has these bytes and is called so. Keys that vespe does not know are those of
// was, which may be nil.
func (f *ReviewFile) Book(body []byte, name string, was *CommentBook) *CommentBook {
	b := f.Counted(HashBytes(body))
	b.File = name
	if was != nil {
		b.Extra = was.Extra
	}
	return b
}

// Counted counts the comments of the file.
func (f *ReviewFile) Counted(hash string) *CommentBook {
	b := &CommentBook{Revision: f.Revision, Hash: hash}
	for i := range f.Comments {
		b.Count(&f.Comments[i], 1)
	}
	return b
}

// Count adds a comment n times.
func (b *CommentBook) Count(c *Comment, n int) {
	if !c.OfPerson() {
		if c.State == CommentOpen && c.Kind == Question {
			b.Questions += n
		}
		return
	}
	if c.State == CommentOpen {
		b.Open += n
	}
	if c.Holds() {
		b.Blocking += n
	}
}

// NewComment is a comment that is to be made.
type NewComment struct {
	Kind     CommentKind // Remark when empty
	Blocking bool
	Doc      Doc // Plan when empty
	// Place is where it belongs. Without a quotation its lines are those of today's document;
	// with one, they are looked for if today's has others there.
	Place Place
	Spot  Spot // of a comment on Changes; its place has a quotation, or is none
	Text  string
}

// CommentAnswer is what somebody says to a comment.
type CommentAnswer struct {
	Comment    string       `json:"comment"` // its id
	Resolution CommentState `json:"resolution"`
	Text       string       `json:"text"`
}

// Lines is the place in words: "line 12", "lines 12–14", "" for the whole document.
func (p Place) Lines() string {
	switch {
	case p.IsZero():
		return ""
	case p.To <= p.From:
		return fmt.Sprintf("line %d", p.From)
	}
	return fmt.Sprintf("lines %d–%d", p.From, p.To)
}

// Made is the comment as it will stand, but for its id, its place and what tells its time and author.
func (n *NewComment) Made() Comment {
	return Comment{Kind: n.OfKind(), Blocking: n.Blocking, Doc: n.OnDoc(), Place: n.Place, Spot: n.Spot, Text: strings.TrimSpace(n.Text), State: CommentOpen}
}

// SetVerdict puts the last verdict into the file, where it is about this revision.
func (f *ReviewFile) SetVerdict(v *Review) {
	f.Verdict, f.By, f.At, f.Reason = "", "", time.Time{}, ""
	if v != nil && v.Of == "plan" && v.Revision == f.Revision {
		f.Verdict, f.By, f.At, f.Reason = v.Verdict, v.By, v.At, v.Reason
	}
}

// Judge puts the verdict into the file that status.json knows of its revision, which goes before what
// the file says. Of an older revision it knows none.
func (f *ReviewFile) Judge(st *StatusFile) {
	p := st.AcceptedPlan
	switch v := st.Review; {
	case v != nil && v.Of == "plan" && v.Revision == f.Revision:
		f.SetVerdict(v)
	case p != nil && p.PlanRevision == f.Revision:
		if f.Verdict != "accepted" || f.By != p.By || !f.At.Equal(p.At) {
			f.Verdict, f.By, f.At, f.Reason = "accepted", p.By, p.At, ""
		}
	case f.Revision == st.PlanRevision:
		f.SetVerdict(nil)
	}
}

// OfKind is the kind of the comment; Remark where it names none.
func (n *NewComment) OfKind() CommentKind {
	if n.Kind == "" {
		return Remark
	}
	return n.Kind
}

// OnDoc is the document that it is on; the plan where it names none.
func (n *NewComment) OnDoc() Doc {
	if n.Doc == "" {
		return Plan
	}
	return n.Doc
}

// FollowPlace is where a place is in a later text.
func FollowPlace(p Place, f *anchor.Finder) Place {
	at := f.Find(anchor.Anchor{From: p.From, To: p.To, Quote: p.Quote, Before: p.Before, After: p.After})
	if at.Fate == anchor.Lost {
		p.From, p.To, p.Fate = at.From, at.From, at.Fate.String()
		return p
	}
	fate := at.Fate
	moved := placeOf(f.Anchor(at))
	switch {
	case fate == anchor.Kept && p.Fate == "" && at.From == p.From:
		return moved
	case p.Fate == anchor.Edited.String(): // once it was edited it is not what it was made on
		fate = anchor.Edited
	case p.Fate == anchor.Moved.String() && fate == anchor.Kept:
		fate = anchor.Moved
	}
	moved.Fate = fate.String()
	return moved
}

// Carry adds what is not settled among the comments on another text of the plan, and not in the file. old and now are
// that text and the file's.
func (f *ReviewFile) Carry(from *ReviewFile, old, now []byte) {
	var finder *anchor.Finder
	for _, c := range from.Comments {
		if c.Settled() || f.Find(c.ID) != nil {
			continue
		}
		if c.Doc == Plan && !c.Place.IsZero() {
			if finder == nil {
				finder = anchor.NewFinder(string(old), string(now))
			}
			c.Place = FollowPlace(c.Place, finder)
		}
		c.Replies = slices.Clone(c.Replies)
		f.Comments = append(f.Comments, c)
	}
}

// NewID is an id that no comment of the file has, for the nth comment, from 0, that an operation makes. It comes from
// the operation's own id, so that two clones hardly ever give the same.
func (f *ReviewFile) NewID(op string, n int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", op, n))
	whole := "c" + hex.EncodeToString(sum[:])
	for k := len("c") + 6; ; k += 2 {
		if id := whole[:k]; f.Find(id) == nil || k+2 > len(whole) {
			return id
		}
	}
}
