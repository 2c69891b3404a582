package lti

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
)

// itemLink is the type of the content items that a pick answers with, inWindow how they want to be opened.
const (
	itemLink = "ltiResourceLink"
	inWindow = "window"
)

// deepSettings say which answers to a pick a platform accepts (LTI Deep Linking 2.0, section 4.4.1).
type deepSettings struct {
	ReturnURL   string   `json:"deep_link_return_url"`
	AcceptTypes []string `json:"accept_types"`
	Targets     []string `json:"accept_presentation_document_targets"`
	Multiple    bool     `json:"accept_multiple"`
	// LineItem is absent where nothing is known about it.
	LineItem *bool   `json:"accept_lineitem"`
	Data     *string `json:"data"`
}

// maxData bounds what a platform has carried back, in bytes, and maxReturn the address where to.
const (
	maxData   = 16 << 10
	maxReturn = 2000
)

func (s *deepSettings) check() error {
	switch {
	case s == nil || len(s.ReturnURL) > maxReturn || len(checkAddress("", s.ReturnURL)) > 0:
		return refused(noReturn, "The learning platform does not say where your choice is to go, by an address that begins with https://.")
	case !slices.Contains(s.AcceptTypes, itemLink):
		return refused(otherItems, "The learning platform takes something else here than an exam.")
	case s.Data != nil && len(*s.Data) > maxData:
		return refused(wrongMessage, "The learning platform sends more data than the service carries back (%d bytes).", maxData)
	}
	return nil
}

// Picks says whether a launch that begins leads to a pick, as far as its address tells.
func (d *Desk) Picks(target string) bool {
	return target == d.base+DeepLinksPath || strings.HasPrefix(target, d.base+DeepLinksPath+"?")
}

// ProofOf makes the proof in the forms of a pick's page. Only the browser that was launched can know it, even if it keeps
// no cookie.
func ProofOf(flow, browser string) string { return access.FormProof(flow + browser) }

// beginPick notes that somebody picks what an activity hands out, who may hand out exams of the org unit, and gives where they do.
func (l launch) beginPick(ctx context.Context, tx *db.Tx, browser string) (string, error) {
	user, err := l.person(ctx, tx)
	if err != nil {
		return "", err
	}
	scope, err := access.ScopeOf(ctx, tx, user, *l.deployment.OrgUnitID)
	if err == nil {
		err = mayPick(scope)
	}
	if err != nil {
		return "", err
	}
	flow, s := access.NewToken(tx.Tenant()), l.Deep
	var data []byte
	if s.Data != nil {
		data = []byte(*s.Data)
	}
	_, err = tx.Exec(ctx, `
		insert into lti_deep_links (tenant_id, id, deployment_id, user_id, flow_hash, proof_hash, return_url, data, course, multiple, line_item, in_window, created_at, expires_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
		tx.Tenant(), ids.New(), l.deployment.ID, user, hashOf(flow), hashOf(ProofOf(flow, browser)), s.ReturnURL, data, line(l.Context.Title, maxTitle), s.Multiple,
		s.LineItem == nil || *s.LineItem, slices.Contains(s.Targets, inWindow), tx.Now(), tx.Now().Add(FlowLifetime))
	if err != nil {
		return "", fmt.Errorf("store a pick: %w", err)
	}
	return DeepLinksPath + "/" + flow, nil
}

// mayPick lets people pick only if they may hand out what they pick.
func mayPick(scope db.Scope) error {
	if scope.Capabilities.Has(capability.AssignmentsCreate) && scope.Capabilities.Has(capability.EvaluationsRead) {
		return nil
	}
	return refused(mayNotPick, "You may not hand out exams here. An administrator here gives you a role that may, or has the platform's role in courses give it.")
}

// pick is a pick that is under way.
type pick struct {
	id, user, orgUnit            ids.ID
	platform, issuer, clientID   string
	deployment, returnURL        string
	data                         []byte
	course                       string
	multiple, lineItem, inWindow bool
	until                        time.Time
	// chosen are the evaluations that it was answered with; nil: not yet.
	chosen []ids.ID
	scope  db.Scope
}

// pickSQL reads a pick of a platform and a deployment that may still launch.
const pickSQL = `
select k.id, k.user_id, d.joined_id, p.name, p.issuer, p.client_id, d.deployment_id, k.return_url, k.data, k.course, k.multiple, k.line_item, k.in_window, k.expires_at, k.chosen
from lti_deep_links k join lti_deployments d on d.tenant_id = k.tenant_id and d.id = k.deployment_id join lti_platforms p on p.tenant_id = d.tenant_id and p.id = d.platform_id
where k.tenant_id = $1 and d.tenant_id = $1 and p.tenant_id = $1 and k.flow_hash = $2 and k.proof_hash = $3 and k.expires_at > $4
	and d.status = '` + models.DeploymentAllowed + `' and p.status = '` + models.ProviderActive + `'`

func pickGone() error {
	return refused(wrongState, "This choice is over, was made before, or began in another browser. Go back to the course and begin again.")
}

func findPick(ctx context.Context, tx *db.Tx, flow, proof string) (p pick, err error) {
	err = tx.QueryRow(ctx, pickSQL, tx.Tenant(), hashOf(flow), hashOf(proof), tx.Now()).Scan(&p.id, &p.user, &p.orgUnit, &p.platform, &p.issuer, &p.clientID, &p.deployment,
		&p.returnURL, &p.data, &p.course, &p.multiple, &p.lineItem, &p.inWindow, &p.until, &p.chosen)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, pickGone()
	}
	if err != nil {
		return p, fmt.Errorf("find a pick: %w", err)
	}
	return p, nil
}

// pickOf finds the pick of a page, and what its person may do now. Errors: lti_launch_refused, sign_in_refused.
func (d *Desk) pickOf(ctx context.Context, flow, proof string) (pick, error) {
	var p pick
	tenant := access.TenantOf(flow)
	if tenant == ids.None {
		return p, pickGone()
	}
	err := d.store.Read(ctx, db.System(tenant, "lti"), func(tx *db.Tx) error {
		var err error
		p, err = findPick(ctx, tx, flow, proof)
		if err != nil {
			return err
		}
		p.scope, err = access.ScopeOf(ctx, tx, p.user, p.orgUnit)
		if err == nil {
			err = mayPick(p.scope)
		}
		return err
	})
	return p, err
}
