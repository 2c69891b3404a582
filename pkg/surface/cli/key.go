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
	return &cobra.Command{
		Use:   "list",
		Short: "List the signing keys, newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			keys, err := onStore(cmd.Context(), s, access.ListKeys)
			if err != nil {
				return err
			}
			return Print(s, keys, keyColumns...)
		},
	}
}

const keyRotateLong = `Make a new signing key and retire the earlier ones. Tokens that those signed stay valid
until they expire, so nobody is signed out; every assessd follows within a second.`

func newKeyRotate(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "rotate",
		Short: "Make a new signing key and retire the earlier ones",
		Long:  keyRotateLong,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			auth, err := s.auth()
			if err != nil {
				return err
			}
			key, err := onStore(cmd.Context(), s, func(ctx context.Context, store *db.Store) (access.Key, error) {
				return access.RotateKeys(ctx, store, auth)
			})
			if err != nil {
				return err
			}
			return PrintOne(s, key, keyColumns...)
		},
	}
}

// auth gives the settings of signing in for what needs the secret of the signing keys.
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

// onStore runs what belongs to the installation and to no tenant.
func onStore[T any](ctx context.Context, s *Shell, do func(context.Context, *db.Store) (T, error)) (T, error) {
	store, err := s.Store(ctx)
	if err != nil {
		var none T
		return none, err
	}
	return do(ctx, store)
}

var keyColumns = columns("ID, CreatedAt, State",
	Column[access.Key]{Header: "State", Cell: keyState, Colour: func(k access.Key) Colour {
		if k.RetiredAt != nil {
			return Faint
		}
		return Good
	}},
)

func keyState(k access.Key) string {
	if k.RetiredAt == nil {
		return "in use"
	}
	return "retired " + moment(*k.RetiredAt)
}
