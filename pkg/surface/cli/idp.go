package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/outgoing"
	"assess/pkg/people/access"
	"assess/pkg/people/idp"
	"assess/pkg/people/people"
)

func newIDP(s *Shell) *cobra.Command {
	return wide(group("idp", "Let people sign in with the identity provider of their institution", s.operations("idp", newIDPSecret(s), newIDPKey(s), newIDPTest(s))...))
}

const idpSecretLong = `Set the client secret of an identity provider, which is shown to nobody afterwards.

The secret is the first line of standard input, so that neither the list of processes nor
the history of the shell holds it. An empty line takes the secret away.`

// newIDPSecret takes no idempotency key: a stored call would hold the secret.
func newIDPSecret(s *Shell) *cobra.Command {
	return &cobra.Command{Use: "secret IDP", Short: "Set the client secret of an identity provider", Long: idpSecretLong, RunE: func(cmd *cobra.Command, args []string) error {
		store, scope, err := s.scoped(cmd.Context())
		if err != nil {
			return err
		}
		auth, err := s.auth()
		if err != nil {
			return err
		}
		line, err := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("read the secret: %w", err)
		}
		done, err := writeIn(s, cmd, store, scope, nil, func(tx *db.Tx) (idp.Provider, error) {
			id, err := findIDP(cmd.Context(), tx, args[0])
			if err != nil {
				return idp.Provider{}, err
			}
			return idp.SetSecret(cmd.Context(), tx, access.NewAuthority(store, auth), id, idp.Secret{Secret: strings.TrimRight(line, "\r\n")})
		})
		if err != nil {
			return err
		}
		return fields(idpColumns)(s, done)
	}}
}

const idpKeyLong = `Make a new key for the client of an identity provider. From then on the client signs with it
(private_key_jwt) and has no secret. The provider reads its public half at the path that
assessctl idp test shows, behind http.base_url of the service.`

func newIDPKey(s *Shell) *cobra.Command {
	cmd := newAct(s, "key IDP", "Make a new key for the client of an identity provider, which signs with it in place of a secret",
		func(ctx context.Context, tx *db.Tx, args []string) (idp.Provider, error) {
			auth, err := s.auth()
			if err != nil {
				return idp.Provider{}, err
			}
			id, err := findIDP(ctx, tx, args[0])
			if err != nil {
				return idp.Provider{}, err
			}
			return idp.MakeKey(ctx, tx, access.NewAuthority(s.store, auth), id)
		}, fields(idpColumns))
	cmd.Long = idpKeyLong
	return cmd
}

func newIDPTest(s *Shell) *cobra.Command {
	return &cobra.Command{Use: "test IDP", Short: "Ask an identity provider for its configuration and keys, and say what is wrong", RunE: func(cmd *cobra.Command, args []string) error {
		store, scope, err := s.scoped(cmd.Context())
		if err != nil {
			return err
		}
		c, err := s.Config()
		if err != nil {
			return err
		}
		auth, err := s.auth()
		if err != nil {
			return err
		}
		rules, err := outgoing.RulesOf(c.Outgoing)
		if err != nil {
			return err
		}
		id, err := readBy(cmd.Context(), s, (*db.Store).Read, func(tx *db.Tx) (ids.ID, error) { return findIDP(cmd.Context(), tx, args[0]) })
		if err != nil {
			return err
		}
		desk := idp.NewDesk(store, access.NewAuthority(store, auth), outgoing.New(rules), c.HTTP.BaseURL)
		tested, err := desk.Test(cmd.Context(), scope, id)
		if err != nil {
			return err
		}
		return s.Show(tested, func(screen *Screen) error { return drawTested(screen, tested) })
	}}
}

func drawTested(screen *Screen, t idp.Tested) error {
	err := writeFields(screen, t, columns[idp.Tested]("RedirectURI = Redirect address, LogoutPath = Path of logout tokens, KeysPath = Path of the client's key"))
	if err != nil {
		return err
	}
	fmt.Fprintln(screen)
	return Table(screen, t.Checks, columns("Name = Check, OK, Message", Column[idp.Check]{Header: "OK", Colour: func(c idp.Check) Colour { return goodIf(c.OK) }})...)
}

var (
	idpColumns = columns("Slug, Name, Status, Issuer, ClientID = Client, ClientAuth = Client shows, EmailTrust = E-mail trust, Domains, Provisioning, ID*",
		Column[idp.Provider]{Header: "Status", Colour: func(p idp.Provider) Colour { return goodIf(p.Status == "active") }},
		Column[idp.Provider]{Header: "Domains", Cell: func(p idp.Provider) string { return strings.Join(p.Domains, " ") }})
	accountColumns = columns[people.Account]("SourceName = Provider, Subject, LinkedAt, LastSeenAt, Source*, LinkedBy*, ID*")
)
