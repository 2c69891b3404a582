package authoring

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"assess/models"
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/people/policy"
)

// This file has what content packs need from this package: reading a body from outside the
// tables, finding the parts of a published evaluation, and publishing a copy of it.

// Body is the content of a version of a question or passage, read and checked like input from
// authors, in the form in which it is stored. Texts are the texts that search finds it by.
type Body struct {
	models.AuthoredBody
	Contributes bool
	Texts       []string
}

// ReadQuestion reads the body of a question version. The problems that it finds have
// paths like "options[0].content".
func ReadQuestion(qtype scoring.QType, body json.RawMessage) (Body, []errs.Field, error) {
	in := QuestionInput{QType: qtype}
	if found := strictly(body, &in); len(found) > 0 {
		return Body{}, found, nil
	}
	checked := in.check(nil, true)
	if len(checked.found) > 0 {
		return Body{}, checked.found, nil
	}
	settled, err := checked.settle(nil)
	if err != nil {
		return Body{}, nil, err
	}
	c := settled.(questionContent)
	return Body{c.body, c.contributes, c.texts}, nil, nil
}

// ReadPassage reads the body of a passage version.
func ReadPassage(title string, body json.RawMessage) (Body, []errs.Field, error) {
	checked := PassageInput{Title: title, Content: body}.check()
	if len(checked.found) > 0 {
		return Body{}, checked.found, nil
	}
	settled, err := checked.settle(nil)
	if err != nil {
		return Body{}, nil, err
	}
	c := settled.(passageContent)
	return Body{AuthoredBody: c.body, Texts: c.texts}, nil, nil
}

// strictly decodes JSON and refuses unknown names.
func strictly(raw []byte, into any) []errs.Field {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if decoder.Decode(into) != nil || decoder.More() {
		return []errs.Field{{Path: "", Code: "invalid_json", Message: "the body has not the fields that it should have"}}
	}
	return nil
}

// FrozenEvaluation is a published version of an evaluation with its pins.
type FrozenEvaluation struct {
	EvaluationID, OrgUnitID ids.ID
	ExternalID              string
	EvaluationVersion
	Pins []Pin
}

// FindFrozen gives a published version of an evaluation that the scope has, with its pins. It checks no
// capability itself. Errors: not_found.
func FindFrozen(ctx context.Context, tx *db.Tx, versionID ids.ID) (FrozenEvaluation, error) {
	versions, err := evaluationStore.versionsByID(ctx, tx, []ids.ID{versionID})
	if err != nil {
		return FrozenEvaluation{}, err
	}
	row, known := versions[versionID]
	if !known || row.Status != models.VersionPublished {
		return FrozenEvaluation{}, evaluationStore.notFound()
	}
	record, err := evaluationStore.one(ctx, tx, row.EvaluationID)
	if err != nil {
		return FrozenEvaluation{}, err
	}
	f := FrozenEvaluation{EvaluationID: record.ID, OrgUnitID: record.OrgUnitID, ExternalID: text(record.ExternalID)}
	f.EvaluationVersion, err = evaluationVersionOf(row)
	if err != nil {
		return FrozenEvaluation{}, err
	}
	f.Pins, err = pinsOfEvaluation(ctx, tx, versionID)
	return f, err
}

// EvaluationCopy is a version to be published in an org unit: its content, with the questions and
// passages of that org unit, and the questions that it pins, in order. ID is none for a new
// evaluation, which then gets ExternalID.
type EvaluationCopy struct {
	ID, OrgUnitID ids.ID
	ExternalID    string
	EvaluationInput
	Pins []Pin
}

// EvaluationRef names a version of an evaluation.
type EvaluationRef struct{ ID, VersionID ids.ID }

// PublishCopy writes a copy as the published version of its evaluation, in place of a draft if there is
// one. Nothing is chosen anew: pools and passages have the questions of the pins. The policy for
// submissions is the current one. It checks no capability itself; the caller has to check the step-up.
func PublishCopy(ctx context.Context, tx *db.Tx, c EvaluationCopy) (EvaluationRef, error) {
	e := evaluationStore.start(tx, c.OrgUnitID)
	e.record.ExternalID = reference(c.ExternalID)
	if c.ID != ids.None {
		locked, err := evaluationStore.lock(ctx, tx, []ids.ID{c.ID})
		if err != nil {
			return EvaluationRef{}, err
		}
		versions, err := evaluationStore.versionsOf(ctx, tx, locked)
		if err != nil {
			return EvaluationRef{}, err
		}
		e = evaluationStore.open(locked[0], versions)
	}
	settled, err := c.settle(&evaluationEdit{isNew: true})
	if err != nil {
		return EvaluationRef{}, err
	}
	evaluationStore.draft(tx, e)
	settled.put(e)
	err = evaluationStore.saveAll(ctx, tx, []*evaluationEdit{e})
	if err != nil {
		return EvaluationRef{}, err
	}
	draft, err := evaluationVersionOf(e.version)
	if err != nil {
		return EvaluationRef{}, err
	}
	pinned, err := bankOf(ctx, tx, draft, c.Pins)
	if err != nil {
		return EvaluationRef{}, err
	}
	return EvaluationRef{e.record.ID, e.version.ID}, freezeEvaluation(ctx, tx, e, draft, pinned, policy.Authority{})
}

// UseVersion makes an earlier published version of an evaluation the one that is used; a draft is removed. The caller has locked
// the evaluation.
func UseVersion(ctx context.Context, tx *db.Tx, evaluation, version ids.ID) error {
	var row models.Authored
	var title string
	err := tx.QueryRow(ctx, `
		update evaluations e set published_id = v.id, draft_id = null, status = 'published', title = v.title,
			updated_at = greatest($4, just_after(e.updated_at))
		from evaluation_versions v where v.tenant_id = $1 and v.id = $3 and v.evaluation_id = $2 and e.tenant_id = $1 and e.id = $2
		returning e.id, e.org_unit_id, e.external_id, e.title`, tx.Tenant(), evaluation, version, tx.Now()).
		Scan(&row.ID, &row.OrgUnitID, &row.ExternalID, &title)
	if err != nil {
		return fmt.Errorf("use an earlier version: %w", err)
	}
	for _, sql := range []string{
		"delete from evaluation_versions where tenant_id = $1 and evaluation_id = $2 and status = 'draft'",
		"delete from evaluation_terms where tenant_id = $1 and evaluation_id = $2",
	} {
		_, err = tx.Exec(ctx, sql, tx.Tenant(), evaluation)
		if err != nil {
			return fmt.Errorf("use an earlier version: %w", err)
		}
	}
	_, err = tx.Exec(ctx, `
		insert into evaluation_terms (tenant_id, evaluation_id, term_id, org_unit_id, is_newest, is_published)
		select v.tenant_id, $2, t.id, v.org_unit_id, true, true
		from (select tenant_id, org_unit_id, term_ids from evaluation_versions where tenant_id = $1 and id = $3 offset 0) v cross join lateral unnest(v.term_ids) t (id)`,
		tx.Tenant(), evaluation, version)
	if err != nil {
		return fmt.Errorf("use an earlier version: %w", err)
	}
	return saveSearch(ctx, tx, evaluationStore.noun, []searchText{{record: &row, texts: []string{title}}})
}

// bankOf is the bank of a version whose questions are chosen already.
func bankOf(ctx context.Context, tx *db.Tx, v EvaluationVersion, pins []Pin) (bank, error) {
	b := bank{status: map[ids.ID]string{}, versions: map[ids.ID]QuestionVersion{}, pinned: map[ids.ID]SnapshotPassage{},
		assets: map[ids.ID]ids.ID{}, newer: newer{pins: map[ids.ID]map[ids.ID]ids.ID{}},
		passages: map[ids.ID]bankPassage{}, pools: map[ids.ID][]ids.ID{}}
	ofGroup := map[ids.ID][]Pin{}
	var wanted []ids.ID
	for _, pin := range pins {
		ofGroup[pin.GroupID], wanted = append(ofGroup[pin.GroupID], pin), append(wanted, pin.QuestionVersionID)
	}
	for item := range v.items() {
		questions := each(ofGroup[item.ID], func(p Pin) ids.ID { return p.QuestionID })
		switch {
		case item.Draw != nil:
			b.pools[item.ID] = questions
		case item.PassageID != ids.None && len(questions) > 0:
			b.passages[item.PassageID] = bankPassage{published: ofGroup[item.ID][0].PassageVersionID, questions: questions}
		}
	}
	rows, err := questionStore.versionsByID(ctx, tx, wanted)
	if err != nil {
		return bank{}, err
	}
	for _, row := range rows {
		b.versions[row.QuestionID], err = questionVersionOf(row)
		if err != nil {
			return bank{}, err
		}
		b.pin(row.ID, row.Pins.AssetVersions)
	}
	err = b.loadPassageVersions(ctx, tx)
	if err != nil {
		return bank{}, err
	}
	b.terms, err = taxonomy.Names(ctx, tx, b.termIDs(v))
	if err != nil {
		return bank{}, err
	}
	b.facets, err = taxonomy.FacetLabels(ctx, tx, b.facetSlugs(v.Settings.FeedbackTagKeys))
	return b, err
}
