package store

// The log may be rewound under a running process: git clean deletes log/, rsync brings yesterday's.
// Then the process knows things from an entry that no longer exists, and must not append after it.
// So before it continues from an entry, it checks that this is still the one it read. That costs a
// stat. All of .vespe may also have been replaced; then the descriptors lead to the old one.

// agree is the last entry. If the log is no longer the one that the process knows things from,
// it forgets them. The caller holds looking.
func (s *Store) agree() (last uint64, err error) {
	_, at := s.current.Get()
	if err := s.fs.Named(); err != nil {
		return at.Seq, err
	}
	if last, err = s.log.Tail(at.Seq); err != nil {
		return 0, err
	}
	still, err := s.log.IsStill(at)
	if err != nil || still && last >= at.Seq {
		return last, err
	}
	s.forgetLog()
	return last, nil
}

// forgetLog forgets everything that is known from a log.
func (s *Store) forgetLog() {
	s.current.Forget()
	s.checkpoints.Found(0)
	s.edits.Forget()
	s.log.Forget()
	s.writes.Forget()
	s.requests.Forget()
	s.ops.Forget()
	s.reviews.Index.Forget()
	s.ready.Store(false)
}

// reopen continues with the store that is there, where somebody has taken the one that was opened away
// and made or brought another: what is done to that one nobody would see. The caller has writing.
func (s *Store) reopen() (another bool, err error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	if another, err = s.fs.Reopen(); err != nil || !another {
		return another, err
	}
	s.forgetLog()
	s.log.Top.Store(0)
	s.edits.Marks.Start(nil, nil)
	s.setID("")
	in, err := s.fs.Stat(".")
	if err != nil {
		return true, err
	}
	s.owner.Store(in.UID)
	return true, s.identify()
}

// agreeAlone is agree for who does not hold looking.
func (s *Store) agreeAlone() (last uint64, err error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	return s.agree()
}
