package uitest

import "io"

// session is one run of an Editor.
type session struct {
	e    *Editor
	path string
}

func (s *session) SetStdin(io.Reader)  {}
func (s *session) SetStdout(io.Writer) {}
func (s *session) SetStderr(io.Writer) {}

// Run lets the test write; what it writes is there even when it fails.
func (s *session) Run() error {
	if s.e.Before != nil {
		s.e.Before()
	}
	body, err := s.e.Write(s.e.Kept[s.path])
	if err == nil || body != "" {
		s.e.Kept[s.path] = body
	}
	return err
}

func (s *session) Body() ([]byte, error) { return []byte(s.e.Kept[s.path]), nil }
func (s *session) Path() string          { return s.path }

func (s *session) Discard() error {
	delete(s.e.Kept, s.path)
	s.e.Discarded++
	return nil
}
