package model

import (
	"encoding/json"
	"strings"
	"time"
)

// The files that edit_guidance writes, below .vespe.
const (
	GuidelinesFile = "guidelines.txt"
	PriorityFile   = "rules/priority.yml"
	ProposalsFile  = "reflections/proposals.json"
)

// Guidance is what edit_guidance needs.
type Guidance struct {
	Files   []GuidanceFile
	Decided []Proposed // what was accepted with it, and what was declined
}

// GuidanceFile is one file as it is to be.
type GuidanceFile struct {
	Name string // GuidelinesFile or PriorityFile
	Body []byte
	Was  string // hash of what was seen there, as "sha256-<hex>"; "" for no file
}

// Proposed is a proposal that somebody has decided on: it is not made again.
type Proposed struct {
	Key      string    `json:"key"`
	Title    string    `json:"title,omitempty"`
	Accepted bool      `json:"accepted"`
	By       Actor     `json:"by"`
	At       time.Time `json:"at"`
}

// proposals is ProposalsFile.
type proposals struct {
	Decided []Proposed `json:"decided"`
}

// DecodeProposals reads ProposalsFile.
func DecodeProposals(b []byte) ([]Proposed, error) {
	var p proposals
	if len(b) == 0 {
		return nil, nil
	}
	err := json.Unmarshal(b, &p)
	return p.Decided, err
}

// EncodeProposals writes ProposalsFile, without the last line's end.
func EncodeProposals(decided []Proposed) ([]byte, error) {
	return json.MarshalIndent(proposals{decided}, "", "  ")
}

// IsEscalation reports that a request is one that vespe itself escalated, by its id.
func IsEscalation(request string) bool { return strings.HasPrefix(request, EscalationPrefix) }
