// Package capability lists what a caller may be allowed to do (specification,
// section 5; decisions, section 2) and the system roles that every tenant has.
package capability

import "slices"

// Capability is one atomic permission, "noun.verb".
type Capability string

// The capabilities.
const (
	ReportingView       Capability = "reporting.view"
	ReportingViewNamed  Capability = "reporting.view_named"
	TaxonomyRead        Capability = "taxonomy.read"
	TaxonomyManage      Capability = "taxonomy.manage"
	QuestionsRead       Capability = "questions.read"
	QuestionsWrite      Capability = "questions.write"
	EvaluationsRead     Capability = "evaluations.read"
	EvaluationsWrite    Capability = "evaluations.write"
	MediaManage         Capability = "media.manage"
	LocalesManage       Capability = "locales.manage"
	UsersRead           Capability = "users.read"
	UsersManage         Capability = "users.manage"
	UsersImport         Capability = "users.import"
	GroupsManage        Capability = "groups.manage"
	GroupsView          Capability = "groups.view"
	GroupsJoin          Capability = "groups.join"
	AssignmentsCreate   Capability = "assignments.create"
	AssignmentsMonitor  Capability = "assignments.monitor"
	AssignmentsManage   Capability = "assignments.manage"
	AssignmentsOverride Capability = "assignments.override"
	SessionsProctor     Capability = "sessions.proctor"
	SessionsTake        Capability = "sessions.take"
	SubmissionsRead     Capability = "submissions.read"
	SubmissionsReview   Capability = "submissions.review"
	SubmissionsVoid     Capability = "submissions.void"
	RemediationsManage  Capability = "remediations.manage"
	EvidenceRead        Capability = "evidence.read"
	EvidenceManage      Capability = "evidence.manage"
	ExceptionsRead      Capability = "exceptions.read"
	ExceptionsTriage    Capability = "exceptions.triage"
	ComplianceRead      Capability = "compliance.read"
	ComplianceManage    Capability = "compliance.manage"
	RolesManage         Capability = "roles.manage"
	SubjectsManage      Capability = "subjects.manage"
	PoliciesManage      Capability = "policies.manage"
	PacksManage         Capability = "packs.manage"
	BillingManage       Capability = "billing.manage"
	IntegrationsRead    Capability = "integrations.read"
	IntegrationsManage  Capability = "integrations.manage"
	ScopeAll            Capability = "scope.all"
	SkillsRead          Capability = "skills.read"
	SkillsManage        Capability = "skills.manage"
	SkillsMapping       Capability = "skills.mapping.manage"
	SkillsTaxonomy      Capability = "skills.taxonomy.manage"
)

// Entry describes one capability for people who compose roles.
type Entry struct {
	Capability  Capability `json:"capability"`
	Description string     `json:"description"`
}

// All lists every capability with its meaning.
var All = []Entry{
	{ReportingView, "See reports without names"},
	{ReportingViewNamed, "See names and e-mail addresses in reports, run report maintenance"},
	{TaxonomyRead, "Read facets and terms"},
	{TaxonomyManage, "Change facets and terms"},
	{QuestionsRead, "Read questions"},
	{QuestionsWrite, "Create, change and publish questions"},
	{EvaluationsRead, "Read evaluations"},
	{EvaluationsWrite, "Create, change and publish evaluations"},
	{MediaManage, "Upload and version media"},
	{LocalesManage, "Choose the languages of the tenant"},
	{UsersRead, "Read users"},
	{UsersManage, "Create, change and deactivate users, give and take roles"},
	{UsersImport, "Import users"},
	{GroupsManage, "Create and change groups"},
	{GroupsView, "See groups and their members"},
	{GroupsJoin, "Join a group by its token"},
	{AssignmentsCreate, "Hand out evaluations"},
	{AssignmentsMonitor, "Watch the progress of assignments"},
	{AssignmentsManage, "Change and close assignments"},
	{AssignmentsOverride, "Give more time, more attempts or another window"},
	{SessionsProctor, "Run sessions for others"},
	{SessionsTake, "Take evaluations"},
	{SubmissionsRead, "Read submissions"},
	{SubmissionsReview, "Approve, reject and reopen submissions"},
	{SubmissionsVoid, "Void submissions"},
	{RemediationsManage, "Correct scores"},
	{EvidenceRead, "Read evidence"},
	{EvidenceManage, "Add and void evidence"},
	{ExceptionsRead, "See the exceptions queue"},
	{ExceptionsTriage, "Work on the exceptions queue"},
	{ComplianceRead, "See compliance jobs and the compliance ledger"},
	{ComplianceManage, "Start compliance jobs"},
	{RolesManage, "Create, change and delete roles"},
	{SubjectsManage, "Manage subjects, engagements and programme requirements"},
	{PoliciesManage, "Manage verification and retention policies"},
	{PacksManage, "Publish and install content packs"},
	{BillingManage, "Manage billing"},
	{IntegrationsRead, "See what the tenant is connected with: identity providers, webhooks"},
	{IntegrationsManage, "Connect the tenant with identity providers, and tell other systems what happens"},
	{ScopeAll, "Reach every org unit of the tenant"},
	{SkillsRead, "Read skills and profiles"},
	{SkillsManage, "Change skills"},
	{SkillsMapping, "Change skill mappings"},
	{SkillsTaxonomy, "Change the skills taxonomy"},
}

// Known says whether a capability exists.
func Known(c Capability) bool {
	return slices.ContainsFunc(All, func(e Entry) bool { return e.Capability == c })
}

// Set is a set of capabilities.
type Set map[Capability]struct{}

// NewSet makes a set.
func NewSet(cs ...Capability) Set {
	s := make(Set, len(cs))
	for _, c := range cs {
		s[c] = struct{}{}
	}
	return s
}

// Has says whether the set holds a capability.
func (s Set) Has(c Capability) bool {
	_, ok := s[c]
	return ok
}
