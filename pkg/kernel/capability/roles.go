package capability

import "slices"

// SystemRole is a role that every tenant has and nobody can change or delete.
type SystemRole struct {
	Key          string
	Name         string
	Capabilities []Capability
}

// The keys of the system roles.
const (
	TenantAdmin       = "tenant_admin"
	OrgAdmin          = "org_admin"
	Author            = "author"
	Reviewer          = "reviewer"
	Proctor           = "proctor"
	Analyst           = "analyst"
	NamedAnalyst      = "named_analyst"
	ComplianceOfficer = "compliance_officer"
	Candidate         = "candidate"
	BillingAdmin      = "billing_admin"
)

// SystemRoles are seeded into every tenant (decisions, section 2).
var SystemRoles = []SystemRole{
	{TenantAdmin, "Tenant Admin", allBut(BillingManage)},
	{OrgAdmin, "Org Admin", allBut(BillingManage, ScopeAll, RolesManage, ComplianceManage, PoliciesManage, IntegrationsRead, IntegrationsManage)},
	{Author, "Author", []Capability{TaxonomyRead, TaxonomyManage, QuestionsRead, QuestionsWrite, EvaluationsRead,
		EvaluationsWrite, MediaManage, LocalesManage, ReportingView, PacksManage, SkillsRead, SkillsManage, SkillsMapping, SkillsTaxonomy}},
	{Reviewer, "Reviewer", []Capability{QuestionsRead, EvaluationsRead, SubmissionsRead, SubmissionsReview, EvidenceRead,
		ExceptionsRead, ExceptionsTriage, ReportingView}},
	{Proctor, "Proctor", []Capability{EvaluationsRead, UsersRead, SessionsProctor, SessionsTake, AssignmentsMonitor,
		AssignmentsOverride, EvidenceManage}},
	{Analyst, "Analyst", []Capability{ReportingView, SkillsRead}},
	{NamedAnalyst, "Named Analyst", []Capability{ReportingView, ReportingViewNamed, SkillsRead}},
	{ComplianceOfficer, "Compliance Officer", []Capability{ComplianceRead, ComplianceManage, PoliciesManage, UsersRead, ScopeAll}},
	{Candidate, "Candidate", []Capability{SessionsTake, GroupsJoin}},
	{BillingAdmin, "Billing Admin", []Capability{BillingManage}},
}

func allBut(left ...Capability) []Capability {
	var out []Capability
	for _, e := range All {
		if !slices.Contains(left, e.Capability) {
			out = append(out, e.Capability)
		}
	}
	return out
}
