package session

import (
	"context"
	"slices"
	"strings"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// What a locked-down client can prevent, as its X-Lockdown header names it.
const (
	preventsFullscreenExit = "fullscreen_exit"
	preventsFocusLoss      = "focus_loss"
	preventsCopy           = "copy"
	preventsPaste          = "paste"
)

// ProbeInput names a session and says what the client claims to prevent.
type ProbeInput struct {
	EvaluationID ids.ID
	SessionID    ids.ID
	Lockdown     string
}

// Probe says what a session demands of the client's machine, and whether the client
// fulfils it.
type Probe struct {
	Required  bool     `json:"required" doc:"Answers are taken only from a client that prevents all of demands"`
	Demands   []string `json:"demands" nullable:"false" enum:"fullscreen_exit,focus_loss,copy,paste" doc:"What is not allowed in this session"`
	Prevents  []string `json:"prevents" nullable:"false" doc:"What this client says it prevents, in X-Lockdown"`
	Missing   []string `json:"missing" nullable:"false" enum:"fullscreen_exit,focus_loss,copy,paste" doc:"Demanded and not prevented"`
	Fulfilled bool     `json:"fulfilled" doc:"Answers from this client will be taken"`
}

// ProbeLockdown tells a client what its session demands before it asks anything of the
// person. The header is the client's word: it keeps an honest browser out of an exam for
// locked clients, and proves nothing. Errors: not_found.
func (d *Desk) ProbeLockdown(ctx context.Context, tx *db.Tx, in ProbeInput) (Probe, error) {
	err := requireTaker(tx)
	if err != nil {
		return Probe{}, err
	}
	o, f, err := d.enter(ctx, tx, in.EvaluationID, in.SessionID)
	if err != nil {
		return Probe{}, err
	}
	lockdown := f.settings.Lockdown
	p := Probe{Required: lockdown.Required, Demands: demands(lockdown), Prevents: prevented(in.Lockdown)}
	p.Missing = missing(lockdown, in.Lockdown)
	p.Fulfilled = !p.Required || len(p.Missing) == 0 || !isSelf(tx, o.user)
	return p, nil
}

// checkLockdown refuses answers of a client that does not prevent what a session demands.
// Whoever answers for somebody else sits beside them, or has their answers on paper.
func (f *form) checkLockdown(tx *db.Tx, user ids.ID, header string) error {
	if !f.settings.Lockdown.Required || !isSelf(tx, user) {
		return nil
	}
	lacks := missing(f.settings.Lockdown, header)
	if len(lacks) == 0 {
		return nil
	}
	return errs.New(errs.LockdownRequired, "The session needs a client that prevents %s; nothing was saved.", strings.Join(lacks, ", ")).
		With("missing", lacks)
}

func demands(l authoring.Lockdown) []string {
	all := []string{}
	add := func(allowed bool, what string) {
		if !allowed {
			all = append(all, what)
		}
	}
	add(l.AllowFullscreenExit, preventsFullscreenExit)
	add(l.AllowFocusLoss, preventsFocusLoss)
	add(l.AllowCopy, preventsCopy)
	add(l.AllowPaste, preventsPaste)
	return all
}

// prevented reads the header: words joined by commas.
func prevented(header string) []string {
	all := []string{}
	for word := range strings.SplitSeq(header, ",") {
		word = strings.ToLower(strings.TrimSpace(word))
		if word != "" && !slices.Contains(all, word) {
			all = append(all, word)
		}
	}
	return all
}

func missing(l authoring.Lockdown, header string) []string {
	prevents := prevented(header)
	return slices.DeleteFunc(demands(l), func(what string) bool { return slices.Contains(prevents, what) })
}
