package remediation

import (
	"context"
	"fmt"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// Keys are the keys that new ones replaced, by question version.
type Keys map[ids.ID]rule

const keysSQL = `
select distinct on (r.question_version_id) r.question_version_id, r.rule, r.parameters
from remediation_submissions m join remediations r on r.tenant_id = m.tenant_id and r.id = m.remediation_id
where m.tenant_id = ? and m.submission_id = ? and m.active and r.rule = 'rekey'
order by r.question_version_id, r.applied_number desc`

// KeysIn reads which questions of a submission have another key by now than its snapshot. Of
// several new keys the last one holds. The caller has seen that the submission is in the scope.
func KeysIn(ctx context.Context, tx *db.Tx, submission ids.ID) (Keys, error) {
	var rows []models.Remediation
	err := tx.NewRaw(keysSQL, tx.Tenant(), submission).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("find new keys: %w", err)
	}
	keys := Keys{}
	for _, row := range rows {
		keys[row.QuestionVersionID], err = ruleOf(row)
		if err != nil {
			return nil, fmt.Errorf("read new key: %w", err)
		}
	}
	return keys, nil
}

// Of gives the key that holds for a question whose snapshot has the given one.
func (k Keys) Of(question ids.ID, key scoring.Key) scoring.Key {
	if r, replaced := k[question]; replaced {
		return r.rekey(key)
	}
	return key
}

// queueKey makes the reports look up which keys and exemptions are in force: the ones of applied remediations.
func queueKey(ctx context.Context, tx *db.Tx, row models.Remediation) error {
	if row.Rule != RuleRekey && row.Rule != RuleExempt {
		return nil
	}
	_, err := tx.Exec(ctx, "insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) values ($1, $2, $3, $4)",
		tx.Tenant(), models.OutboxKey, row.ID, tx.Now())
	if err != nil {
		return fmt.Errorf("queue projection: %w", err)
	}
	return nil
}
