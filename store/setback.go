package store

import "vespe/store/txlog"

// Somebody may set log/ back under a process that lives on: git clean takes it away, rsync
// brings the one of yesterday. What the process knows then stands for an entry that is none
// any more, and what it would append follows from nothing. So whoever goes on from an entry
// asks first whether it is still the one that was read, which costs a stat. All of .vespe may have
// been made anew, too: descriptors then lead to what was there before.

// agree is the last entry. If the log is no longer the one that the process knows things from,
// it forgets them. The caller holds looking.
func (s *Store) agree() (last uint64, err error) {
	_, at := s.kept()
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
	s.disown()
	return last, nil
}

// disown forgets everything that is known from a log.
func (s *Store) disown() {
	s.mu.Lock()
	s.snap, s.tip = nil, txlog.Tip{}
	s.projected, s.checkpointed, s.names = 0, 0, 0
	s.unsettled = unsettled{}
	s.mu.Unlock()
	s.log.Forget()
	s.statuses.forget()
	s.queue.forget()
	s.pending.Store(nil)
	s.ops.forget()
	s.reviews.forget()
	s.ready.Store(false)
}

// reopen goes on with the store that is there, where somebody has taken the one that was opened away
// and made or brought another: what is done to that one nobody would see. The caller has writing.
func (s *Store) reopen() (another bool, err error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	if another, err = s.fs.Reopen(); err != nil || !another {
		return another, err
	}
	s.disown()
	s.log.Top.Store(0)
	s.marks.start(nil, nil)
	s.mu.Lock()
	s.id = ""
	s.mu.Unlock()
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
