package main

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// contender does one piece of the compared work. prepare, if it is set, prepares what work needs;
// its time does not count.
type contender struct {
	name    string
	prepare func(ctx context.Context, n int) error
	work    func(ctx context.Context, client, i int) error
}

// contest lets the contenders take turns and gives the rates of each, in pieces a second,
// by round.
func contest(ctx context.Context, rounds, n, clients int, all ...contender) (map[string][]float64, error) {
	rates := map[string][]float64{}
	for round := range rounds + 1 {
		for turn := range all {
			c := all[(turn+round)%len(all)]
			rate, err := c.turn(ctx, n, clients)
			if err != nil {
				return nil, err
			}
			// The first round fills caches and prepares statements.
			if round > 0 {
				rates[c.name] = append(rates[c.name], rate)
			}
		}
	}
	return rates, nil
}

func (c contender) turn(ctx context.Context, n, clients int) (float64, error) {
	if c.prepare != nil {
		err := c.prepare(ctx, n)
		if err != nil {
			return 0, err
		}
	}
	start := time.Now()
	err := together(clients, n, func(client, i int) error { return c.work(ctx, client, i) })
	return float64(n) / time.Since(start).Seconds(), err
}

// together hands the pieces 0 to n-1 to the clients, one at a time, and gives the first
// error.
func together(clients, n int, work func(client, i int) error) error {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var wait sync.WaitGroup
	for client := range clients {
		wait.Go(func() {
			for failed.Load() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				err := work(client, i)
				if err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	wait.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// ratio is the median of the ratios within the rounds.
func ratio(of, to []float64) float64 {
	all := make([]float64, len(of))
	for i := range of {
		all[i] = of[i] / to[i]
	}
	return median(all)
}

func median(all []float64) float64 { return quantile(all, 0.5) }

// quantile interpolates between the values next to it.
func quantile(all []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
