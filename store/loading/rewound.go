package loading

// The log may be rewound under a running process: git clean deletes log/, rsync brings yesterday's.
// Then the process knows things from an entry that no longer exists, and must not append after it.
// So before it continues from an entry, it checks that this is still the one it read. That costs a
// stat. All of .vespe may also have been replaced; then the descriptors lead to the old one.

// agree is the last entry. If the log is no longer the one that the process knows things from,
// it forgets them. The caller holds looking.
func (s *Loader) agree() (last uint64, err error) {
	_, at := s.Current.Get()
	if err := s.Disk.FS.Named(); err != nil {
		return at.Seq, err
	}
	if last, err = s.Log.Tail(at.Seq); err != nil {
		return 0, err
	}
	still, err := s.Log.IsStill(at)
	if err != nil || still && last >= at.Seq {
		return last, err
	}
	s.forgetLog()
	return last, nil
}

// forgetLog forgets everything that is known from a log.
func (s *Loader) forgetLog() {
	s.Current.Forget()
	s.Checkpoints.Found(0)
	s.Edits.Forget()
	s.Log.Forget()
	s.Requests.Forget()
	s.Ops.Forget()
	s.Log.Ready.Store(false)
}

// AgreeAlone is agree for who does not hold looking.
func (s *Loader) AgreeAlone() (last uint64, err error) {
	s.Looking.Lock()
	defer s.Looking.Unlock()
	return s.agree()
}

// ForgetLog forgets everything that is known from a log, and where it ends.
func (s *Loader) ForgetLog() error {
	s.Looking.Lock()
	defer s.Looking.Unlock()
	s.forgetLog()
	s.Log.Top.Store(0)
	return s.Pending.Read()
}

// Reopen continues with the store that is there, where somebody has taken the one that was opened away
// and made or brought another: what is done to that one nobody would see. identify reads whose it is.
// The caller has the turn to write.
func (s *Loader) Reopen(identify func() error) (another bool, err error) {
	s.Looking.Lock()
	defer s.Looking.Unlock()
	if another, err = s.Disk.FS.Reopen(); err != nil || !another {
		return another, err
	}
	s.forgetLog()
	s.Log.Top.Store(0)
	s.Edits.Marks.Start(nil, nil)
	return true, identify()
}
