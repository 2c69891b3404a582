package cli

import (
	"context"
	"maps"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// userChanges is what update takes, for the hash of an idempotency key too.
type userChanges struct {
	User     string
	Patch    people.UserPatch
	Meta     map[string]string
	DropMeta []string
}

func newUserUpdate(s *Shell) *cobra.Command {
	var in userChanges
	var email, name string
	var units []string
	cmd := &cobra.Command{
		Use:     "update EMAIL|ID",
		Short:   "Change name, e-mail address, attributes or org units of a user",
		Example: "  assessctl user update ada@example.org --meta cohort=2032 --drop-meta trial --tenant northwind",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.tenantWide()
			in.User = args[0]
			in.Patch = people.UserPatch{Email: ifSet(cmd, "email", &email), Name: ifSet(cmd, "name", &name), OrgUnits: ifSet(cmd, "org-unit", &units)}
			return s.changeUser(cmd, in, func(ctx context.Context, tx *db.Tx, user people.User) (people.User, error) {
				patch := in.Patch
				patch.Metadata = in.metadata(user.Metadata)
				if patch.Metadata != nil {
					patch.UpdatedAt = &user.UpdatedAt // the new set was made from this one
				}
				return people.UpdateUser(ctx, tx, user.ID, patch)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&email, "email", "", "new e-mail address")
	flags.StringVar(&name, "name", "", "new name")
	flags.StringSliceVar(&units, "org-unit", nil, "slug or id of an org unit: the whole new set; repeatable")
	flags.StringToStringVar(&in.Meta, "meta", nil, "attribute to set, as key=value; repeatable")
	flags.StringSliceVar(&in.DropMeta, "drop-meta", nil, "key of an attribute to take away; repeatable")
	return s.changes(cmd)
}

// ifSet is a flag's value, or nil when it was not given.
func ifSet[T any](cmd *cobra.Command, flag string, value *T) *T {
	if !cmd.Flags().Changed(flag) {
		return nil
	}
	return value
}

// metadata changes what the flags name and keeps the rest; nil when they name nothing.
func (c userChanges) metadata(old map[string]any) *map[string]any {
	if len(c.Meta)+len(c.DropMeta) == 0 {
		return nil
	}
	next := maps.Clone(old)
	maps.Copy(next, metadata(c.Meta))
	for _, key := range c.DropMeta {
		delete(next, key)
	}
	return &next
}

func newUserDeactivate(s *Shell) *cobra.Command {
	return s.changes(&cobra.Command{
		Use:   "deactivate EMAIL|ID",
		Short: "Keep a user from signing in; tokens and links stop within a second",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.tenantWide()
			err := s.confirm(cmd.Context(), "Deactivate %s?", args[0])
			if err != nil {
				return err
			}
			return s.changeUser(cmd, userChanges{User: args[0]}, byID(people.DeactivateUser))
		},
	})
}

func newUserReactivate(s *Shell) *cobra.Command {
	return s.changes(&cobra.Command{
		Use:   "reactivate EMAIL|ID",
		Short: "Let a user sign in again",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.tenantWide()
			return s.changeUser(cmd, userChanges{User: args[0]}, byID(people.ReactivateUser))
		},
	})
}

type userOperation func(ctx context.Context, tx *db.Tx, user people.User) (people.User, error)

func byID(do func(ctx context.Context, tx *db.Tx, id ids.ID) (people.User, error)) userOperation {
	return func(ctx context.Context, tx *db.Tx, user people.User) (people.User, error) {
		return do(ctx, tx, user.ID)
	}
}

// changeUser finds a user, changes them and prints them as they are afterwards.
func (s *Shell) changeUser(cmd *cobra.Command, in userChanges, do userOperation) error {
	return changed(s, cmd, in, func(tx *db.Tx) (people.User, error) {
		user, err := findUser(cmd.Context(), tx, in.User)
		if err != nil {
			return user, err
		}
		return do(cmd.Context(), tx, user)
	}, userColumns...)
}
