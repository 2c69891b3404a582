package replay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"assess/pkg/kernel/errs"
	"assess/pkg/surface/demo"
)

const pageSize = 200

// found are the ids that the service gave to the imported records.
type found struct {
	evaluation string
	users      map[string]string // by e-mail address
	items      map[string]string // the data set's item id by question id
	// assignments are by person; none without GroupBy.
	assignments map[string]string
}

// prepare imports the data set and finds its ids.
func (r *run) prepare(ctx context.Context) error {
	imports := []struct {
		noun, how string
		csv       []byte
	}{
		{"users", "", r.Dataset.UsersCSV()},
		{"questions", "?createTerms=true", r.Dataset.QuestionsCSV()},
		{"evaluations", "", r.Dataset.EvaluationCSV(r.ExternalID, r.Title, r.PassMarkPercent)},
	}
	for _, i := range imports {
		err := r.importCSV(ctx, i.noun, i.how, i.csv)
		if err != nil {
			return fmt.Errorf("import %s: %w", i.noun, err)
		}
	}
	err := r.find(ctx)
	if err != nil {
		return err
	}
	return r.handOut(ctx)
}

// importCSV commits one file. A step-up proof is fetched only when the service requires
// one: a repeated import publishes nothing.
func (r *run) importCSV(ctx context.Context, noun, how string, csv []byte) error {
	k := call{method: http.MethodPost, path: "/" + noun + "/import/commit" + how, key: r.key(noun, string(csv)),
		contentType: "text/csv", body: csv}
	var ignored json.RawMessage
	_, err := r.client.do(ctx, k, &ignored)
	if !errors.Is(err, errs.StepUpRequired) || r.StepUpProof == nil {
		return err
	}
	k.proof, err = r.StepUpProof(ctx)
	if err != nil {
		return fmt.Errorf("step-up proof: %w", err)
	}
	_, err = r.client.do(ctx, k, &ignored)
	return err
}

func (r *run) find(ctx context.Context) error {
	users, err := listAll[struct{ ID, Email string }](ctx, r.client, "/users")
	if err != nil {
		return fmt.Errorf("find users: %w", err)
	}
	questions, err := listAll[struct{ ID, ExternalID string }](ctx, r.client, "/questions")
	if err != nil {
		return fmt.Errorf("find questions: %w", err)
	}
	evaluations, err := listAll[struct{ ID, ExternalID string }](ctx, r.client, "/evaluations")
	if err != nil {
		return fmt.Errorf("find evaluation: %w", err)
	}
	r.found = found{users: map[string]string{}, items: map[string]string{}}
	for _, u := range users {
		r.found.users[u.Email] = u.ID
	}
	for _, q := range questions {
		r.found.items[q.ID] = q.ExternalID
	}
	for _, e := range evaluations {
		if e.ExternalID == r.ExternalID {
			r.found.evaluation = e.ID
		}
	}
	return r.found.check(r.Dataset, r.ExternalID)
}

// check makes sure that the service shows everything that it imported.
func (f found) check(data demo.Dataset, evaluation string) error {
	if f.evaluation == "" {
		return fmt.Errorf("the service does not list the evaluation %q", evaluation)
	}
	for _, person := range data.Persons {
		if f.users[demo.Email(person.ID)] == "" {
			return fmt.Errorf("the service does not list the candidate %q", person.ID)
		}
	}
	return nil
}

// listAll reads all pages of a list.
func listAll[T any](ctx context.Context, c *client, path string) ([]T, error) {
	var all []T
	for page := 1; ; page++ {
		query := url.Values{"page": {fmt.Sprint(page)}, "limit": {fmt.Sprint(pageSize)}}
		var list struct {
			Items []T
			Total int
		}
		err := c.get(ctx, path+"?"+query.Encode(), &list)
		if err != nil {
			return nil, err
		}
		all = append(all, list.Items...)
		if len(list.Items) == 0 || len(all) >= list.Total {
			return all, nil
		}
	}
}

// key makes an idempotency key that is the same whenever this replay does the same again.
func (r *run) key(parts ...string) string {
	all := append([]string{r.ExternalID, r.RunLabel}, parts...)
	sum := sha256.Sum256([]byte(strings.Join(all, "\x1f")))
	return "replay-" + hex.EncodeToString(sum[:16])
}
