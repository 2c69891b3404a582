package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/people/policy"
)

func newPolicy(s *Shell) *cobra.Command {
	return wide(group("policy", "Say how long records are kept, and how people prove who they are",
		group("retention", "How long records are kept", s.operations("policy retention",
			newRetentionSet(s))...),
		group("verification", "What each level demands of each action", s.operations("policy verification", newVerificationSet(s))...)))
}

func newRetentionSet(s *Shell) *cobra.Command {
	var want policy.Retention
	cmd := newAct(s, "set DOMAIN", "Set the policy of submissions, evidence, sessions, telemetry or exports; --days 0 ends it",
		with(&want, policy.SetRetentionOf, &want.Domain), printRetention)
	cmd.Long = "Sets one policy and leaves the others as they are. A policy of submissions can be of one evaluation, outcome, or way of handing out; of\n" +
		"several that fit the most special counts: by evaluation first, then by outcome.\n\n" +
		"A change makes a new version, which holds for records that come from then on."
	cmd.Flags().IntVar(&want.Days, "days", 0, "days of 24 hours after which the action is due; 0 for no policy")
	cmd.Flags().StringVar(&want.Action, "action", "redact", "what is done then: redact or delete")
	required(cmd, "days")
	optionalIDFlag(cmd, &want.EvaluationID, "evaluation", "only submissions of this evaluation")
	cmd.Flags().Var(&choice{&want.Outcome, policy.Outcomes}, "outcome", "only submissions that ended so: "+strings.Join(policy.Outcomes, ", "))
	cmd.Flags().Var(&choice{&want.AssignmentKind, policy.AssignmentKinds}, "assignment-kind", "only of what was handed out so: "+strings.Join(policy.AssignmentKinds, ", "))
	return cmd
}

func printRetention(s *Shell, now policy.RetentionPolicies) error {
	return PrintPage(s, now, now.Policies, retentionColumns...)
}

var retentionColumns = columns("Domain, Of, Days, Action, Number = Version, SetAt, SetBy*, ID*",
	Column[policy.RetentionVersion]{Header: "Of", Cell: func(v policy.RetentionVersion) string { return v.Scope() }},
	Column[policy.RetentionVersion]{Header: "Days", Align: Right, Cell: func(v policy.RetentionVersion) string {
		if v.Days == nil {
			return ""
		}
		return strconv.Itoa(*v.Days)
	}},
	Column[policy.RetentionVersion]{Header: "Action", Cell: func(v policy.RetentionVersion) string {
		if v.Action == nil {
			return "kept"
		}
		return *v.Action
	}},
)

func newVerificationSet(s *Shell) *cobra.Command {
	want := policy.Verification{Rules: policy.Rules{RequiredContextFields: []string{}, Methods: []string{}}}
	cmd := newAct(s, "set LEVEL ACTION", "Set what a level asks of an action",
		with(&want, policy.SetVerificationOf, &want.Level, &want.AppliesTo), printVerification)
	cmd.Long = "Sets the policy of one level (L1 to L4) and one action (" + strings.Join(policy.Actions, ", ") + ")\n" +
		"and leaves the others as they are. What is not asked for with a flag is not asked of people."
	cmd.Flags().BoolVar(&want.RequireContext, "context", false, "the call states a context")
	cmd.Flags().BoolVar(&want.RequireStepUp, "step-up", false, "the call carries a step-up proof")
	cmd.Flags().StringSliceVar(&want.RequiredContextFields, "field", nil, "fields that the context must have")
	cmd.Flags().StringSliceVar(&want.Methods, "method", nil, "methods of proof that count: "+strings.Join(policy.Methods, ", ")+" (default all)")
	return cmd
}

func printVerification(s *Shell, now policy.VerificationPolicies) error {
	return PrintPage(s, now, now.Policies, verificationColumns...)
}

var verificationColumns = columns(`Level, AppliesTo = Action, Context, Proof, RequiredContextFields = Fields, Methods*,
	PolicyRef = Policy*`,
	Column[policy.VerificationPolicy]{Header: "Context", Cell: func(p policy.VerificationPolicy) string { return yes(p.RequireContext) }},
	Column[policy.VerificationPolicy]{Header: "Proof", Cell: func(p policy.VerificationPolicy) string { return yes(p.RequireStepUp) }},
)
