package cli

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// changes gives a command the flags of all that change something.
func (s *Shell) changes(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringVar(&s.key, idempotencyKey, "", "do it once: a repetition with this key prints the first result again")
	cmd.Flags().BoolVar(&s.dryRun, "dry-run", false, "do everything, print the result, and change nothing")
	return cmd
}

const idempotencyKey = "idempotency-key"

// write runs an operation in a transaction of the call's scope: for good, once for an
// idempotency key, or as a dry run. in is the input of the operation; a repeated key must
// come with the same.
func write[T any](s *Shell, cmd *cobra.Command, in any, do func(*db.Tx) (T, error)) (T, error) {
	store, scope, err := s.scoped(cmd.Context())
	if err != nil {
		var none T
		return none, err
	}
	return writeIn(s, cmd, store, scope, in, do)
}

// writeIn is write in a scope that the command found by itself.
func writeIn[T any](s *Shell, cmd *cobra.Command, store *db.Store, scope db.Scope, in any, do func(*db.Tx) (T, error)) (T, error) {
	return writeAs(s, cmd, store, scope, in, do, func(body []byte) (T, error) {
		var result T
		err := json.Unmarshal(body, &result)
		return result, err
	})
}

// writeAs is writeIn for a result that stored reads.
func writeAs[T any](s *Shell, cmd *cobra.Command, store *db.Store, scope db.Scope, in any, do func(*db.Tx) (T, error), stored func([]byte) (T, error)) (T, error) {
	if s.key != "" && !s.dryRun {
		return writeOnce(s, cmd, store, scope, in, do, stored)
	}
	var result T
	run := store.Write
	if s.dryRun {
		run = store.DryRun
	}
	err := run(cmd.Context(), scope, func(tx *db.Tx) error {
		var err error
		result, err = do(tx)
		return err
	})
	if err == nil && s.dryRun {
		s.Note("Dry run: nothing was changed.")
	}
	return result, err
}

// writeOnce prints through the stored result, so that the first call and its repetitions
// print the same.
func writeOnce[T any](s *Shell, cmd *cobra.Command, store *db.Store, scope db.Scope, in any, do func(*db.Tx) (T, error), stored func([]byte) (T, error)) (T, error) {
	var result T
	key, err := s.idempotencyKey(cmd, scope, in)
	if err != nil {
		return result, err
	}
	answer, err := store.WriteOnce(cmd.Context(), scope, key, func(tx *db.Tx) (*db.Answer, error) {
		done, err := do(tx)
		if err != nil {
			return nil, err
		}
		body, err := json.Marshal(done)
		return &db.Answer{Status: http.StatusOK, Body: body}, err
	})
	if err != nil {
		return result, err
	}
	if answer.Replayed {
		s.Note("Done before with this idempotency key; nothing was changed now.")
	}
	result, err = stored(answer.Body)
	if err != nil {
		return result, fmt.Errorf("read the stored result: %w", err)
	}
	return result, nil
}

// idempotencyKey hashes the input together with the org units that it is meant for.
func (s *Shell) idempotencyKey(cmd *cobra.Command, scope db.Scope, in any) (db.Key, error) {
	if len(s.key) > 200 {
		return db.Key{}, Usage("the idempotency key is longer than 200 characters")
	}
	body, err := json.Marshal(struct {
		OrgUnit ids.ID
		All     bool
		In      any
	}{scope.OrgUnit, scope.All, in})
	if err != nil {
		return db.Key{}, fmt.Errorf("hash the input: %w", err)
	}
	return db.Key{Key: s.key, Method: "CLI", Path: cmd.CommandPath(), BodyHash: sha256.Sum256(body),
		Sealed: cmd.Annotations[printsSecret] != ""}, nil
}

// confirm asks before a destructive command, once it is sure that the command can be
// tried. A dry run destroys nothing.
func (s *Shell) confirm(ctx context.Context, format string, args ...any) error {
	if s.dryRun {
		return nil
	}
	var err error
	if s.Server != "" {
		_, err = s.signedIn(ctx)
	} else {
		_, _, err = s.scoped(ctx)
	}
	if err != nil {
		return err
	}
	return s.Confirm(ctx, fmt.Sprintf(format, args...))
}
