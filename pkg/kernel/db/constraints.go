package db

import (
	"context"
	"errors"
	"net"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"assess/pkg/kernel/errs"
)

// constraintCodes gives each constraint that a user can run into its error code, so that
// a race which the code did not foresee is still a clear answer.
var constraintCodes = map[string]errs.Code{
	"compliance_requests_own":            errs.RequestOpen,
	"data_recipients_named":              errs.DuplicateName,
	"tenants_slug_key":                   errs.DuplicateSlug,
	"org_units_slug":                     errs.DuplicateSlug,
	"users_email":                        errs.DuplicateEmail,
	"user_accounts_subject":              errs.AccountTaken,
	"identity_providers_slug":            errs.DuplicateSlug,
	"lti_platforms_client":               errs.DuplicatePlatform,
	"roles_name":                         errs.DuplicateName,
	"user_roles_role":                    errs.RoleInUse,
	"groups_name":                        errs.DuplicateName,
	"group_members_org_unit":             errs.OrgUnitMismatch,
	"facets_slug":                        errs.DuplicateSlug,
	"terms_slug":                         errs.DuplicateTerm,
	"questions_external_id":              errs.ExternalIDTaken,
	"evaluations_external_id":            errs.ExternalIDTaken,
	"assignments_target":                 errs.DuplicateAssignment,
	"subjects_external_id":               errs.ExternalIDTaken,
	"engagements_external_id":            errs.ExternalIDTaken,
	"programme_requirements_external_id": errs.ExternalIDTaken,
	"asset_versions_blob":                errs.StorageUnavailable,
	"evidence_blob":                      errs.StorageUnavailable,
	"submission_cases_one_dispute":       errs.DisputeOpen,
	"evaluation_items_question":          errs.QuestionInUse,
	"passages_external_id":               errs.ExternalIDTaken,
	"passage_questions_one_passage":      errs.QuestionInOtherPassage,
	"evaluation_items_passage":           errs.PassageInUse,
	"question_versions_passage":          errs.PassageInUse,
	"inventory_views_personal":           errs.DuplicateName,
	"inventory_views_shared":             errs.DuplicateName,
}

const (
	lockTimeout      = "55P03"
	queryCanceled    = "57014"
	versionImmutable = "AS001"
	retryAfter       = 2 * time.Second
)

// Translate gives an error of PostgreSQL or of the connection its code. Errors that
// already have one pass unchanged.
func Translate(err error) error {
	var own *errs.Error
	var pe *pgconn.PgError
	switch {
	case err == nil, errors.As(err, &own):
		return err
	case errors.Is(err, pgx.ErrNoRows):
		return errs.Wrap(errs.NotFound, err, "There is no such record in your scope.")
	case errors.As(err, &pe):
		return translatePg(pe, err)
	case errors.Is(err, context.DeadlineExceeded):
		return errs.Wrap(errs.RequestTimeout, err, "The operation took too long and was not carried out.").After(retryAfter)
	case errors.Is(err, context.Canceled):
		return err
	case connectionLost(err):
		return unavailable(err)
	}
	return err
}

// ofShard is a constraint in the message of a node, which names it nowhere else, and adds the number of the shard.
var ofShard = regexp.MustCompile(`constraint "([^"]+)_[0-9]{6,}"`)

func constraint(pe *pgconn.PgError) string {
	if pe.ConstraintName != "" {
		return pe.ConstraintName
	}
	if found := ofShard.FindStringSubmatch(pe.Message); found != nil {
		return found[1]
	}
	return ""
}

func translatePg(pe *pgconn.PgError, err error) error {
	code, known := constraintCodes[constraint(pe)]
	switch {
	case known:
		return errs.Wrap(code, err, "%s", errs.Meaning(code))
	case pe.Code == versionImmutable:
		return errs.Wrap(errs.VersionImmutable, err, "Published versions never change.")
	case pe.Code == "53100":
		return errs.Wrap(errs.DatabaseFull, err, "The database has no room left; nothing was changed.").After(30 * time.Second)
	case pe.Code == queryCanceled, pe.Code == lockTimeout:
		return errs.Wrap(errs.RequestTimeout, err, "The operation took too long and was not carried out.").After(retryAfter)
	case pe.Code == "22021", pe.Code == "22P05":
		return errs.Wrap(errs.ValidationFailed, err, "The input holds a character that cannot be stored, such as NUL.")
	case strings.HasPrefix(pe.Code, "08"), strings.HasPrefix(pe.Code, "57P"), pe.Code == "53300", lostNode(pe), lostHandingOn(pe):
		return unavailable(err)
	}
	return err
}

// loss is Citus's message under the code of internal errors when a node goes away at work.
var loss = regexp.MustCompile(`^(failure on connection marked as essential|could not commit transaction|server closed the connection|terminating connection|connection not open|could not (send|receive) data|postmaster was shut down)`)

// unreached is in what Citus says of a node that takes no connection.
var unreached = regexp.MustCompile(`error: (connection to server |FATAL:  the database system is )`)

// lostNode says that a node of a cluster was lost after it was given work. One that cannot be reached to begin with was
// given none.
func lostNode(pe *pgconn.PgError) bool {
	switch {
	case pe.SeverityUnlocalized != "ERROR":
		return false
	case strings.HasPrefix(pe.Code, "08"):
		return !unreached.MatchString(pe.Message)
	}
	return strings.HasPrefix(pe.Code, "57P") || pe.Code == "XX000" && loss.MatchString(pe.Message)
}

// lostHandingOn says that a node went away while it got rows that a later part of the statement was to read.
func lostHandingOn(pe *pgconn.PgError) bool {
	return pe.Code == "58030" && (strings.HasPrefix(pe.Message, "failed to COPY to shard") || strings.HasPrefix(pe.Message, "failed to complete COPY on"))
}

func connectionLost(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) || pgconn.SafeToRetry(err) ||
		strings.Contains(err.Error(), "conn closed") || strings.Contains(err.Error(), "unexpected EOF") ||
		strings.Contains(err.Error(), "closed pool")
}

func unavailable(err error) error {
	return errs.Wrap(errs.DatabaseUnavailable, err, "The database cannot be reached just now; nothing was changed.").After(retryAfter)
}

func notFound(what string) error {
	return errs.New(errs.NotFound, "There is no such %s in your scope.", what)
}
