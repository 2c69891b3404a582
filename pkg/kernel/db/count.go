package db

import "context"

// Count adds n to a count of this process when the transaction has committed. Rehearsed or undone
// work is not counted.
func (tx *Tx) Count(c Counter, n int) {
	if n > 0 {
		tx.counts = append(tx.counts, count{c, n})
	}
}

// Counter is a counter of package metric.
type Counter interface{ Add(n float64) }

type count struct {
	of Counter
	n  int
}

// finish commits, where that is not done yet, and counts what waited for it.
func (tx *Tx) finish(ctx context.Context, key *Key, answer *Answer) error {
	err := tx.commit(ctx, key, answer)
	if err != nil {
		return err
	}
	for _, c := range tx.counts {
		c.of.Add(float64(c.n))
	}
	return nil
}
