package datamap

// contentTables hold what authors write for exams. It is about subjects of exams and not about users,
// so forgetting leaves it; no user's id stands there, but for the owner of a saved view.
var contentTables = []Table{
	content("facets", "a facet of terms", none("id domain slug created_at updated_at"), texts("label")),
	content("terms", "a term", none("id facet_id slug label_key retired_at created_at updated_at merged_into"), texts("label")),
	content("term_relations", "that a term stands under another", none("term_id parent_id created_at")),
	content("assets", "a file that content shows",
		none("id org_unit_id name_key media_type current_id created_at updated_at"), texts("name")),
	content("asset_versions", "a version of such a file",
		none("id org_unit_id asset_id number media_type size_bytes sha256 width height created_at")),
	content("media_blobs", "that the store has a file", none("sha256 touched_at")),
	content("questions", "a question",
		none("id org_unit_id external_id status draft_id published_id qtype contributes_to_score created_at updated_at")),
	content("question_versions", "a version of a question",
		none("id org_unit_id question_id number status qtype term_ids pins passage_version_id content_hash canonical_scheme hash_scheme created_at updated_at published_at"),
		texts("body extracts")),
	content("question_terms", "that a question has a term", none("question_id term_id org_unit_id is_newest is_published")),
	content("question_search", "words of a question", none("question_id org_unit_id document")),
	content("passages", "a passage", none("id org_unit_id external_id status draft_id published_id created_at updated_at"), texts("title")),
	content("passage_versions", "a version of a passage",
		none("id org_unit_id passage_id number status pins content_hash canonical_scheme hash_scheme created_at updated_at published_at"),
		texts("title body extracts")),
	content("passage_questions", "that a question belongs to a passage", none("passage_id question_id org_unit_id position")),
	content("passage_search", "words of a passage", none("passage_id org_unit_id document")),
	content("evaluations", "an evaluation", none("id org_unit_id external_id status draft_id published_id created_at updated_at"), texts("title")),
	content("evaluation_versions", "a version of an evaluation",
		none("id org_unit_id evaluation_id number status term_ids snapshot_hash created_at updated_at published_at"), texts("title sections settings")),
	content("version_snapshots", "a published evaluation as candidates got it",
		none("hash org_unit_id created_at verification_policy survey_items"), texts("title content settings feedback_tags")),
	content("evaluation_terms", "that an evaluation has a term", none("evaluation_id term_id org_unit_id is_newest is_published")),
	content("evaluation_items", "an item of an evaluation",
		none("evaluation_version_id id org_unit_id section_id position question_id passage_id draw_count draw_terms draw_exclude weight")),
	content("evaluation_pins", "the version of a question that an evaluation shows",
		none("evaluation_version_id id org_unit_id group_id position question_id question_version_id passage_version_id")),
	content("evaluation_search", "words of an evaluation", none("evaluation_id org_unit_id document")),
	{Name: "inventory_views", Domain: Content, Holds: "a view of a list that somebody saved, for themselves or for all",
		Subject: "t.tenant_id = $1 and t.owner_id = $2", Row: Delete,
		Columns: columns(pseudonyms("owner_id"), none("id org_unit_id kind visibility filter created_at updated_at"), texts("name"))},
	content("libraries", "a content pack", none("id org_unit_id created_at updated_at"), texts("name")),
	content("library_items", "an evaluation of a content pack", none("library_id id org_unit_id evaluation_id position")),
}

func content(name, holds string, parts ...[]Column) Table {
	return Table{Name: name, Domain: Content, Holds: holds, Row: Keep, Columns: columns(parts...)}
}
