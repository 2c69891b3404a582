package pack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/ids"
)

// copyEvaluations publishes the evaluations that are new or differ, one at a time, in the order of the pack.
func (i *installer) copyEvaluations(ctx context.Context) error {
	rows, err := i.tx.Query(ctx, `
		select p.line, e.line from library_entries p join library_entries e
			on e.tenant_id = p.tenant_id and e.revision_id = p.revision_id and e.kind = 'evaluation' and e.ref = p.ref
		where p.tenant_id = $1 and p.revision_id = $2 and p.kind = 'item' order by p.position`, i.tx.Tenant(), i.revision.ID)
	if err != nil {
		return fmt.Errorf("read evaluations of the pack: %w", err)
	}
	type pair struct {
		item itemLine
		said evaluationLine
	}
	var all []pair
	var one pair
	_, err = pgx.ForEachRow(rows, []any{lineOf(&one.item), lineOf(&one.said)}, func() error {
		all = append(all, one)
		one = pair{}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read evaluations of the pack: %w", err)
	}
	for _, p := range all {
		done, err := i.copyEvaluation(ctx, p.said)
		if err != nil {
			return err
		}
		done.Pos, done.SourceEvaluationVersionID, done.Title = p.item.Pos, p.said.EvaluationVersionID, p.said.Title
		i.done.Evaluations = append(i.done.Evaluations, done)
	}
	return nil
}

// copyEvaluation gives the org unit's copy of an evaluation.
func (i *installer) copyEvaluation(ctx context.Context, said evaluationLine) (InstalledEvaluation, error) {
	var record, published, head, version *ids.ID
	err := i.tx.QueryRow(ctx, `
		select c.copy_id, r.published_id, c.head_id, v.version_id from library_copies c
		join evaluations r on r.tenant_id = $1 and r.id = c.copy_id
		left join library_copied_versions v on v.tenant_id = $1 and v.org_unit_id = $2 and v.library_id = $3 and v.kind = 'evaluation' and v.source_version_id = $5
		where c.tenant_id = $1 and c.org_unit_id = $2 and c.library_id = $3 and c.kind = 'evaluation' and c.source_id = $4`,
		i.tx.Tenant(), i.in.OrgUnitID, i.revision.LibraryID, said.EvaluationID, said.EvaluationVersionID).Scan(&record, &published, &head, &version)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return InstalledEvaluation{}, fmt.Errorf("find copy of evaluation: %w", err)
	}
	isHead := record != nil && *head == said.EvaluationVersionID
	switch {
	case i.kept[said.EvaluationID] || isHead && version == nil: // it was kept, now or before
		i.done.Kept.Evaluations++
		return InstalledEvaluation{InstalledEvaluationID: *record, InstalledEvaluationVersionID: *published, KeptLocal: true},
			i.note(ctx, said, *record, nil)
	case isHead && *published != *version: // the org unit changed it, and the pack did not
		return InstalledEvaluation{InstalledEvaluationID: *record, InstalledEvaluationVersionID: *version}, nil
	}
	copied, err := i.evaluationOf(ctx, said, record)
	if err != nil {
		return InstalledEvaluation{}, err
	}
	if version != nil {
		fits, err := i.pins(ctx, *version, copied.Pins)
		if err != nil {
			return InstalledEvaluation{}, err
		}
		done := InstalledEvaluation{InstalledEvaluationID: *record, InstalledEvaluationVersionID: *version}
		switch {
		case fits && isHead:
			return done, nil
		case fits:
			i.done.Changed.Evaluations++
			err := authoring.UseVersion(ctx, i.tx, *record, *version)
			if err != nil {
				return InstalledEvaluation{}, err
			}
			return done, i.note(ctx, said, *record, nil)
		}
	}
	ref, err := authoring.PublishCopy(ctx, i.tx, copied)
	if err != nil {
		return InstalledEvaluation{}, err
	}
	if record == nil {
		i.done.Created.Evaluations++
	} else {
		i.done.Changed.Evaluations++
	}
	return InstalledEvaluation{InstalledEvaluationID: ref.ID, InstalledEvaluationVersionID: ref.VersionID}, i.note(ctx, said, ref.ID, &ref.VersionID)
}

// pins says whether a version that was installed before still shows the versions that the org unit has now: if it kept a
// question then and has given that up since, it does not.
func (i *installer) pins(ctx context.Context, version ids.ID, wanted []authoring.Pin) (bool, error) {
	rows, err := i.tx.Query(ctx, `select question_version_id, passage_version_id from evaluation_pins
		where tenant_id = $1 and evaluation_version_id = $2 order by position`, i.tx.Tenant(), version)
	if err != nil {
		return false, fmt.Errorf("read pins: %w", err)
	}
	type pin struct {
		Question ids.ID
		Passage  *ids.ID
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[pin])
	if err != nil {
		return false, fmt.Errorf("read pins: %w", err)
	}
	return slices.EqualFunc(found, wanted, func(a pin, b authoring.Pin) bool {
		return a.Question == b.QuestionVersionID && (a.Passage == nil) == (b.PassageVersionID == nil) && (a.Passage == nil || *a.Passage == *b.PassageVersionID)
	}), nil
}

// note records which record is the copy, and the version that was made, if there is one.
func (i *installer) note(ctx context.Context, said evaluationLine, record ids.ID, version *ids.ID) error {
	_, err := i.tx.Exec(ctx, `
		insert into library_copies as c (tenant_id, org_unit_id, library_id, kind, source_id, copy_id, head_id) values ($1, $2, $3, 'evaluation', $4, $5, $6)
		on conflict (tenant_id, org_unit_id, library_id, kind, source_id) do update set head_id = excluded.head_id`,
		i.tx.Tenant(), i.in.OrgUnitID, i.revision.LibraryID, said.EvaluationID, record, said.EvaluationVersionID)
	if err == nil && version != nil {
		_, err = i.tx.Exec(ctx, `
			delete from library_copied_versions
			where tenant_id = $1 and org_unit_id = $2 and library_id = $3 and kind = 'evaluation' and source_version_id = $4`,
			i.tx.Tenant(), i.in.OrgUnitID, i.revision.LibraryID, said.EvaluationVersionID)
	}
	if err == nil && version != nil {
		_, err = i.tx.Exec(ctx, `
			insert into library_copied_versions (tenant_id, org_unit_id, library_id, kind, source_version_id, source_id, version_id)
			values ($1, $2, $3, 'evaluation', $4, $5, $6)`,
			i.tx.Tenant(), i.in.OrgUnitID, i.revision.LibraryID, said.EvaluationVersionID, said.EvaluationID, *version)
	}
	if err != nil {
		return fmt.Errorf("note copy of evaluation: %w", err)
	}
	return nil
}

// evaluationOf gives the version of the pack as a version of the org unit, with its questions, passages and terms.
func (i *installer) evaluationOf(ctx context.Context, said evaluationLine, record *ids.ID) (authoring.EvaluationCopy, error) {
	none := authoring.EvaluationCopy{}
	found, err := i.contents(ctx, []string{said.ContentHash})
	if err != nil {
		return none, err
	}
	var body evaluationBody
	err = json.Unmarshal(found[said.ContentHash], &body)
	if err != nil {
		return none, fmt.Errorf("read evaluation %s of the pack: %w", said.EvaluationID, err)
	}
	copied, err := i.evaluationCopy(ctx, body)
	if err != nil {
		return none, err
	}
	if record != nil {
		copied.ID = *record
		return copied, nil
	}
	copied.ExternalID, err = i.freeEvaluationID(ctx, said.ExternalID)
	return copied, err
}

// evaluationCopy replaces the ids of the pack by the ids of the org unit.
func (i *installer) evaluationCopy(ctx context.Context, body evaluationBody) (authoring.EvaluationCopy, error) {
	c := authoring.EvaluationCopy{OrgUnitID: i.in.OrgUnitID}
	wanted, passages := map[ids.ID]bool{}, map[ids.ID]bool{}
	for _, pin := range body.Pins {
		wanted[pin.QuestionVersionID] = true
		if pin.PassageVersionID != nil {
			passages[*pin.PassageVersionID] = true
		}
	}
	questions, err := i.versionsOf(ctx, kindQuestion, inOrder(wanted))
	if err != nil {
		return c, err
	}
	shown, err := i.versionsOf(ctx, kindPassage, inOrder(passages))
	if err != nil {
		return c, err
	}
	ofItem := map[ids.ID]authoring.Pin{}
	for n, pin := range body.Pins {
		q := questions[pin.QuestionVersionID]
		p := authoring.Pin{GroupID: pin.GroupID, Position: n, QuestionID: q.record, QuestionVersionID: q.version}
		if pin.PassageVersionID != nil {
			p.PassageVersionID = ids.Ref(shown[*pin.PassageVersionID].version)
		}
		c.Pins = append(c.Pins, p)
		if _, first := ofItem[pin.GroupID]; !first {
			ofItem[pin.GroupID] = p
		}
	}
	records := map[ids.ID]ids.ID{}
	for _, pin := range body.Pins {
		if pin.PassageVersionID != nil {
			records[pin.GroupID] = shown[*pin.PassageVersionID].record
		}
	}
	c.EvaluationInput = authoring.EvaluationInput{Title: body.Title, Settings: body.Settings, TaxonomyTermIDs: i.termIDs(body.Terms)}
	for _, section := range body.Sections {
		s := authoring.SectionInput{ID: section.ID, Title: section.Title, TimeLimitSeconds: section.TimeLimitSeconds}
		for _, item := range section.Items {
			in := authoring.ItemInput{ID: item.ID, Weight: item.Weight}
			switch {
			case item.Draw != nil:
				in.Draw = &authoring.Draw{Count: item.Draw.Count, TaxonomyTermIDs: i.termIDs(item.Draw.Terms), ExcludeTaxonomyTermIDs: i.termIDs(item.Draw.Exclude)}
			case item.PassageID != ids.None:
				in.PassageID = records[item.ID]
			default:
				in.QuestionID = ofItem[item.ID].QuestionID
			}
			s.Items = append(s.Items, in)
		}
		c.Sections = append(c.Sections, s)
	}
	return c, nil
}

// freeEvaluationID gives an external id if no evaluation of the org unit has it.
func (i *installer) freeEvaluationID(ctx context.Context, wanted string) (string, error) {
	b := batch{isNew: []bool{true}}
	err := i.free(ctx, kindEvaluation, &b, []string{wanted})
	if err != nil || b.externalIDs[0] == nil {
		return "", err
	}
	return wanted, nil
}
