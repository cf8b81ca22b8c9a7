package txlog

import "sync"

// mappings are the files that this process has mapped. A map is for good: texts in it are in
// use wherever a task was shown, and nothing tells when the last of them is not anymore. So
// there are few: the files that a process finds when it begins. What it writes or finds later
// is read, which is memory that comes back.
type mappings struct {
	mu    sync.Mutex
	files map[fileID][]byte
}

// MaxMappings: the checkpoint at the start, and one more where that is replaced.
const MaxMappings = 2

// MapOnce is FS.Map, as long as there are few; then FS.ReadFile.
func (l *Log) MapOnce(name string, limit int64) ([]byte, error) {
	in, err := l.FS.Stat(name)
	if err != nil {
		return nil, err
	}
	m := &l.maps
	m.mu.Lock()
	defer m.mu.Unlock()
	if b, ok := m.files[idOf(in)]; ok {
		return b, nil
	}
	if len(m.files) >= MaxMappings {
		return l.FS.ReadFile(name, limit)
	}
	b, err := l.FS.Map(name, limit)
	if err != nil {
		return nil, err
	}
	if m.files == nil {
		m.files = map[fileID][]byte{}
	}
	m.files[idOf(in)] = b
	return b, nil
}
