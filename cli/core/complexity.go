package core

import (
	"strconv"

	"vespe/model/complexity"
)

// ScoreObject is a score with what is behind it.
type ScoreObject struct {
	Total     float64         `json:"total"`
	Level     string          `json:"level"`
	Threshold float64         `json:"threshold"`
	Split     bool            `json:"split"` // above the threshold
	Parts     []factorObject  `json:"parts"`
	Tokens    int             `json:"tokens"`        // to read
	Output    int             `json:"output_tokens"` // to write
	Minutes   float64         `json:"minutes"`
	Warnings  []warningObject `json:"warnings"`
}

type factorObject struct {
	Factor string       `json:"factor"`
	Points float64      `json:"points"`
	Most   float64      `json:"most"`
	Why    string       `json:"why"`
	Words  []wordObject `json:"words,omitempty"`
	Paths  []string     `json:"paths,omitempty"`
}

type wordObject struct {
	Word  string   `json:"word"`
	Where []string `json:"where"`
}

type warningObject struct {
	Limit string  `json:"limit"`
	Is    float64 `json:"is"`
	Most  float64 `json:"most"`
	Text  string  `json:"text"`
}

func ScoreOf(s *complexity.Score, l complexity.Limits) ScoreObject {
	o := ScoreObject{
		Total: s.Total, Level: string(s.Level), Threshold: l.Threshold, Split: s.Split, Tokens: s.Tokens, Output: s.Output, Minutes: s.Minutes,
		Parts: []factorObject{}, Warnings: []warningObject{},
	}
	for _, p := range s.Parts {
		f := factorObject{Factor: p.Factor.String(), Points: p.Points, Most: p.Factor.Most(), Why: p.Why, Paths: p.Paths}
		for _, w := range p.Found {
			f.Words = append(f.Words, wordObject(w))
		}
		o.Parts = append(o.Parts, f)
	}
	for _, w := range s.Warnings {
		o.Warnings = append(o.Warnings, warningObject(w))
	}
	return o
}

// ScoreLine is a score in a few words.
func ScoreLine(s *complexity.Score) string {
	return Points(s.Total) + " of " + strconv.Itoa(complexity.Most) + ", " + string(s.Level)
}

// Points is a number of points or minutes without needless digits.
func Points(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
