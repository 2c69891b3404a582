package cli

import (
	"context"

	"github.com/spf13/cobra"

	"assess/config"
	"assess/pkg/kernel/db"
	"assess/pkg/people/access"
)

func newKey(s *Shell) *cobra.Command {
	return group("key", "List and rotate the keys that sign tokens", newKeyList(s), newKeyRotate(s))
}

func newKeyList(s *Shell) *cobra.Command {
	return s.onStore("list", "List the signing keys, newest first", func(ctx context.Context, store *db.Store) error {
		keys, err := access.ListKeys(ctx, store)
		if err != nil {
			return err
		}
		return Print(s, keys, keyColumns...)
	})
}

func newKeyRotate(s *Shell) *cobra.Command {
	cmd := s.onStore("rotate", "Make a new signing key and retire the earlier ones", func(ctx context.Context, store *db.Store) error {
		auth, err := s.auth()
		if err != nil {
			return err
		}
		key, err := access.RotateKeys(ctx, store, auth)
		if err != nil {
			return err
		}
		return PrintOne(s, key, keyColumns...)
	})
	cmd.Long = `Make a new signing key and retire the earlier ones. Tokens that those signed stay valid
until they expire, so nobody is signed out; every assessd follows within a second.`
	return cmd
}

// auth gives the settings of signing in for work that needs the secret of the signing keys.
func (s *Shell) auth() (config.Auth, error) {
	c, err := s.Config()
	if err != nil {
		return config.Auth{}, err
	}
	auth, err := access.WithKeySecret(c)
	if err == nil && auth.KeySecret == "" {
		err = Usage("%w", access.ErrNoKeySecret)
	}
	return auth, err
}

var keyColumns = columns("ID, CreatedAt, State",
	Column[access.Key]{Header: "State", Cell: keyState, Colour: func(k access.Key) Colour { return goodIf(k.RetiredAt == nil) }},
)

func keyState(k access.Key) string {
	if k.RetiredAt == nil {
		return "in use"
	}
	return "retired " + moment(*k.RetiredAt)
}
