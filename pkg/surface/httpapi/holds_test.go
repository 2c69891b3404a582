package httpapi_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/config"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/hold"
	"assess/pkg/surface/httpapi"
	"assess/pkg/trust/centre"
	"assess/pkg/trust/compliance"
)

// manner is what a route does when there is a hold against the person it is about.
type manner struct {
	// restricted and held are its answers under a processing restriction and under a legal hold, as the
	// page for officers has them; empty where it goes on.
	restricted, held string
	routes           string
}

const (
	refusesUse     = "`processing_restricted`"
	refusesErasing = "`hold_active`"
	namesTheRow    = "the row has the problem `processing_restricted`"
	endsBlocked    = "202; the job ends `blocked` with `hold_active`"
	withoutName    = "without name and address"
	leftOut        = "the file has no line of the person"
	withoutExport  = "the pack has no export of the data; the job is `partial`"
)

// manners has every route that needs a token. Anyone who adds one says here what it does: starting, handing out,
// inviting, and showing by name call hold.Use; erasing calls hold.Erase.
var manners = []manner{
	{refusesUse, "", `startSession redeemAssignment redeemAssignmentToken createAssignment createSchedule inviteToAssignment
		sessionAttempt exportSessionAttempt createGlassBoxLink
		viewGlassBox exportGlassBox readGlassBoxFile viewGlassBoxAlias exportGlassBoxAlias readGlassBoxFileAlias
		getSkillsProfile listSkillEvidence`},
	{namesTheRow, "", "previewAssignments commitAssignments"},
	{withoutName, "", "monitorAssignment exportResults listSessionAttempts"},
	{leftOut, "", "exportUsers exportAssignments"},
	{refusesErasing, refusesErasing, "voidEvidence"},
	{endsBlocked, endsBlocked, "forgetPerson"},
	{withoutExport, "", "packPerson"},
	// About a person, and it goes on: signing in, one's own record, the directory, an open session, judging existing
	// submissions, and the work of officers.
	{"", "", `refreshToken stepUp linkMyAccount findName getMe listUsers createUser getUser updateUser deactivateUser reactivateUser grantRole revokeRole listUserSubmissions
		listAccounts linkAccount unlinkAccount
		previewUsers commitUsers listMembers addMembers removeMember joinGroup previewGroup
		listOwnAssignments listOwnSubmissions
		listAssignments getAssignment updateAssignment rotateAssignmentToken overrideAssignment listSchedules getSchedule updateSchedule deleteSchedule
		listSessions getSession saveAnswers recordEvents submitSession resumeSession startSection probeLockdown getAssignmentSEB getSessionAsset closeSession extendSession
		listEvaluationSubmissions listWaitingSubmissions getSubmission listDecisions approveSubmission rejectSubmission requestChanges reopenSubmission
		voidSubmission hashSubmission scoreItem listScoreVersions proveSubmission
		listEvidence attachEvidence getEvidence getEvidenceContent verifyEvidence setEvidenceTier listFindings detectFinding getFinding
		listClaims raiseClaim getClaim upholdClaim rejectClaim withdrawClaim listDisputes raiseDispute getDispute upholdDispute rejectDispute withdrawDispute
		listRemediations createRemediation getRemediation updateRemediation deleteRemediation previewRemediation applyRemediation revertRemediation
		listComplianceJobs createComplianceJob getComplianceJob getComplianceArtifact listComplianceLedger exportPerson unlinkPerson
		restrictPerson listHolds sweepRetention listRetentionIncidents
		listRequests recordRequest getRequest nameRequestSubject askIdentity verifyRequest extendRequest decideRequest answerRequest withdrawRequest
		carryOutRequest addRequestNote listRequestNotes getRequestRules setRequestRules
		listLetterTemplates setLetterTemplate sendLetter readLetter listRecipientTasks acknowledgeTask remindRecipient giveUpTask
		placeHolds liftHolds reviewHold listResidueFindings decideResidueFinding
		listOwnRequests askRequest getOwnRequest withdrawOwnRequest contestRequest
		listReportedFindings listExceptions refreshExceptions getExceptionsRefresh getException triageException triageExceptions
		listGlassBoxLinks revokeGlassBoxLinks revokeGlassBoxLink listLTIScores retryLTIScore syncCourse`},
	// About nobody: content, settings, figures that name nobody.
	{"", "", `listPlatforms createPlatform getPlatform updatePlatform createRegistration rotateLTIKey listDeployments allowDeployment blockDeployment
		listCourses listLinks updateLink listWebhooks createWebhook getWebhook updateWebhook deleteWebhook testWebhook rotateWebhookSecret listWebhookDeliveries redeliverWebhook
		replayWebhook listCapabilities listRoles createRole updateRole deleteRole listOrgUnits listGroups createGroup getGroup updateGroup deleteGroup
		rotateJoinToken dropJoinToken
		listIdentityProviders createIdentityProvider getIdentityProvider updateIdentityProvider disableIdentityProvider setIdentityProviderSecret
		testIdentityProvider makeIdentityProviderKey listRecipients createRecipient getRecipient updateRecipient endRecipient
		getRecordOfProcessing exportRecordOfProcessing setLegalBasis
		getRetentionPolicies setRetentionPolicies listRetentionVersions forecastRetention getVerificationPolicies setVerificationPolicies
		listFacets createFacet getFacet updateFacet listTerms createTerm getTerm updateTerm listTermChildren listTermAncestors retireTerm restoreTerm
		listTermUses mergeTerm getQuestionTerms setQuestionTerms getEvaluationTerms setEvaluationTerms
		listQuestions createQuestion getQuestion listQuestionVersions getQuestionVersion updateQuestion createQuestionVersion publishQuestion questionUsage
		archiveQuestion restoreQuestion deleteQuestion bulkQuestions exportQuestions previewQuestionExport listQuestionViews createQuestionView getQuestionView
		updateQuestionView deleteQuestionView previewQuestions commitQuestions
		listPassages createPassage exportPassages previewPassages commitPassages getPassage updatePassage createPassageVersion publishPassage
		listPassageVersions getPassageVersion getPassageQuestions setPassageQuestions passageUsage archivePassage restorePassage deletePassage
		listEvaluations createEvaluation getEvaluation updateEvaluation createEvaluationVersion publishEvaluation evaluationUsage archiveEvaluation
		restoreEvaluation deleteEvaluation bulkEvaluations listEvaluationVersions getEvaluationVersion configureFeedback previewEvaluation
		exportEvaluations previewEvaluationExport listEvaluationViews createEvaluationView getEvaluationView updateEvaluationView deleteEvaluationView previewEvaluations
		commitEvaluations
		listSkillFrameworks createSkillFramework getSkillFramework updateSkillFramework
		previewSkills commitSkills exportSkillPackage exportSkills
		listSkills createSkill getSkill updateSkill publishSkill listSkillVersions
		listMappingSets createMappingSet getMappingSet updateMappingSet listMappingVersions draftMapping
		getMappingVersion setMappingRules dropMappingDraft validateMapping publishMapping
		listMappingSetsAlias createMappingSetAlias getMappingSetAlias updateMappingSetAlias listMappingVersionsAlias draftMappingAlias
		getMappingVersionAlias setMappingRulesAlias dropMappingDraftAlias validateMappingAlias publishMappingAlias
		skillsOverview listSkillSources competencyCoverage recalculateSkills getSkillJob previewMapping previewMappingAlias
		resolveSkills resolveSkillsAlias
		listLibraries createLibrary getLibrary updateLibrary deleteLibrary addLibraryItem updateLibraryItem removeLibraryItem publishLibrary
		listRevisions getRevision diffRevisions installRevision uninstallLibrary getLineage
		listAssets uploadAsset getAsset getAssetContent uploadAssetVersion deleteAsset getLocales setLocales
		listSubjects exportSubjects createSubject getSubject updateSubject deleteSubject previewSubjects commitSubjects listEngagements createEngagement getEngagement
		updateEngagement deleteEngagement listRequirements createRequirement getRequirement updateRequirement deleteRequirement previewSchedule
		ledgerCheckpoint listLedgerKeys proveEvent proveConsistency
		createReportLink listReportLinks revokeReportLink listReportedEvaluations evaluationSummary exportEvaluationSummary evaluationSummaryGroups exportEvaluationSummaryGroups evaluationSummaryCohorts
		exportEvaluationSummaryCohorts listQuestionHealth exportQuestionHealth questionHealth queueProjection recomputePercentiles listReportJobs getReportJob
		listEngagementExceptions triageEngagement listRequirementExceptions triageRequirement`},
}

func mannerOf(t *testing.T, l httpapi.Line) manner {
	t.Helper()
	var found []manner
	for _, m := range manners {
		for route := range strings.FieldsSeq(m.routes) {
			if route == l.ID {
				found = append(found, m)
			}
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s (%s %s) stands in manners %d times: say there, once, what it does where the person whom it is about is restricted or held",
			l.ID, l.Method, l.Path, len(found))
	}
	return found[0]
}

// Every route, where everybody is restricted and where everybody is held, behaves as in manners.
func TestRoutesObeyHolds(t *testing.T) {
	t.Parallel()
	for _, kind := range hold.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newTown(t)
			w.app.Project(t)
			w.app.Sequence(t)
			w.holdEverybody(t, kind)
			guarded(t, w, all, func(t *testing.T, l httpapi.Line, r request) {
				m := mannerOf(t, l)
				said := m.restricted
				if kind == hold.Legal {
					said = m.held
				}
				w.obeys(t, l, said, w.send(t, r))
			})
		})
	}
}

// holdEverybody places a hold on each person of the tenant.
func (w *town) holdEverybody(t *testing.T, kind string) {
	t.Helper()
	reason := map[string]string{hold.Processing: "objection_pending", hold.Legal: "investigation"}[kind]
	as := w.app.Scope
	as.All = true
	err := w.app.Store.Write(t.Context(), as, func(tx *db.Tx) error {
		rows, err := tx.Query(t.Context(), "select id from users where tenant_id = $1", tx.Tenant())
		if err != nil {
			return err
		}
		people, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
		for _, one := range people {
			if err == nil {
				_, err = hold.Place(t.Context(), tx, hold.Input{SubjectID: one, Terms: hold.Terms{Kind: kind, ReasonCode: reason}})
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (w *town) obeys(t *testing.T, l httpapi.Line, said string, got response) {
	t.Helper()
	switch said {
	case refusesUse:
		want(t, got, 403, errs.ProcessingRestricted)
	case refusesErasing:
		want(t, got, 403, errs.HoldActive)
	case namesTheRow:
		if !strings.Contains(string(got.body), `"processing_restricted"`) {
			t.Errorf("got %d %s", got.status, got.body)
		}
	case withoutName:
		if got.status != 200 || strings.Contains(string(got.body), "@") || !strings.Contains(string(got.body), w.home.Actor.String()) {
			t.Errorf("got %d %s", got.status, got.body)
		}
	case leftOut:
		if got.status != 200 || len(w.restrictedIn(t, got.body)) > 0 {
			t.Errorf("got %d %s", got.status, got.body)
		}
	case endsBlocked:
		if done := w.ended(t, got); done.Status != "blocked" || db.OrZero(done.BlockedReason) != string(errs.HoldActive) {
			t.Errorf("the job ended as %+v", done)
		}
	case withoutExport:
		if done := w.ended(t, got); done.Status != "completed" || !done.Partial || len(done.ArtifactRefs) != 1 || done.Counts["artifacts"] != 0 {
			t.Errorf("the job ended as %+v", done)
		}
	default:
		if got.status >= 300 && !refusedByData[l.ID] {
			t.Errorf("got %d %s, and it ought to go on", got.status, got.body)
		}
	}
}

// restrictedIn gives the addresses of restricted persons that are in a file.
func (w *town) restrictedIn(t *testing.T, file []byte) []string {
	t.Helper()
	var found []string
	err := w.app.Store.Read(t.Context(), w.app.Scope, func(tx *db.Tx) error {
		rows, err := tx.Query(t.Context(), "select email from users where tenant_id = $1 and restricted and position(email in $2) > 0", tx.Tenant(), string(file))
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// ended brings the job of an answer to its end.
func (w *town) ended(t *testing.T, got response) compliance.Job {
	t.Helper()
	var job compliance.Job
	if err := json.Unmarshal(got.body, &job); err != nil || got.status != 202 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	c := config.Default()
	c.Auth.KeySecret = sample.KeySecret
	done, err := centre.New(w.app.Store, w.app.Blobs, c).Work(t.Context(), w.app.Scope.Tenant, job.ID, nil)
	if err != nil {
		t.Error(err)
	}
	return done
}

// A restricted person still reads their own report.
func TestARestrictedPersonReadsTheirOwnReport(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.app.Project(t)
	w.holdEverybody(t, hold.Processing)
	for _, path := range []string{"", "/export"} {
		got := w.send(t, request{method: http.MethodGet, path: "/reporting/session-attempts/" + w.home.OwnSubmission.String() + path, token: w.home.Token})
		if got.status != 200 {
			t.Errorf("%s: got %d %s", path, got.status, got.body)
		}
	}
}

// The page for officers has every route that does not go on.
func TestThePageForOfficersHasTheRoutesThatObeyHolds(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/compliance.md")
	if err != nil {
		t.Fatal(err)
	}
	table := "| route | under a processing restriction | under a legal hold |\n|---|---|---|\n"
	for _, l := range httpapi.Lines() {
		if l.Public {
			continue
		}
		m := mannerOf(t, l)
		if m.restricted+m.held == "" {
			continue
		}
		held := m.held
		if held == "" {
			held = "goes on"
		}
		table += "| `" + l.Method + " " + l.Path + "` | " + m.restricted + " | " + held + " |\n"
	}
	if !strings.Contains(string(page), table) {
		t.Errorf("docs/compliance.md must have this table:\n%s", table)
	}
}
