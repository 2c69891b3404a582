package main

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"assess/config"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// neighbourCommand runs this program as the server by hand for another one.
const neighbourCommand = "neighbour"

// plans is what the server by hand knows about the exam. Paper is the rest of its answer to a start, after the id: the
// questions, as assessd sends them.
type plans struct {
	Evaluation, OrgUnit, Tenant ids.ID
	Snapshot                    string
	Questions                   map[ids.ID]ids.ID
	Key                         ed25519.PublicKey
	Paper                       string
}

// pass is the token of a candidate at the server by hand.
type pass struct {
	jwt.RegisteredClaims
	User ids.ID `json:"user"`
}

// neighbour is a server by hand: net/http, one check of a token, prepared statements, and nothing else. It writes the same
// rows as assessd, and they are as durable.
type neighbour struct {
	hand
	plans
	exam exam
	// known are the candidates whose tokens were checked.
	known sync.Map
}

// serveByHand runs it: neighbour URL ADDRESS PLANS.
func serveByHand(ctx context.Context, args []string) error {
	if len(args) != 3 {
		return errors.New("neighbour is for the bench itself")
	}
	n := &neighbour{}
	text, err := os.ReadFile(args[2])
	if err == nil {
		err = json.Unmarshal(text, &n.plans)
	}
	if err != nil {
		return err
	}
	n.exam = exam{evaluation: n.Evaluation, snapshot: n.Snapshot, question: map[[16]byte]pgtype.UUID{}}
	for item, question := range n.Questions {
		n.exam.question[item] = uuid(question)
	}
	n.pool, err = openPool(ctx, args[0], config.Default().Database.MaxConns)
	if err != nil {
		return err
	}
	defer n.pool.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	for path, work := range map[string]func(*http.Request, candidate) ([]byte, error){"": n.starts, "/{session}/answers": n.saves, "/{session}/submit": n.submits} {
		mux.HandleFunc("POST /api/v1/evaluations/{evaluation}/sessions"+path, n.handle(work))
	}
	web := &http.Server{Addr: args[1], Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { web.Close() }) //nolint:errcheck // the process ends
	err = web.ListenAndServe()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func (n *neighbour) handle(work func(*http.Request, candidate) ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := n.who(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		body, err := work(r, c)
		if err != nil {
			log.Print(err)
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		_, _ = w.Write(body)
	}
}

// who checks a token, once.
func (n *neighbour) who(token string) (candidate, error) {
	if c, there := n.known.Load(token); there {
		return c.(candidate), nil
	}
	var p pass
	_, err := jwt.ParseWithClaims(token, &p, func(*jwt.Token) (any, error) { return n.Key, nil }, jwt.WithValidMethods([]string{"EdDSA"}), jwt.WithExpirationRequired())
	if err != nil {
		return candidate{}, err
	}
	c := candidate{scope: db.Scope{Tenant: n.Tenant, OrgUnit: n.OrgUnit, Actor: db.Actor{Kind: db.UserActor, ID: p.User}}}
	n.known.Store(token, c)
	return c, nil
}

func (n *neighbour) starts(r *http.Request, c candidate) ([]byte, error) {
	id, err := n.start(r.Context(), &n.exam, c)
	return fmt.Appendf(nil, `{"id":"%s"%s`, id, n.Paper), err
}

func (n *neighbour) saves(r *http.Request, c candidate) ([]byte, error) {
	var input struct {
		Answers []struct {
			ItemID      ids.ID          `json:"itemId"`
			Sequence    int64           `json:"sequence"`
			Response    json.RawMessage `json:"response"`
			TimeSpentMs int64           `json:"timeSpentMs"`
		} `json:"answers"`
	}
	session, err := ids.Parse("session", r.PathValue("session"))
	if err == nil {
		err = json.NewDecoder(r.Body).Decode(&input)
	}
	if err != nil {
		return nil, err
	}
	if len(input.Answers) != 1 {
		return nil, errors.New("one answer is saved at a time")
	}
	a := input.Answers[0]
	done, err := n.save(r.Context(), c, session, answer{a.ItemID, a.Sequence, string(a.Response), a.TimeSpentMs})
	if err != nil {
		return nil, err
	}
	return json.Marshal(done)
}

func (n *neighbour) submits(r *http.Request, c candidate) ([]byte, error) {
	session, err := ids.Parse("session", r.PathValue("session"))
	if err == nil {
		err = n.submit(r.Context(), &n.exam, c, session)
	}
	return fmt.Appendf(nil, `{"submissionId":"%s","status":"completed"}`, session), err
}

// startNeighbour starts the server by hand, and gives the people of the exam their tokens there.
func (h *house) startNeighbour(ctx context.Context, paper string) (*server, error) {
	key, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	p := plans{Evaluation: h.evaluation, OrgUnit: h.operator.OrgUnit, Tenant: h.operator.Tenant, Snapshot: h.snapshot, Questions: map[ids.ID]ids.ID{}, Key: key, Paper: paper}
	for _, place := range h.places {
		p.Questions[place.item] = place.question
	}
	for i := range h.people {
		claims := pass{jwt.RegisteredClaims{ExpiresAt: jwt.NewNumericDate(time.Now().Add(24 * time.Hour))}, h.user(i)}
		h.people[i].pass, err = jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims).SignedString(private)
		if err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(p)
	path := filepath.Join(folder, "plans.json")
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		return nil, err
	}
	return h.launch(ctx, "neighbour", func(address string) []string {
		return []string{neighbourCommand, h.postgres.SuperURL(database), address, path}
	})
}

// there is the candidate at the server by hand.
func (c candidate) there() candidate {
	c.token = c.pass
	return c
}

// paper is what assessd sends about the exam when it starts, after the id.
func (h *house) paper(w *wire) (string, error) {
	body, err := w.call(http.MethodPost, "/evaluations/"+h.evaluation.String()+"/sessions", h.person(0).token, ids.New().String(), []byte("{}"))
	if err != nil {
		return "", err
	}
	_, rest, found := strings.Cut(string(body), `"id":"`)
	if !found || len(rest) < 36 {
		return "", fmt.Errorf("a start answers %.100s", body)
	}
	return rest[len(`00000000-0000-0000-0000-000000000000"`):], nil
}
