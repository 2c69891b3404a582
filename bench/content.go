package main

import (
	"context"

	"assess/pkg/kernel/ids"
)

// heavier is how many times as much content the heavy exam has as the plain one: about 200 KB a
// question instead of 2 KB.
const heavier = 100

// measureContent compares submits of exams whose content differs only in size. The snapshot is
// stored once and read once a process, so that there should be no difference.
func measureContent(ctx context.Context, h *house) ([]result, error) {
	heavy := *h
	var err error
	heavy.exam, err = writeExam(ctx, h.store, h.authority, "heavy", heavier)
	if err != nil {
		return nil, err
	}
	of := func(name string, h *house) contender {
		return h.submitter(name, func(ctx context.Context, _, i int, s ids.ID) error { return h.submitByOperation(ctx, h.person(i), s) })
	}
	rates, err := contest(ctx, h.size.rounds, h.size.submits, clients, of("plain", h), of("heavy", &heavy))
	if err != nil {
		return nil, err
	}
	return []result{compared("submit of 20 items of 200 KB, beside 2 KB", "submits/s", rates["heavy"], rates["plain"], 0.85)}, nil
}
