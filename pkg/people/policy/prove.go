package policy

import (
	"context"
	"errors"
	"slices"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/people/access"
	"assess/pkg/people/idp"
)

// Prove takes a fresh step-up proof from a user, of any method: for actions that take data or rights away for good. An
// operator needs none, nor does a rehearsal, which is taken back at the end. Errors: step_up_required.
func Prove(ctx context.Context, tx *db.Tx) error {
	if tx.Actor().Kind != db.UserActor || tx.Rehearsing() {
		return nil
	}
	_, err := consume(ctx, tx, Methods)
	return err
}

// consume takes the proof of the call. Where there is none, the refusal names the identity providers at which this person
// can get one, and the method oidc only if there are such.
func consume(ctx context.Context, tx *db.Tx, methods []string) (string, error) {
	method, err := tx.ConsumeProof(ctx, methods)
	if !errors.Is(err, errs.StepUpRequired) || !slices.Contains(methods, access.ByOIDC) {
		return method, err
	}
	providers, failed := idp.ListStepUps(ctx, tx, tx.Actor().ID)
	if failed != nil {
		return "", failed
	}
	if len(providers) == 0 {
		others := slices.DeleteFunc(slices.Clone(methods), func(m string) bool { return m == access.ByOIDC })
		return "", errs.Of(err).With("methods", others)
	}
	return "", errs.Of(err).With("providers", providers)
}
