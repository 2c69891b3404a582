package main

import "assess/pkg/kernel/ids"

func (w *wire) attempt(e *exam, c candidate) error {
	session, err := w.start(e, c)
	if err != nil {
		return err
	}
	err = w.saveAll(e, c, session)
	if err != nil {
		return err
	}
	return w.submit(e, c, session)
}

// saveAll answers each item in a save of its own.
func (w *wire) saveAll(e *exam, c candidate, session ids.ID) error {
	for i, p := range e.places {
		err := w.save(e, c, session, p.item, int64(i+1))
		if err != nil {
			return err
		}
	}
	return nil
}
