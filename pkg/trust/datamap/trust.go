package datamap

// ofRequest are rows about a request of the person.
const ofRequest = "t.tenant_id = $1 and t.request_id in (select r.id from compliance_requests r where r.tenant_id = $1 and r.subject_id = $2)"

var trustTables = []Table{
	{Name: "ledger_heads", Domain: Ledger, Holds: "the number of the newest event", Row: Keep, Columns: none("last_seq")},
	{Name: "ledger_events", Domain: Ledger, Holds: "what was done: ids, codes and hashes, never a name", Subject: "t.tenant_id = $1 and t.subject_id = $2", Row: Keep,
		Traces:  "t.event_type ~ '^((dsar_export|privacy_pack)[.]|compliance[.]artifact_viewed)'",
		Columns: columns(pseudonyms("actor subject_id"), none("seq id org_unit_id event_type subject_type request_id payload occurred_at"))},
	{Name: "trust_keys", Domain: Ledger, Holds: "a key that signs for the tenant", Row: Keep,
		Columns: columns(none("id public_key created_at retired_at signed_by signature"), secrets("sealed_seed"))},
	{Name: "ledger_logs", Domain: Ledger, Holds: "how far the log has come", Row: Keep, Columns: none("origin size signed published batches")},
	{Name: "ledger_tiles", Domain: Ledger, Holds: "hashes of the log", Row: Keep, Columns: none("level place hashes")},
	{Name: "ledger_checkpoints", Domain: Ledger, Holds: "a signed state of the log", Row: Keep, Columns: none("size root key_id note created_at")},
	{Name: "ledger_states_due", Domain: Ledger, Holds: "that a submission waits for the log", Row: Keep, Columns: none("id submission_id")},
	{Name: "ledger_batches", Domain: Ledger, Holds: "a batch of states of submissions", Row: Keep, Columns: none("number event_id leaves")},
	{Name: "ledger_states", Domain: Ledger, Holds: "the hash of a submission's state", Row: Keep,
		Columns: none("batch position submission_id state_hash state_scheme score_version status erased cause execution")},
	{Name: "submission_executions", Domain: Submissions, Holds: "whether a submit was verified as was asked, for ever", Subject: ofSubmission("submission_id"), Row: Keep,
		Columns: none("submission_id org_unit_id logic_version reasons written_at")},

	{Name: "compliance_jobs", Domain: Compliance, Holds: "a job about a person's data", Subject: "t.tenant_id = $1 and t.subject_id = $2", Row: Keep,
		Traces: "t.job_type in ('dsar_export', 'privacy_pack')",
		Columns: columns(pseudonyms("subject_id requested_by"), secrets("sealed"), none(`id request_id job_type status arguments steps done_n total_n counts result
			partial blocked_reason error_code sla_due_at created_at started_at stepped_at completed_at`))},
	{Name: "compliance_requests", Domain: Compliance, Holds: "what somebody asked about their data, and what came of it", Subject: "t.tenant_id = $1 and t.subject_id = $2", Row: Keep,
		Columns: columns(pseudonyms("subject_id decided_by refused_by recorded_by"), none(`id kind channel state received_at clock_from due_at identity_asked_at identity
			extended_at extension_reason decision reason_code decided_at contested_at not_before carried_out_at ended_at created_at locale changes_n`))},
	{Name: "compliance_request_changes", Domain: Compliance, Holds: "a change of such a request", Subject: ofRequest, Row: Keep,
		Columns: columns(pseudonyms("actor"), none("request_id number change state code job_id event_id at"))},
	{Name: "compliance_request_notes", Domain: Compliance, Holds: "what officers wrote about an open request, sealed; it goes with the answer", Subject: ofRequest, Row: Delete,
		Columns: columns(pseudonyms("author"), secrets("sealed"), none("request_id id created_at"))},
	{Name: "request_rules", Domain: Settings, Holds: "what the tenant asks of erasures", Row: Keep, Columns: columns(pseudonyms("set_by"), none("two_people wait_days letters set_at"))},
	{Name: "letter_templates", Domain: Settings, Holds: "the words of a letter about a request", Row: Keep,
		Columns: columns(pseudonyms("set_by"), texts("subject body"), none("letter word locale version set_at"))},
	{Name: "request_letters", Domain: Compliance, Holds: "that a letter about a request went; the address of somebody who is being erased is sealed, until the letter has gone",
		Subject: ofRequest, Row: Keep, Columns: columns(secrets("sealed"), none("request_id id letter locale template_version sha256 state problem created_at sent_at"))},
	{Name: "data_recipients", Domain: Settings, Holds: "an organisation that gets data of people", Row: Keep,
		Columns: columns(pseudonyms("created_by"), identifiers("name contact"), texts("gets"), none("id role purpose webhook_id created_at ended_at"))},
	{Name: "recipient_tasks", Domain: Compliance, Holds: "that a recipient is to do what a request asked for", Subject: ofRequest, Row: Keep,
		Columns: columns(pseudonyms("closed_by"), none("id request_id recipient_id way state reason_code reminders told_at remind_at closed_at created_at"))},
	{Name: "residue_findings", Domain: Compliance, Holds: "a place where a forget found something of the person, never what it found, and what was decided",
		Subject: "t.tenant_id = $1 and t.job_id in (select j.id from compliance_jobs j where j.tenant_id = $1 and j.subject_id = $2)", Row: Keep,
		Columns: columns(pseudonyms("decided_by"), none("job_id number id table_name column_name row_key kind form verdict decision reason_code decided_at"))},
	{Name: "compliance_steps", Domain: Compliance, Holds: "a step of such a job", Row: Keep, Columns: none("job_id number name counts ended_at")},
	{Name: "compliance_ledger", Domain: Compliance, Holds: "what was done about a person's data", Subject: "t.tenant_id = $1 and t.subject_id = $2", Row: Keep,
		Traces:  "t.event_type ~ '^(dsar_export|privacy_pack)[.]'",
		Columns: columns(pseudonyms("subject_id"), none("id event_type job_id domain policy_id cutoff counts artifact_hash created_at"))},
	{Name: "compliance_blobs", Domain: Exports, Holds: "that the store has a file", Row: Keep, Columns: none("sha256 touched_at")},
	{Name: "compliance_artifacts", Domain: Exports, Holds: "an export or a receipt that a job made",
		Subject: "t.tenant_id = $1 and t.job_id in (select j.id from compliance_jobs j where j.tenant_id = $1 and j.subject_id = $2)", Row: Redact,
		// A receipt has no end, since it names nobody.
		Columns: columns(erased(None, "erased_at", "erased_if_ending(erased_at, expires_at, now())"),
			none("job_id name media_type size_bytes sha256 created_at expires_at held_sha256"))},
	{Name: "webhook_endpoints", Domain: Settings, Holds: "where somebody wants to be told what happens", Row: Keep,
		Columns: columns(pseudonyms("created_by"), texts("url description"), secrets("sealed_secret sealed_before"), none(`id org_unit_id events with_scores
			before_until state disabled_reason since_seq replay_next replay_last failing_since claimed_by claimed_until created_at updated_at`))},
	{Name: "webhook_deliveries", Domain: Access, Holds: "what an endpoint is told, for 14 days", Subject: byUser, Row: Delete,
		Columns: columns(pseudonyms("user_id"), texts("answer"), none(`id endpoint_id event_id event_type seq subject body occurred_at state attempts
			next_at status created_at ended_at`))},
	{Name: "webhook_cursors", Domain: Settings, Holds: "how far the ledger was read for them", Row: Keep, Columns: none("seq")},
	{Name: "retention_incidents", Domain: Compliance, Holds: "what a sweep did not erase, and why", Row: Keep,
		Columns: none("id event_type domain policy_id cutoff blocked_reason candidate_count job_id created_at")},
}

// systemTables belong to no tenant.
var systemTables = []Table{
	{Name: "applied_migrations", Domain: Settings, Holds: "a change of the schema", Row: Keep, Shared: "the migrations' own",
		Columns: none("name hash applied_at")},
	{Name: "capabilities", Domain: Settings, Holds: "the name of a capability", Row: Keep, Shared: "words", Columns: none("name")},
	{Name: "rate_limits", Domain: Access, Holds: "when a call is allowed again, under a hash of who called", Row: Keep, Shared: "it is asked before a tenant is known; a row is swept when its time is over",
		Columns: columns(secrets("key"), none("next_free"))},
	{Name: "signing_keys", Domain: Access, Holds: "a key that signs tokens", Row: Keep, Shared: "one ring for the installation",
		Columns: columns(secrets("sealed_seed"), none("kid created_at retired_at"))},
	{Name: "projection_outbox", Domain: Reports, Holds: "what the projector has to do", Row: Keep,
		Columns: none("id kind subject_id enqueued_at not_before failures")},
}
