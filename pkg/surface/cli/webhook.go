package cli

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/trust/webhook"
)

func newWebhook(s *Shell) *cobra.Command {
	return group("webhook", "Tell other systems what happens", s.operations("webhook", newWebhookListen(s))...)
}

var webhookColumns = columns[webhook.Endpoint]("ID, URL, State, Events, OrgUnitID = Org unit, IncludeScores = Scores")

var webhookFields = columns[webhook.Endpoint]("ID, URL, Description, State, DisabledReason = Why, FailingSince = Failing since (UTC), Events, OrgUnitID = Org unit, IncludeScores = Scores, CreatedBy, CreatedAt, UpdatedAt")

var webhookMadeColumns = columns[webhook.Made]("ID, URL, Events, Secret, BeforeUntil = Secret before until (UTC)")

var deliveryColumns = columns[webhook.Delivery]("ID, Type, State, Attempts, Status, NextAt = Next (UTC), Answer, CreatedAt")

var replayColumns = columns[webhook.Replay]("FirstSeq, LastSeq")

// webhookSecret is where the secret comes from: a typed one would stay in the history of a shell.
const webhookSecret = "ASSESS_WEBHOOK_SECRET"

// newWebhookListen is a receiver for people who write one.
func newWebhookListen(s *Shell) *cobra.Command {
	var address string
	cmd := &cobra.Command{Use: "listen", Args: cobra.NoArgs, Short: "Receive calls, verify them with the secret in $" + webhookSecret + ", and print their bodies, for development",
		RunE: func(cmd *cobra.Command, _ []string) error {
			secret, err := webhook.Secret(os.Getenv(webhookSecret))
			if err != nil {
				return Usage("%s: %w", webhookSecret, err)
			}
			listener, err := net.Listen("tcp", address)
			if err != nil {
				return fmt.Errorf("listen: %w", err)
			}
			s.Note("Listening on http://%s; the service calls only https, so put a proxy with a certificate in front.", listener.Addr())
			server := &http.Server{ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, Handler: s.receiver(secret)}
			go func() {
				<-cmd.Context().Done()
				_ = server.Close()
			}()
			err = server.Serve(listener)
			if cmd.Context().Err() != nil {
				return nil
			}
			return err
		}}
	cmd.Flags().StringVar(&address, "listen", "127.0.0.1:8787", "where to listen")
	return cmd
}

func (s *Shell) receiver(secret []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err == nil {
			err = webhook.Verify(r.Header, body, secret, time.Now())
		}
		if err != nil {
			s.Note("Refused: %v.", err)
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		fmt.Fprintf(s.Screen, "%s\n", body)
		w.WriteHeader(http.StatusNoContent)
	})
}
