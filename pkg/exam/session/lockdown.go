package session

import (
	"context"
	"slices"
	"strings"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/seb"
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

// What Safe Exam Browser proves.
const (
	provesConfigKey  = "seb_config_key"
	provesBrowserKey = "seb_browser_exam_key"
)

// Client describes the program that a candidate's call comes from. It is not required of somebody who acts for the
// candidate.
type Client struct {
	// Lockdown lists what the client says it prevents.
	Lockdown string
	// ConfigKeyHash and BrowserKeyHash are the hashes that Safe Exam Browser gives for its keys, at one of the Addresses:
	// the one of the call, and the one of the page.
	ConfigKeyHash, BrowserKeyHash string
	Addresses                     []string
	// App is the page of candidates, which the file of an assignment opens; empty: there is none.
	App string
}

// ProbeInput names a session and says what the client claims to prevent.
type ProbeInput struct {
	EvaluationID ids.ID
	SessionID    ids.ID
	Client       Client
}

// Probe says what a session demands of the client's machine, and whether the client
// fulfils it.
type Probe struct {
	Required  bool     `json:"required" doc:"The session is for a client that is locked as demands say"`
	Demands   []string `json:"demands" nullable:"false" enum:"fullscreen_exit,focus_loss,copy,paste,seb_config_key,seb_browser_exam_key" doc:"What is not allowed in this session, and the keys of Safe Exam Browser that it is for"`
	Prevents  []string `json:"prevents" nullable:"false" doc:"What this client says it prevents, in X-Lockdown"`
	Missing   []string `json:"missing" nullable:"false" enum:"fullscreen_exit,focus_loss,copy,paste,seb_config_key,seb_browser_exam_key" doc:"Demanded, and neither prevented nor proved"`
	Why       []string `json:"why" nullable:"false" doc:"Why calls of this client are refused, in words" example:"[\"The exam is taken in Safe Exam Browser, and this call does not come from it.\"]"`
	Fulfilled bool     `json:"fulfilled" doc:"Calls of this client are not refused"`
}

// ProbeLockdown tells a client what its session demands before it asks anything of the
// person. Errors: not_found.
func (d *Desk) ProbeLockdown(ctx context.Context, tx *db.Tx, input ProbeInput) (Probe, error) {
	err := requireTaker(tx)
	if err != nil {
		return Probe{}, err
	}
	o, f, err := d.enter(ctx, tx, input.EvaluationID, input.SessionID)
	if err != nil {
		return Probe{}, err
	}
	demands := demandsOf(f.settings.Lockdown)
	p := Probe{Demands: []string{}, Prevents: prevented(input.Client.Lockdown), Missing: []string{}, Why: []string{}}
	for _, demand := range demands {
		p.Required = p.Required || demand.enforced
		p.Demands = append(p.Demands, demand.code)
		reason := demand.lacks(input.Client, o.assignment)
		if reason == "" {
			continue
		}
		p.Missing = append(p.Missing, demand.code)
		if demand.enforced && isSelf(tx, o.user) {
			p.Why = append(p.Why, reason)
		}
	}
	p.Fulfilled = len(p.Why) == 0
	return p, nil
}

// checkLockdown refuses a call of the person from a client that is not locked as their session
// demands. A proctor who acts for a candidate is in the room, or has the answers on paper.
func (f *form) checkLockdown(tx *db.Tx, user ids.ID, assignment *ids.ID, client Client) error {
	if l := f.settings.Lockdown; !l.Required && !l.NeedsSEB() || !isSelf(tx, user) {
		return nil
	}
	var codes, reasons []string
	for _, demand := range demandsOf(f.settings.Lockdown) {
		if !demand.enforced {
			continue
		}
		if reason := demand.lacks(client, assignment); reason != "" {
			codes, reasons = append(codes, demand.code), append(reasons, reason)
		}
	}
	if codes == nil {
		return nil
	}
	return errs.New(errs.LockdownRequired, "%s Nothing was changed.", strings.Join(reasons, " ")).With("missing", codes)
}

// demand is something that a session asks of its client: lacks says in words why a client does not do, and is empty where it does.
type demand struct {
	code     string
	enforced bool
	lacks    func(client Client, assignment *ids.ID) string
}

// demandsOf gives the demands that are enforced, or, where none is, the things that are not allowed.
func demandsOf(l authoring.Lockdown) []demand {
	var all []demand
	prevent := func(allowed bool, what, words string) {
		if !allowed && (l.Required || !l.NeedsSEB()) {
			all = append(all, demand{what, l.Required, func(client Client, _ *ids.ID) string {
				if slices.Contains(prevented(client.Lockdown), what) {
					return ""
				}
				return "This client does not say that it prevents " + words + "."
			}})
		}
	}
	prevent(l.AllowFullscreenExit, preventsFullscreenExit, "leaving the full screen")
	prevent(l.AllowFocusLoss, preventsFocusLoss, "going to another window")
	prevent(l.AllowCopy, preventsCopy, "copying")
	prevent(l.AllowPaste, preventsPaste, "pasting")
	if l.SEBFile || len(l.SEBConfigKeys) > 0 {
		all = append(all, demand{provesConfigKey, true, func(client Client, assignment *ids.ID) string {
			keys := l.SEBConfigKeys
			if l.SEBFile && assignment != nil && client.App != "" {
				keys = append(slices.Clip(keys), seb.Exam(client.App, *assignment).ConfigKey())
			}
			return unproved(client.ConfigKeyHash, keys, client.Addresses, "The settings of Safe Exam Browser are not those of the exam: open it with the file that belongs to it.")
		}})
	}
	if len(l.SEBBrowserExamKeys) > 0 {
		all = append(all, demand{provesBrowserKey, true, func(client Client, _ *ids.ID) string {
			return unproved(client.BrowserKeyHash, l.SEBBrowserExamKeys, client.Addresses, "The exam is not for this version of Safe Exam Browser, or not with these settings.")
		}})
	}
	return all
}

func unproved(hash string, keys, addresses []string, wrong string) string {
	switch {
	case hash == "":
		return "The exam is taken in Safe Exam Browser, and this call does not come from it."
	case !seb.Proves(hash, keys, addresses):
		return wrong
	}
	return ""
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
