package model

import "fmt"

// Effect is one thing that comes of an operation.
type Effect struct {
	Code  string // what it is, for programs, as "can_start"
	Tasks []UID  // that the sentence names
	Text  string // the same for people, a sentence
}

// EffectKind is a kind of effect.
type EffectKind struct {
	Code string
	text string // a sentence, or a clause that becomes one, for fmt.Sprintf
}

// NewEffectKind is a kind with the sentence that says it, which is formatted with the arguments of an effect.
func NewEffectKind(code, text string) EffectKind { return EffectKind{code, text} }

// Effect is an effect of the kind, about tasks.
func (k EffectKind) Effect(tasks []UID, args ...any) Effect {
	return Effect{Code: k.Code, Tasks: tasks, Text: asSentence(fmt.Sprintf(k.text, args...))}
}

// Texts are effects in words.
func Texts(effects []Effect) []string {
	var out []string
	for _, e := range effects {
		out = append(out, e.Text)
	}
	return out
}
