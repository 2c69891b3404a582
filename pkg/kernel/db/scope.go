package db

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Scope says who a transaction runs for and what it may see. The zero value sees nothing.
type Scope struct {
	Tenant  ids.ID
	OrgUnit ids.ID
	// All widens the scope to every org unit of the tenant (scope_all).
	All          bool
	Actor        Actor
	Capabilities capability.Set
	// Proof is the step-up proof that came with the call, if any, and Context what the caller
	// said of the circumstances (package policy).
	Proof     ids.ID
	Context   *Context
	RequestID string
}

// Context has the caller's statements about the circumstances of a protected call.
type Context struct {
	Kind   string            `json:"kind"`
	Fields map[string]string `json:"fields"`
}

// ActorKind tells who acts.
type ActorKind string

// The kinds of actors. An operator sits at the command line and has every capability;
// the system is one of our own jobs. A link has no account: its holder reads one record.
const (
	UserActor     ActorKind = "user"
	LinkActor     ActorKind = "link"
	OperatorActor ActorKind = "operator"
	SystemActor   ActorKind = "system"
)

// Actor is who acts: a user or a link by id, an operator or a job by name.
type Actor struct {
	Kind ActorKind
	ID   ids.ID
	Name string
}

// String gives the form that is stored: "user:<id>", "link:<id>", "operator:<name>", "system:<job>".
func (a Actor) String() string {
	if a.Kind == UserActor || a.Kind == LinkActor {
		return string(a.Kind) + ":" + a.ID.String()
	}
	return string(a.Kind) + ":" + a.Name
}

// Operator gives the actor at the command line. The ledger keeps its name for ever, so it is a login of a short
// alphabet, or the id of a user, and never what a person is called. Errors: validation_failed.
func Operator(login string) (Actor, error) {
	a := Actor{Kind: OperatorActor, Name: login}
	return a, a.check()
}

// check refuses what must not get into the ledger.
func (a Actor) check() error {
	if a.Kind == OperatorActor && !login.MatchString(a.Name) {
		return errs.Invalid(errs.Field{Path: "actor", Code: "invalid",
			Message: "an operator is a login of 1 to 36 small letters, digits, dots, underscores and hyphens, because the ledger keeps it for ever"})
	}
	return nil
}

var login = regexp.MustCompile(`^[a-z0-9_][a-z0-9._-]{0,35}$`)

// Is says whether the actor is this user. Operators and jobs are nobody.
func (a Actor) Is(user ids.ID) bool { return a.Kind == UserActor && a.ID == user }

// System makes the scope of one of our own jobs, over all org units of a tenant.
func System(tenant ids.ID, job string) Scope {
	return Scope{Tenant: tenant, All: true, Actor: Actor{Kind: SystemActor, Name: job}}
}

// Scope gives the scope that the transaction runs in.
func (tx *Tx) Scope() Scope { return tx.scope }

// Tenant gives the tenant of the transaction.
func (tx *Tx) Tenant() ids.ID { return tx.scope.Tenant }

// Actor gives who acts.
func (tx *Tx) Actor() Actor { return tx.scope.Actor }

// Can says whether the actor has a capability. Operators and jobs have all.
func (tx *Tx) Can(c capability.Capability) bool {
	kind := tx.scope.Actor.Kind
	return kind != UserActor && kind != LinkActor || tx.scope.Capabilities.Has(c)
}

// Require is the first line of an operation: forbidden unless the actor has the
// capability.
func (tx *Tx) Require(c capability.Capability) error {
	if tx.Can(c) {
		return nil
	}
	return errs.New(errs.Forbidden, "This needs the capability %s.", c).With("capability", string(c))
}

// HomeOrgUnit gives the org unit that new rows of the transaction belong to; an error
// when the scope names none, as with --all-orgs on the command line.
func (tx *Tx) HomeOrgUnit() (ids.ID, error) {
	if tx.scope.OrgUnit == ids.None {
		return ids.None, errs.Invalid(errs.Field{Path: "orgUnit", Code: "required",
			Message: "say which org unit the new record belongs to"})
	}
	return tx.scope.OrgUnit, nil
}

// ConsumeProof consumes the step-up proof of a user's call (specification, section 5.6) and
// gives its method. It is valid when it belongs to the actor, is of one of the methods, has
// not expired and was not used before. Errors: step_up_required with the methods.
func (tx *Tx) ConsumeProof(ctx context.Context, methods []string) (string, error) {
	refused := errs.New(errs.StepUpRequired, "This needs a fresh step-up proof in X-Step-Up-Proof.").With("methods", methods)
	if tx.scope.Proof == ids.None {
		return "", refused
	}
	var method string
	err := tx.QueryRow(ctx, `
		update step_up_proofs set consumed_at = $4
		where tenant_id = $1 and id = $2 and user_id = $3 and consumed_at is null and expires_at > $4 and method = any($5)
		returning method`,
		tx.Tenant(), tx.scope.Proof, tx.scope.Actor.ID, tx.Now(), methods).Scan(&method)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", refused
	}
	if err != nil {
		return "", fmt.Errorf("consume step-up proof: %w", err)
	}
	return method, nil
}
