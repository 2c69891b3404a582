package datamap

import "assess/pkg/people/people"

// byUser reaches rows by the id of the user.
const byUser = "t.tenant_id = $1 and t.user_id = $2"

// byActor gives the condition for rows that a person wrote.
func byActor(column string) string {
	return "t.tenant_id = $1 and t." + column + " = 'user:' || $2::uuid"
}

var peopleTables = []Table{
	{Name: "tenants", Domain: Settings, Holds: "an organisation", Row: Keep, Columns: none("id slug name created_at")},
	{Name: "org_units", Domain: Settings, Holds: "an org unit", Row: Keep, Columns: none("id slug name created_at")},
	{Name: "users", Domain: Users, Holds: "the record of a person, the only place for name, e-mail address and metadata",
		Subject: "t.tenant_id = $1 and t.id = $2", Row: Redact, Columns: columns(
			pseudonyms("id"),
			erased(Identifier, "email", "'erased-' || id || '"+people.ErasedDomain+"'"),
			erased(Identifier, "email_key", "'erased-' || id || '"+people.ErasedDomain+"'"),
			erased(Identifier, "name", "''"),
			erased(Identifier, "metadata", "'{}'"),
			none("status token_generation restricted held erasing created_at updated_at"))},
	{Name: "former_addresses", Domain: Users, Holds: "an address that a person had, until the mail about its change is out",
		Subject: byUser, Row: Delete,
		Columns: columns(none("id changed_at"), pseudonyms("user_id"), identifiers("email"))},
	{Name: "holds", Domain: Users, Holds: "that a person's data is held, with a code that says why", Subject: "t.tenant_id = $1 and t.subject_id = $2", Row: Keep,
		Columns: columns(pseudonyms("subject_id placed_by lifted_by"), none("id submission_id kind reason_code matter review_at placed_at lifted_at"))},
	{Name: "user_org_units", Domain: Users, Holds: "that a person belongs to an org unit", Subject: byUser, Row: Delete,
		Columns: columns(pseudonyms("user_id"), none("org_unit_id"))},
	{Name: "roles", Domain: Settings, Holds: "a role", Row: Keep,
		Columns: columns(none("id system_key created_at updated_at"), texts("name description"))},
	{Name: "role_capabilities", Domain: Settings, Holds: "what a role may do", Row: Keep, Columns: none("role_id capability")},
	{Name: "identity_providers", Domain: Settings, Holds: "an identity provider that the tenant believes", Row: Keep, Columns: columns(
		none("id slug name status issuer client_id scopes claims email_trust domains provisioning joined_id role_ids groups step_up public_key created_at updated_at"), secrets("sealed_secret sealed_key"))},
	{Name: "user_accounts", Domain: Users, Holds: "who a person is at an identity provider or a learning platform", Subject: byUser, Row: Delete, Columns: columns(
		pseudonyms("user_id linked_by"), none("id source source_id linked_at last_seen_at test"), identifiers("subject"))},
	{Name: "lti_platforms", Domain: Settings, Holds: "a learning platform that the tenant believes", Row: Keep, Columns: none(`id name status issuer client_id auth_url
		token_url keys_url audience identity roles created_at updated_at claimed_by claimed_until failures next_at`)},
	{Name: "lti_deployments", Domain: Settings, Holds: "a place in a learning platform where the service was put", Row: Keep,
		Columns: none("id platform_id deployment_id status joined_id created_at updated_at")},
	{Name: "lti_flows", Domain: Access, Holds: "a launch that a learning platform has not answered yet", Row: Keep, Columns: columns(
		none("id platform_id created_at expires_at used_at"), secrets("state_hash browser_hash nonce_hash"))},
	{Name: "lti_deep_links", Domain: Access, Holds: "that a teacher picks what an activity of a learning platform hands out", Subject: byUser, Row: Delete, Columns: columns(
		pseudonyms("user_id"), texts("course"), none("id deployment_id return_url data multiple line_item in_window created_at expires_at used_at chosen"), secrets("flow_hash proof_hash"))},
	{Name: "lti_pending_accounts", Domain: Access, Holds: "an account of a learning platform that waits for its person to link it", Subject: byUser, Row: Delete, Columns: columns(
		pseudonyms("user_id"), none("id deployment_id created_at expires_at used_at"), secrets("secret_hash sealed"))},
	{Name: "lti_registrations", Domain: Access, Holds: "a link by which a learning platform connects itself", Row: Keep, Columns: columns(
		pseudonyms("created_by"), none("id created_at expires_at used_at"), secrets("ticket_hash"))},
	{Name: "lti_keys", Domain: Settings, Holds: "a key that the service signs with towards learning platforms", Row: Keep, Columns: columns(
		none("id public_key created_at signs_from"), secrets("sealed_key"))},
	{Name: "sign_in_flows", Domain: Access, Holds: "a sign-in that an identity provider has not answered yet", Subject: byUser, Row: Delete, Columns: columns(
		pseudonyms("user_id"), none("id provider_id redirect_uri created_at expires_at used_at purpose org_unit_id"), secrets("state_hash browser_hash sealed code_challenge state"))},
	{Name: "user_roles", Domain: Users, Holds: "that a person has a role", Subject: byUser, Row: Delete,
		Columns: columns(pseudonyms("user_id"), none("role_id granted_at"))},
	{Name: "groups", Domain: Users, Holds: "a group, with the rule of its members", Row: Keep, Columns: columns(
		none("id org_unit_id name_key is_dynamic rule_version created_at updated_at"),
		texts("name description membership_rule membership_path allowed_domains"), secrets("join_token"))},
	{Name: "group_members", Domain: Users, Holds: "that a person is in a group", Subject: byUser, Row: Delete,
		Columns: columns(pseudonyms("user_id"), none("group_id org_unit_id added_at provider_id"))},
	{Name: "magic_links", Domain: Access, Holds: "a link to sign in", Subject: byUser, Row: Delete, Columns: columns(
		pseudonyms("user_id"), none("id org_unit_id created_at expires_at redeemed_at assignment_id redirect_uri code_expires_at provider_id proof"),
		secrets("token_hash code_hash code_challenge state"))},
	{Name: "privacy_links", Domain: Access, Holds: "a link by which a person sees to requests about their data", Subject: byUser, Row: Delete,
		Columns: columns(pseudonyms("user_id"), none("id created_at expires_at opened_at"), secrets("token_hash open_hash"))},
	{Name: "ended_tokens", Domain: Access, Holds: "that a person signed out", Subject: byUser, Row: Delete,
		Columns: columns(pseudonyms("user_id"), none("token_id expires_at"))},
	{Name: "step_up_proofs", Domain: Access, Holds: "a proof that the person was there", Subject: byUser, Row: Delete,
		Columns: columns(pseudonyms("user_id"), none("id method created_at expires_at consumed_at"))},
	{Name: "link_principals", Domain: Access, Holds: "a link by which somebody without an account reads the submission, or a report", Subject: ofSubmission("submission_id"),
		Author: byActor("created_by"), Row: Delete, Columns: columns(pseudonyms("created_by revoked_by"), none(`id org_unit_id submission_id report
			can_view_readiness_reasons include_evidence created_at expires_at revoked_at uses last_used_at opened_at`), secrets("code_hash browser_hash"))},
	{Name: "idempotency_keys", Domain: Access, Holds: "the answer to a call, sealed with the key of the call, for its repetition",
		Subject: byActor("actor"), Row: Delete, Columns: columns(
			pseudonyms("actor"), none("method path status created_at"), secrets("key body_hash location body"))},
	{Name: "retention_policies", Domain: Settings, Holds: "how long records are kept", Row: Keep,
		Columns: columns(none("domain number id days action evaluation_id outcome assignment_kind scope set_at"), pseudonyms("set_by"))},
	{Name: "processing_bases", Domain: Settings, Holds: "the legal basis of a purpose, as the tenant has it", Row: Keep,
		Columns: columns(none("purpose legal_basis set_at"), pseudonyms("set_by"))},
	{Name: "verification_policies", Domain: Settings, Holds: "what must be proved for an action", Row: Keep,
		Columns: none("level applies_to require_context require_step_up required_context_fields methods updated_at")},
	{Name: "tenant_locales", Domain: Settings, Holds: "a language of the tenant", Row: Keep,
		Columns: none("tag is_default is_required position updated_at")},
}
