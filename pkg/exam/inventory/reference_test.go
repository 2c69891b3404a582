package inventory_test

import (
	"assess/pkg/author/authoring"
	"assess/pkg/kernel/ids"
)

// The rows below are written straight into the tables: the packages that own them are elsewhere.

// passage makes a published passage with questions.
func (s *shop) passage(questions ...ids.ID) ids.ID {
	s.t.Helper()
	id := ids.New()
	s.exec(`insert into passages (tenant_id, id, org_unit_id, title, status, created_at, updated_at)
		values ($1, $3, $2, 'Passage', 'draft', now(), now())`, id)
	s.exec(`insert into passage_questions (tenant_id, passage_id, question_id, org_unit_id, position)
		select $1, $3, q, $2, n from unnest($4::uuid[]) with ordinality as u (q, n) returning true`, id, questions)
	return id
}

// pool publishes a second version of an evaluation, with a draw besides the items of the first.
func (s *shop) pool(e authoring.Evaluation, questions ...ids.ID) {
	s.t.Helper()
	version, group := ids.New(), ids.New()
	s.exec(`insert into evaluation_versions (tenant_id, id, org_unit_id, evaluation_id, number, status, title, sections, settings, created_at, updated_at)
		select tenant_id, $4, $2, evaluation_id, number + 1, 'draft', title, sections, settings, now(), now()
		from evaluation_versions where tenant_id = $1 and id = $3`, e.Published.ID, version)
	s.exec(`insert into evaluation_items (tenant_id, evaluation_version_id, id, org_unit_id, section_id, position, question_id)
		select tenant_id, $4, id, $2, section_id, position, question_id
		from evaluation_items where tenant_id = $1 and evaluation_version_id = $3`, e.Published.ID, version)
	s.exec(`insert into evaluation_items (tenant_id, evaluation_version_id, id, org_unit_id, section_id, position, draw_count)
		values ($1, $3, $4, $2, $4, 900, 1)`, version, group)
	s.exec(`insert into evaluation_pins (tenant_id, evaluation_version_id, id, org_unit_id, group_id, position, question_id, question_version_id)
		select tenant_id, $4::uuid, id, $2::uuid, group_id, position, question_id, question_version_id
		from evaluation_pins where tenant_id = $1 and evaluation_version_id = $3
		union all
		select $1, $4, gen_random_uuid(), $2, $5::uuid, 900 + n, q, x.published_id
		from unnest($6::uuid[]) with ordinality as u (q, n) join questions x on x.tenant_id = $1 and x.id = q returning true`,
		e.Published.ID, version, group, questions)
	s.exec(`update evaluation_versions set status = 'published', published_at = now(), snapshot_hash = $4
		where tenant_id = $1 and org_unit_id = $2 and id = $3`, version, e.Published.SnapshotHash)
	s.exec(`update evaluations set published_id = $4 where tenant_id = $1 and org_unit_id = $2 and id = $3`, e.ID, version)
}

// assign adds an assignment by public link.
func (s *shop) assign(evaluation ids.ID) {
	s.t.Helper()
	s.exec(`insert into assignments (tenant_id, id, org_unit_id, evaluation_id, target_type, status, created_by, created_at, updated_at)
		values ($1, $3, $2, $4, 'public_link', 'active', 'test', now(), now())`, ids.New(), evaluation)
}

// require adds a programme requirement.
func (s *shop) require(evaluation ids.ID) {
	s.t.Helper()
	s.exec(`insert into programme_requirements (tenant_id, id, org_unit_id, programme, name, evaluation_id, status, created_at, updated_at)
		values ($1, $3, $2, 'Safety', 'Yearly test', $4, 'active', now(), now())`, ids.New(), evaluation)
}

// pack adds a library with one item.
func (s *shop) pack(evaluation ids.ID) {
	s.t.Helper()
	library := ids.New()
	s.exec(`insert into libraries (tenant_id, id, org_unit_id, name, created_at, updated_at)
		values ($1, $3, $2, 'Starter pack', now(), now())`, library)
	s.exec(`insert into library_items (tenant_id, library_id, id, org_unit_id, evaluation_id, position)
		values ($1, $3, $4, $2, $5, 0)`, library, ids.New(), evaluation)
}
