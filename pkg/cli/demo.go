package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/access"
	"assess/pkg/capability"
	"assess/pkg/db"
	"assess/pkg/demo"
	"assess/pkg/errs"
	"assess/pkg/ids"
	"assess/pkg/people"
	"assess/pkg/projection"
	"assess/pkg/replay"
	"assess/pkg/reporting"
)

const demoLong = `Send a data set through the HTTP interface of a running assessd, as real people would:
users, questions and the evaluation are imported, then each person starts a session, saves
answers and submits. At the end the summary and the health of the questions are printed.

DIR holds items.csv, responses.csv and, where there are any, persons.csv, times.csv and
questions.csv. Without DIR the shipped sample is taken. The tenant is made when it does
not exist. It can be interrupted and run again: it goes on where it stopped.`

// demoOptions say what to replay.
type demoOptions struct {
	url, run string
	passMark float64
	persons  int
	parallel int
}

func newDemo(s *Session) *cobra.Command {
	var o demoOptions
	cmd := &cobra.Command{
		Use:     "replay [DIR]",
		Short:   "Send a data set through the HTTP interface and print the reports",
		Long:    demoLong,
		Example: "  assessctl demo replay --embedded\n  assessctl demo replay ./my-data --url http://127.0.0.1:8080 --pass-mark 50",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dataset, name, err := openDataset(args)
			if err != nil {
				return err
			}
			return s.replay(cmd.Context(), o, dataset, name)
		},
	}
	cmd.Flags().StringVar(&o.url, "url", "", "where assessd listens (default: http.base_url of the settings)")
	cmd.Flags().StringVar(&o.run, "run-label", "demo", "label of the run")
	cmd.Flags().Float64Var(&o.passMark, "pass-mark", 60, "pass mark in percent")
	cmd.Flags().IntVar(&o.persons, "persons", 0, "take the first so many persons (default: all)")
	cmd.Flags().IntVar(&o.parallel, "parallel", 8, "sessions at once")
	return group("demo", "Show the service at work on real or sample data", cmd)
}

func openDataset(args []string) (demo.Dataset, string, error) {
	if len(args) == 0 {
		return demo.Sample(), "sample", nil
	}
	dataset, err := demo.Open(args[0])
	if err != nil {
		return demo.Dataset{}, "", Usage("%v", err)
	}
	path, err := filepath.Abs(args[0])
	return dataset, filepath.Base(path), err
}

func (s *Session) replay(ctx context.Context, o demoOptions, dataset demo.Dataset, name string) error {
	host, err := s.hostDemo(ctx)
	if err != nil {
		return err
	}
	token, err := host.token(ctx)
	if err != nil {
		return err
	}
	if o.url == "" {
		c, err := s.Config()
		if err != nil {
			return err
		}
		o.url = c.HTTP.BaseURL
	}
	progress := s.Progress("candidates")
	result, err := replay.Run(ctx, replay.Options{BaseURL: o.url, Token: token, StepUpProof: host.proof, Dataset: dataset,
		ExternalID: name, Title: "Demonstration: " + name, PassMarkPercent: o.passMark, RunLabel: o.run,
		Persons: o.persons, Parallel: o.parallel,
		Progress: func(done, total int) { progress.Report(int64(done), int64(total)) }})
	progress.Done()
	if err != nil {
		return err
	}
	if result.Resumed > 0 {
		s.Note("%d people had submitted before.", result.Resumed)
	}
	if result.Submissions > 0 {
		s.Note("%d people submitted %d answers through HTTP in %.1f s (%.0f submissions a second).",
			result.Submissions, result.Answers, float64(result.ElapsedMs)/1000, result.SubmissionsPerSecond)
	}
	err = host.settle(ctx)
	if err != nil {
		return err
	}
	return s.showDemo(ctx, host, result, o.url)
}

// demoHost is the tenant of a demonstration and its administrator.
type demoHost struct {
	store     *db.Store
	scope     db.Scope
	authority *access.Authority
	admin     ids.ID
	slug      string
}

const demoAdmin = "admin@" + demo.EmailDomain

// hostDemo finds the tenant, the org unit and the administrator, or makes them.
func (s *Session) hostDemo(ctx context.Context) (*demoHost, error) {
	if s.Tenant == "" {
		s.Tenant = "demo"
	}
	store, err := s.Store(ctx)
	if err != nil {
		return nil, err
	}
	c, err := s.Config()
	if err != nil {
		return nil, err
	}
	h := &demoHost{store: store, slug: s.Tenant, authority: access.NewAuthority(store, c.Auth),
		scope: db.Scope{All: true, Actor: s.operator()}}
	h.scope.Tenant, err = findTenant(ctx, store, s.Tenant)
	isNew := errors.Is(err, errs.NotFound)
	if isNew {
		h.scope.Tenant, err = ids.New(), nil
	}
	if err != nil {
		return nil, err
	}
	return h, store.Write(ctx, h.scope, func(tx *db.Tx) error { return h.furnish(ctx, tx, isNew) })
}

func (h *demoHost) furnish(ctx context.Context, tx *db.Tx, isNew bool) error {
	if isNew {
		_, err := people.CreateTenant(ctx, tx, people.TenantInput{Slug: h.slug, Name: "Demonstration"})
		if err != nil {
			return err
		}
	}
	unit, err := people.OrgUnitBySlug(ctx, tx, "main")
	if errors.Is(err, errs.NotFound) {
		unit, err = people.CreateOrgUnit(ctx, tx, people.OrgUnitInput{Slug: "main", Name: "Main"})
	}
	if err != nil {
		return err
	}
	h.scope.OrgUnit = unit.ID
	admin, err := people.UserByEmail(ctx, tx, demoAdmin)
	if errors.Is(err, errs.NotFound) {
		admin, err = people.CreateUser(ctx, tx, people.UserInput{Email: demoAdmin, Name: "Demo Administrator",
			OrgUnits: []string{unit.Slug}, Roles: []string{capability.TenantAdmin}})
	}
	h.admin = admin.ID
	return err
}

func (h *demoHost) token(ctx context.Context) (string, error) {
	var token access.Token
	err := h.store.Write(ctx, h.scope, func(tx *db.Tx) error {
		var err error
		token, err = h.authority.IssueToken(ctx, tx, h.admin, h.scope.OrgUnit)
		return err
	})
	return token.Token, err
}

func (h *demoHost) proof(ctx context.Context) (string, error) {
	var proof access.Proof
	err := h.store.Write(ctx, h.scope, func(tx *db.Tx) error {
		var err error
		proof, err = h.authority.IssueProof(ctx, tx, h.admin, access.ByOperator)
		return err
	})
	return proof.ID.String(), err
}

// settle waits for the projector of assessd, then brings the percentiles up to date.
func (h *demoHost) settle(ctx context.Context) error {
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		var waiting int64
		err := h.store.Read(ctx, h.scope, func(tx *db.Tx) error {
			status, err := projection.Status(ctx, tx)
			waiting = status.Waiting
			return err
		})
		if err != nil {
			return err
		}
		if waiting == 0 {
			_, err := projection.RecomputeAll(ctx, h.store, h.scope.Tenant)
			return err
		}
		if time.Now().After(end) {
			return errs.New(errs.Conflict, "The projector does not keep up: %d records still wait. Does assessd run with projector.enabled?", waiting)
		}
	}
}

// Demonstration is what a replay printed.
type Demonstration struct {
	Tenant  string                      `json:"tenant"`
	Token   string                      `json:"token"`
	Replay  replay.Result               `json:"replay"`
	Summary reporting.EvaluationSummary `json:"summary"`
	Health  []reporting.HealthRow       `json:"health" nullable:"false"`
}

func (s *Session) showDemo(ctx context.Context, h *demoHost, result replay.Result, url string) error {
	version, err := ids.Parse("evaluationVersionId", result.EvaluationVersionID)
	if err != nil {
		return err
	}
	token, err := h.token(ctx)
	if err != nil {
		return err
	}
	d := Demonstration{Tenant: h.slug, Token: token, Replay: result}
	err = h.store.Report(ctx, h.scope, func(tx *db.Tx) error {
		d.Summary, err = reporting.Summary(ctx, tx, reporting.SummaryInput{EvaluationVersionID: version})
		if err != nil {
			return err
		}
		list, err := reporting.ListHealth(ctx, tx, reporting.HealthFilter{EvaluationVersionID: version, Page: db.Page{Limit: db.MaxLimit}})
		d.Health = list.Items
		return err
	})
	if err != nil {
		return err
	}
	return s.Show(d, func(screen *Screen) error { return drawDemo(screen, d, url) })
}

func drawDemo(screen *Screen, d Demonstration, url string) error {
	err := drawSummary(screen, d.Summary)
	if err != nil {
		return err
	}
	items := map[string]string{}
	for item, version := range d.Replay.QuestionVersionIDs {
		items[version] = item
	}
	columns := healthColumns(screen)
	columns[len(columns)-1] = Column[reporting.HealthRow]{Header: "Question", Cell: func(r reporting.HealthRow) string {
		return items[r.QuestionVersionID.String()]
	}}
	screen.heading("Health of the questions")
	err = Table(screen, d.Health, columns...)
	if err != nil {
		return err
	}
	screen.heading("Try next")
	_, err = fmt.Fprintf(screen, `export TOKEN=%s
curl -H "Authorization: Bearer $TOKEN" "%s/api/v1/reporting/evaluation-summary?evaluationVersionId=%s"
curl -H "Authorization: Bearer $TOKEN" "%s/api/v1/reporting/question-health?sort=highest_omit&limit=5"
assessctl report question %s --tenant %s --all-orgs
`, d.Token, url, d.Replay.EvaluationVersionID, url, d.Health[0].QuestionVersionID, d.Tenant)
	return err
}
