package standing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/policy"
	"assess/pkg/trust/readiness"
)

// frozen is the part of a snapshot that readiness needs.
type frozen struct {
	level                         string
	policy                        readiness.Policy
	hasPassMark, fourEyes, broken bool
	demanded                      []string
	surveys                       []ids.ID
}

const (
	frozenSQL = `
select v.hash, v.settings, v.verification_policy, v.survey_items from unnest($2::text[]) wanted (hash)
cross join lateral (select hash, settings, verification_policy, survey_items from version_snapshots v where v.tenant_id = $1 and v.hash = wanted.hash offset 0) v`
	wholeSQL = `
select v.hash, v.content from unnest($2::text[]) wanted (hash)
cross join lateral (select hash, content from version_snapshots v where v.tenant_id = $1 and v.hash = wanted.hash offset 0) v`
)

// frozenOf reads the snapshots of submissions by hash, without their content.
func frozenOf(ctx context.Context, tx *db.Tx, all []Standing) (map[string]frozen, error) {
	wanted := hashes(all)
	rows, err := tx.Query(ctx, frozenSQL, tx.Tenant(), wanted)
	if err != nil {
		return nil, fmt.Errorf("read what snapshots froze: %w", err)
	}
	found := map[string]frozen{}
	var hash string
	var settings, verification, surveys []byte
	_, err = pgx.ForEachRow(rows, []any{&hash, &settings, &verification, &surveys}, func() error {
		var err error
		found[hash], err = readFrozen(settings, verification, surveys)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read what snapshots froze: %w", err)
	}
	broken, err := brokenSnapshots(ctx, tx, wanted)
	if err != nil {
		return nil, err
	}
	for hash, f := range found {
		f.broken = broken[hash]
		found[hash] = f
	}
	return found, nil
}

func readFrozen(settings, verification, surveys []byte) (frozen, error) {
	var s authoring.Settings
	var items []ids.ID
	var p *policy.Frozen
	err := errors.Join(read(settings, &s), read(surveys, &items), read(verification, &p))
	if p == nil {
		p = policy.Legacy(s.VerificationLevel)
	}
	return frozen{level: p.RequiredLevel, policy: asked(p), hasPassMark: s.PassMarkPercent != nil,
		fourEyes: s.AsksForFourEyes(), demanded: s.RequiredEvidence, surveys: items}, err
}

// read reads a part of a snapshot, unless it is absent.
func read(part []byte, into any) error {
	if len(part) == 0 {
		return nil
	}
	return json.Unmarshal(part, into)
}

func asked(p *policy.Frozen) readiness.Policy {
	return readiness.Policy{Ref: p.PolicyRef, RequireContext: p.RequireContext, RequireStepUp: p.RequireStepUp, Fields: p.RequiredContextFields,
		Methods: p.Allowed()}
}

// policiesOfToday gives what a submit at each level would have to prove if it were published now.
func policiesOfToday(ctx context.Context, tx *db.Tx) (map[string]readiness.Policy, error) {
	all, err := policy.InForce(ctx, tx)
	today := map[string]readiness.Policy{}
	for level, p := range all {
		today[level] = asked(p)
	}
	return today, err
}

// brokenSnapshots gives the snapshots that do not have the hash that names them.
func brokenSnapshots(ctx context.Context, tx *db.Tx, wanted []string) (map[string]bool, error) {
	rows, err := tx.Query(ctx, wholeSQL, tx.Tenant(), wanted)
	if err != nil {
		return nil, fmt.Errorf("read snapshots: %w", err)
	}
	found := map[string]bool{}
	var hash string
	var whole []byte
	_, err = pgx.ForEachRow(rows, []any{&hash, &whole}, func() error {
		found[hash] = !authoring.Intact(hash, whole)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read snapshots: %w", err)
	}
	return found, nil
}
