package errs

import "net/http"

// The codes. A code that the specification names keeps that name.
const (
	MalformedRequest     Code = "malformed_request"
	ValidationFailed     Code = "validation_failed"
	Unauthenticated      Code = "unauthenticated"
	TokenExpired         Code = "token_expired"
	Forbidden            Code = "forbidden"
	StepUpRequired       Code = "step_up_required"
	NotFound             Code = "not_found"
	RouteNotFound        Code = "route_not_found"
	MethodNotAllowed     Code = "method_not_allowed"
	NotAcceptable        Code = "not_acceptable"
	PreconditionFailed   Code = "precondition_failed"
	RangeNotSatisfiable  Code = "range_not_satisfiable"
	UnsupportedMediaType Code = "unsupported_media_type"
	RequestTooLarge      Code = "request_too_large"
	RequestTimeout       Code = "request_timeout"
	RateLimited          Code = "rate_limited"
	Internal             Code = "internal_error"
	DatabaseUnavailable  Code = "database_unavailable"
	DatabaseFull         Code = "database_full"
	OutcomeUnknown       Code = "outcome_unknown"
	StorageFull          Code = "storage_full"
	StorageUnavailable   Code = "storage_unavailable"
	FileDamaged          Code = "file_damaged"
	SnapshotDamaged      Code = "snapshot_damaged"
	ShuttingDown         Code = "shutting_down"

	IdempotencyKeyRequired Code = "idempotency_key_required"
	IdempotencyKeyReused   Code = "idempotency_key_reused"
	IdempotencyInProgress  Code = "idempotency_in_progress"

	Conflict      Code = "conflict"
	StaleUpdate   Code = "stale_update"
	DuplicateName Code = "duplicate_name"

	LinkInvalid            Code = "link_invalid"
	ProviderUnavailable    Code = "provider_unavailable"
	SignInRefused          Code = "sign_in_refused"
	SignInExpired          Code = "sign_in_expired"
	StepUpInsufficient     Code = "step_up_insufficient"
	AccountLinkNeeded      Code = "account_link_needed"
	AccountTaken           Code = "account_taken"
	LTILaunchRefused       Code = "lti_launch_refused"
	LTIPlatformUnavailable Code = "lti_platform_unavailable"
	DuplicatePlatform      Code = "duplicate_platform"
	RoleProtected          Code = "role_protected"
	RoleInUse              Code = "role_in_use"
	OrgUnitInUse           Code = "org_unit_in_use"
	LastTenantAdmin        Code = "last_tenant_admin"
	DuplicateEmail         Code = "duplicate_email"
	GroupIsDynamic         Code = "group_is_dynamic"
	GroupInUse             Code = "group_in_use"
	SubjectInUse           Code = "subject_in_use"
	EngagementInUse        Code = "engagement_in_use"
	RequirementInUse       Code = "requirement_in_use"
	AlreadyEnrolled        Code = "already_enrolled"
	DomainNotAllowed       Code = "domain_not_allowed"
	OrgUnitMismatch        Code = "org_unit_mismatch"
	UserOutOfReach         Code = "user_out_of_reach"
	DuplicateSlug          Code = "duplicate_slug"
	DuplicateTerm          Code = "duplicate_term"
	TaxonomyCycle          Code = "taxonomy_cycle"
	TermMerged             Code = "term_merged"
	ExternalIDTaken        Code = "external_id_taken"
	QuestionInUse          Code = "question_in_use"
	EvaluationInUse        Code = "evaluation_in_use"
	PassageInUse           Code = "passage_in_use"
	LibraryInUse           Code = "library_in_use"
	TermsMissing           Code = "terms_missing"
	PackConflicts          Code = "pack_conflicts"
	PackDamaged            Code = "pack_damaged"
	PackTooNew             Code = "pack_too_new"
	PackUntrusted          Code = "pack_untrusted"
	QuestionInOtherPassage Code = "question_in_other_passage"
	NothingToPublish       Code = "nothing_to_publish"
	PublishBlocked         Code = "publish_blocked"
	NotPublished           Code = "not_published"
	Archived               Code = "archived"
	VersionImmutable       Code = "version_immutable"
	AssetInUse             Code = "asset_in_use"

	SessionNotOpen      Code = "session_not_open"
	SessionSuperseded   Code = "session_superseded"
	TooManyEvents       Code = "too_many_events"
	ItemLeft            Code = "item_left"
	SectionTimeOver     Code = "section_time_over"
	LockdownRequired    Code = "lockdown_required"
	NoTimeLimit         Code = "no_time_limit"
	RevisionMismatch    Code = "revision_mismatch"
	AttemptLimitReached Code = "attempt_limit_reached"
	CooloffActive       Code = "cooloff_active"

	ReviewNotRequired       Code = "review_not_required"
	AlreadyDecided          Code = "already_decided"
	NotDecided              Code = "not_decided"
	FourEyesRequired        Code = "four_eyes_required"
	ScoresPending           Code = "scores_pending"
	SubmissionVoided        Code = "submission_voided"
	EvidenceVoided          Code = "evidence_voided"
	DisputeOpen             Code = "dispute_open"
	RaiserRequired          Code = "raiser_required"
	RemediationNotDraft     Code = "remediation_not_draft"
	RemediationNotApplied   Code = "remediation_not_applied"
	RemediationUnderWay     Code = "remediation_under_way"
	DuplicateAssignment     Code = "duplicate_assignment"
	AssignmentNotOpen       Code = "assignment_not_open"
	AssignmentNotRedeemed   Code = "assignment_not_redeemed"
	GroupMembershipRequired Code = "group_membership_required"

	ImportInvalid Code = "import_invalid"

	HoldActive           Code = "hold_active"
	ArtifactExpired      Code = "artifact_expired"
	DSARCooldown         Code = "dsar_cooldown"
	ProcessingRestricted Code = "processing_restricted"
	HoldExists           Code = "hold_exists"
	HoldNotPlaced        Code = "hold_not_placed"
	ErasingUnderWay      Code = "erasing_under_way"
	SubjectErased        Code = "subject_erased"
	WrongRequestState    Code = "wrong_request_state"
	RequestExtended      Code = "request_extended"
	RequestOverdue       Code = "request_overdue"
	RequestOpen          Code = "request_open"
	RequestWaiting       Code = "request_waiting"
	RequestRequired      Code = "request_required"

	NotSequenced Code = "not_sequenced"

	URLNotAllowed   Code = "url_not_allowed"
	WebhookDisabled Code = "webhook_disabled"
)

// Entry describes one code: its HTTP status and one line of meaning. OpenAPI and the
// error page of the documentation are made from this list.
type Entry struct {
	Code    Code
	Status  int
	Meaning string
}

// Catalogue lists every code in the order of the documentation.
var Catalogue = []Entry{
	{MalformedRequest, http.StatusBadRequest, "The body cannot be parsed."},
	{ValidationFailed, http.StatusUnprocessableEntity, "The input is wrong; details.fields names every problem of form, or if there is none, of the rules."},
	{Unauthenticated, http.StatusUnauthorized, "The token is missing or invalid."},
	{TokenExpired, http.StatusUnauthorized, "The token has expired; sign in again."},
	{Forbidden, http.StatusForbidden, "A capability is missing; details.capability names it. Or a link asks for more than its glass box, or somebody else for that."},
	{StepUpRequired, http.StatusForbidden, "The call needs a valid step-up proof; details.methods lists the allowed ones, details.providers the identity providers at which the caller can step up."},
	{NotFound, http.StatusNotFound, "It does not exist, or it is outside the caller's scope."},
	{RouteNotFound, http.StatusNotFound, "There is no such route."},
	{MethodNotAllowed, http.StatusMethodNotAllowed, "The route exists, but not for this method."},
	{NotAcceptable, http.StatusNotAcceptable, "None of the accepted media types can be produced."},
	{PreconditionFailed, http.StatusPreconditionFailed, "The file is not the one that If-Match or If-Unmodified-Since asks for."},
	{RangeNotSatisfiable, http.StatusRequestedRangeNotSatisfiable, "The file has no such part; Content-Range says how long it is."},
	{UnsupportedMediaType, http.StatusUnsupportedMediaType, "The media type of the body is not supported."},
	{RequestTooLarge, http.StatusRequestEntityTooLarge, "The body is larger than the limit."},
	{RequestTimeout, http.StatusServiceUnavailable, "The operation took longer than the server allows; nothing was changed."},
	{RateLimited, http.StatusTooManyRequests, "Too many requests; Retry-After says when to try again."},
	{Internal, http.StatusInternalServerError, "Something went wrong on our side; the request id finds it in the log."},
	{DatabaseUnavailable, http.StatusServiceUnavailable, "The database cannot be reached just now; nothing was changed."},
	{DatabaseFull, http.StatusInsufficientStorage, "The database has no room left; nothing was changed."},
	{OutcomeUnknown, http.StatusServiceUnavailable, "The connection to the database was lost at the very end; the change may have been made. Send the same again, with the same Idempotency-Key."},
	{StorageFull, http.StatusInsufficientStorage, "The file store has no room left; nothing was changed."},
	{StorageUnavailable, http.StatusServiceUnavailable, "The file store cannot be reached just now; nothing was changed."},
	{FileDamaged, http.StatusInternalServerError, "The stored file is missing or no longer has the bytes that were stored."},
	{SnapshotDamaged, http.StatusInternalServerError, "The content of a published evaluation is no longer what its hash names: somebody changed it in the database."},
	{ShuttingDown, http.StatusServiceUnavailable, "The server is shutting down; another one will answer."},

	{IdempotencyKeyRequired, http.StatusBadRequest, "The route needs an Idempotency-Key header."},
	{IdempotencyKeyReused, http.StatusUnprocessableEntity, "The key was used before with another body."},
	{IdempotencyInProgress, http.StatusConflict, "The first request with this key is still running."},

	{Conflict, http.StatusConflict, "The change conflicts with the present state."},
	{StaleUpdate, http.StatusConflict, "Somebody changed it since it was read; details.updatedAt is the current value."},
	{DuplicateName, http.StatusConflict, "The name is taken."},

	{LinkInvalid, http.StatusUnauthorized, "The sign-in link is unknown, expired or already used."},
	{ProviderUnavailable, http.StatusServiceUnavailable, "The identity provider does not answer as it should; details.reason says how. Nothing was changed, and nobody is signed out."},
	{SignInRefused, http.StatusForbidden, "The sign-in with the identity provider is refused; details.reason says why."},
	{SignInExpired, http.StatusUnprocessableEntity, "This sign-in is over, was used before, or began in another browser; begin again."},
	{StepUpInsufficient, http.StatusForbidden, "The sign-in at the identity provider is no step-up; details.reason says why: acr, auth_time, or account for somebody else's."},
	{AccountLinkNeeded, http.StatusConflict, "Nobody has linked the account yet, and it is not linked by itself: the user with this address may do more than take exams or has another account of the provider already, or the learning platform is set so; they sign in in another way and link the account, or an administrator does."},
	{AccountTaken, http.StatusConflict, "The account belongs to somebody already."},
	{LTILaunchRefused, http.StatusForbidden, "The launch from the learning platform is refused; details.reason says why."},
	{LTIPlatformUnavailable, http.StatusServiceUnavailable, "The learning platform does not answer as it should; details.reason says how. Nothing was changed."},
	{DuplicatePlatform, http.StatusConflict, "The tenant has a learning platform of this issuer and client id."},
	{RoleProtected, http.StatusConflict, "System roles cannot be changed or deleted."},
	{RoleInUse, http.StatusConflict, "The role is still given to users."},
	{OrgUnitInUse, http.StatusConflict, "Something refers to the org unit; details count it by table."},
	{LastTenantAdmin, http.StatusConflict, "A tenant keeps at least one active Tenant Admin who belongs to an org unit."},
	{DuplicateEmail, http.StatusConflict, "A user with this e-mail address exists."},
	{GroupIsDynamic, http.StatusConflict, "A rule makes the members of this group; nobody is added, removed or let in by hand."},
	{GroupInUse, http.StatusConflict, "Something is assigned to the group."},
	{SubjectInUse, http.StatusConflict, "An engagement, an assignment or a schedule is about the subject."},
	{EngagementInUse, http.StatusConflict, "Something is assigned, or scheduled, for the engagement."},
	{RequirementInUse, http.StatusConflict, "The requirement has been worked on in the queue of exceptions; retire it instead."},
	{AlreadyEnrolled, http.StatusConflict, "The person is in already: a member of the group, or the assignment is redeemed."},
	{DomainNotAllowed, http.StatusForbidden, "The group does not take addresses of this domain."},
	{OrgUnitMismatch, http.StatusForbidden, "The group belongs to another org unit than the user."},
	{UserOutOfReach, http.StatusForbidden, "The user is in an org unit that the caller does not reach, or in none; the caller may only add them to org units of their own and take them out of these."},
	{DuplicateSlug, http.StatusConflict, "The slug is taken."},
	{DuplicateTerm, http.StatusConflict, "The facet has a term of this slug."},
	{TaxonomyCycle, http.StatusConflict, "A term cannot stand below itself."},
	{TermMerged, http.StatusConflict, "The term was merged into another one; details.mergedInto names it."},
	{ExternalIDTaken, http.StatusConflict, "The external id is taken."},
	{QuestionInUse, http.StatusConflict, "The question is referenced; it was archived instead."},
	{EvaluationInUse, http.StatusConflict, "The evaluation is in use; it was archived instead."},
	{PassageInUse, http.StatusConflict, "Questions pin the passage or evaluations show it; it was archived instead."},
	{QuestionInOtherPassage, http.StatusConflict, "A question belongs to at most one passage; details.questionIds names those of another one."},
	{LibraryInUse, http.StatusConflict, "The library has published revisions; it was archived instead."},
	{TermsMissing, http.StatusConflict, "The tenant lacks terms that the pack names; details list them."},
	{PackConflicts, http.StatusConflict, "The org unit changed records that the pack changed, too; details list them."},
	{PackDamaged, http.StatusUnprocessableEntity, "The file is no content pack, or not as it was written."},
	{PackTooNew, http.StatusUnprocessableEntity, "The pack was written in a format that this version does not know."},
	{PackUntrusted, http.StatusConflict, "The pack was signed with a key that the tenant does not trust; details name it."},
	{NothingToPublish, http.StatusConflict, "There is no draft to publish."},
	{PublishBlocked, http.StatusUnprocessableEntity, "The draft cannot be published; details.fields lists every problem."},
	{NotPublished, http.StatusConflict, "There is no published version."},
	{Archived, http.StatusConflict, "It is archived; restore it first."},
	{VersionImmutable, http.StatusConflict, "Published versions never change."},
	{AssetInUse, http.StatusConflict, "Content refers to the asset; details count the versions that do."},

	{SessionNotOpen, http.StatusConflict, "The session is not open; nothing was saved."},
	{TooManyEvents, http.StatusConflict, "The session has as many events as are kept of one, details.most; none of these was kept."},
	{SessionSuperseded, http.StatusConflict, "Another device has taken the session over; nothing was saved. details.view is the newest view."},
	{ItemLeft, http.StatusConflict, "Navigation is linear, and answers after this item were saved; nothing was saved. details.itemIds names such items."},
	{SectionTimeOver, http.StatusConflict, "The time of the section is over; nothing was saved. details.sectionIds names such sections."},
	{LockdownRequired, http.StatusForbidden, "The session is for a client that is locked, or for Safe Exam Browser; nothing was changed. details.missing says what this one lacks, the message says it in words."},
	{NoTimeLimit, http.StatusConflict, "The session has no time limit to extend."},
	{RevisionMismatch, http.StatusConflict, "The server holds another revision; details.revision names it."},
	{AttemptLimitReached, http.StatusUnprocessableEntity, "The attempts allowed for this evaluation are used up."},
	{CooloffActive, http.StatusUnprocessableEntity, "The next attempt is not allowed yet; details.availableAt says when."},

	{ReviewNotRequired, http.StatusConflict, "The evaluation asks for no review."},
	{AlreadyDecided, http.StatusConflict, "It was decided before; details.approval_status or details.state says how."},
	{NotDecided, http.StatusConflict, "Nothing has been decided about the submission yet."},
	{FourEyesRequired, http.StatusForbidden, "Whoever took the submission, acted for the person, changed its scores or raised the matter cannot decide about it; and nobody changes the terms of their own exam."},
	{ScoresPending, http.StatusConflict, "An item that counts waits for a person to score it; details.itemIds names such items."},
	{SubmissionVoided, http.StatusConflict, "The submission is voided."},
	{EvidenceVoided, http.StatusConflict, "The evidence is voided already."},
	{RaiserRequired, http.StatusForbidden, "Only whoever raised the dispute, or the person whose submission it is, withdraws it."},
	{DisputeOpen, http.StatusConflict, "The same person has an open dispute about the submission."},
	{RemediationNotDraft, http.StatusConflict, "The remediation was applied before, so it can no longer be changed or deleted."},
	{RemediationNotApplied, http.StatusConflict, "The remediation is a draft; there is nothing to take back."},
	{RemediationUnderWay, http.StatusConflict, "The remediation is being applied or reverted."},
	{DuplicateAssignment, http.StatusConflict, "The target has this assignment already; details.targets gives the places of such targets."},
	{AssignmentNotOpen, http.StatusConflict, "The assignment is closed, or this is not its time."},
	{AssignmentNotRedeemed, http.StatusConflict, "A public link must be redeemed by its token before a session starts under it."},
	{GroupMembershipRequired, http.StatusForbidden, "Only current members of the group can take the assignment."},

	{ImportInvalid, http.StatusUnprocessableEntity, "The file has errors; details.fields lists them and nothing was written."},

	{HoldActive, http.StatusForbidden, "A hold forbids to erase it; nothing was changed."},
	{DSARCooldown, http.StatusTooManyRequests, "An export of this person was asked for a moment ago; Retry-After says when the next one may be, and force asks for it now."},
	{ArtifactExpired, http.StatusGone, "The file of the job is no longer kept; ask for a new one."},
	{ProcessingRestricted, http.StatusForbidden, "The processing of the person's data is restricted; nothing was done."},
	{HoldExists, http.StatusConflict, "The same hold stands already, for the same reason."},
	{HoldNotPlaced, http.StatusConflict, "No such hold stands; there is nothing to lift."},
	{ErasingUnderWay, http.StatusConflict, "The person's data are being erased; a hold comes too late."},
	{SubjectErased, http.StatusConflict, "The person's data are being erased, or were; nothing more is written about them."},
	{WrongRequestState, http.StatusConflict, "The request of the person is in a state in which this cannot be done."},
	{RequestExtended, http.StatusConflict, "The time for the answer was extended before; that can be done once."},
	{RequestOverdue, http.StatusConflict, "The time for the answer is over; it can be extended no more."},
	{RequestOpen, http.StatusConflict, "You have an open request of this kind."},
	{RequestWaiting, http.StatusConflict, "The days that the tenant has set between decision and erasure are not over."},
	{RequestRequired, http.StatusConflict, "The tenant has rules for erasures: record a request, and carry that out."},

	{NotSequenced, http.StatusConflict, "The log does not have it yet; the next checkpoint will, within a minute."},

	{URLNotAllowed, http.StatusUnprocessableEntity, "The service does not call this address: https, port 443, no user name in it, and no network of its own."},
	{WebhookDisabled, http.StatusConflict, "The endpoint is paused or disabled; make it active first."},
}

var byCode = func() map[Code]Entry {
	m := make(map[Code]Entry, len(Catalogue))
	for _, e := range Catalogue {
		m[e.Code] = e
	}
	return m
}()

// Status gives the HTTP status of a code; 500 for one that is not in the catalogue.
func Status(c Code) int {
	if e, ok := byCode[c]; ok {
		return e.Status
	}
	return http.StatusInternalServerError
}

// Meaning gives the one-line meaning of a code.
func Meaning(c Code) string { return byCode[c].Meaning }
