package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/people/access"
)

// IssuedToken is a token for the HTTP interface, and a step-up proof if one was
// requested.
type IssuedToken struct {
	access.Token
	StepUpProof *access.Proof `json:"stepUpProof"`
}

func newToken(s *Shell) *cobra.Command {
	return wide(group("token", "Issue tokens for the HTTP interface", newTokenIssue(s)))
}

const tokenLong = `Issue a token that lets its bearer act as a user through the HTTP interface.

The token goes to standard output alone on its line, so that $(assessctl token issue ...)
works; what else there is to know goes to standard error. The user is signed in to the
org unit of --org, or to the first one that they belong to. With --step-up a proof comes
with it, which one protected call consumes. -o json gives everything.`

func newTokenIssue(s *Shell) *cobra.Command {
	var email string
	var stepUp bool
	cmd := &cobra.Command{
		Use:   "issue --user EMAIL|ID",
		Short: "Issue a token for a user",
		Long:  tokenLong,
		RunE: func(cmd *cobra.Command, _ []string) error {
			token, err := issueToken(s, cmd, email, stepUp)
			if err != nil {
				return err
			}
			return s.Show(token, func(screen *Screen) error { return s.drawToken(screen, token) })
		},
	}
	cmd.Flags().StringVar(&email, "user", "", "e-mail address or id of the user")
	cmd.Flags().BoolVar(&stepUp, "step-up", false, "make a step-up proof too")
	required(cmd, "user")
	return cmd
}

// issueToken takes no idempotency key: a stored result would keep the token.
func issueToken(s *Shell, cmd *cobra.Command, email string, stepUp bool) (IssuedToken, error) {
	store, scope, err := s.scoped(cmd.Context())
	if err != nil {
		return IssuedToken{}, err
	}
	auth, err := s.auth()
	if err != nil {
		return IssuedToken{}, err
	}
	authority := access.NewAuthority(store, auth)
	return writeIn(s, cmd, store, scope, nil, func(tx *db.Tx) (IssuedToken, error) {
		user, err := findUser(cmd.Context(), tx, email)
		if err != nil {
			return IssuedToken{}, err
		}
		token, err := authority.IssueToken(cmd.Context(), tx, user.ID, scope.OrgUnit)
		if err != nil || !stepUp {
			return IssuedToken{Token: token}, err
		}
		proof, err := authority.IssueProof(cmd.Context(), tx, user.ID, access.ByOperator)
		return IssuedToken{token, &proof}, err
	})
}

func (s *Shell) drawToken(screen *Screen, t IssuedToken) error {
	_, err := fmt.Fprintln(screen, t.Token.Token)
	s.Note("Valid until %s.", t.ExpiresAt.Format(time.RFC3339))
	if t.StepUpProof != nil {
		s.Note("Step-up proof, for one call until %s: %s", t.StepUpProof.ExpiresAt.Format(time.RFC3339), t.StepUpProof.ID)
	}
	return err
}
