package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/people/policy"
)

func newPolicy(s *Shell) *cobra.Command {
	return group("policy", "Say how long records are kept, and how people prove who they are",
		group("retention", "How long records are kept", newRetentionShow(s), newRetentionSet(s), newRetentionVersions(s)),
		group("verification", "What each level asks of each action", newVerificationShow(s), newVerificationSet(s)))
}

func newRetentionShow(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "show",
		Short: "Show the policies in force; a domain without one is kept without end",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.tenantWide()
			now, err := read(cmd.Context(), s, func(tx *db.Tx) (policy.RetentionPolicies, error) {
				return policy.GetRetention(cmd.Context(), tx)
			})
			if err != nil {
				return err
			}
			return PrintPage(s, now, now.Policies, retentionColumns...)
		},
	}
}

func newRetentionSet(s *Shell) *cobra.Command {
	var want policy.Retention
	cmd := &cobra.Command{
		Use:   "set DOMAIN",
		Short: "Set the policy of submissions, evidence, sessions, telemetry or exports; --days 0 ends it",
		Long: "Sets the policy of one domain and leaves the others as they are.\n\n" +
			"A change makes a new version, which holds for records that come from then on.",
		Example: "  assessctl policy retention set submissions --days 730 --action redact",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.tenantWide()
			want.Domain = args[0]
			now, err := write(s, cmd, want, func(tx *db.Tx) (policy.RetentionPolicies, error) {
				return policy.SetRetentionOf(cmd.Context(), tx, want)
			})
			if err != nil {
				return err
			}
			return PrintPage(s, now, now.Policies, retentionColumns...)
		},
	}
	cmd.Flags().IntVar(&want.Days, "days", 0, "days of 24 hours after which the action is due; 0 for no policy")
	cmd.Flags().StringVar(&want.Action, "action", "redact", "what is done then: redact or delete")
	required(cmd, "days")
	return s.changes(cmd)
}

func newRetentionVersions(s *Shell) *cobra.Command {
	var domain string
	var page db.Page
	cmd := pages(&cobra.Command{
		Use:   "versions",
		Short: "List all versions of the policies, newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.tenantWide()
			return printedList(s, cmd, func(tx *db.Tx) (db.List[policy.RetentionVersion], error) {
				return policy.ListRetentionVersions(cmd.Context(), tx, domain, page)
			}, retentionColumns...)
		},
	}, &page)
	cmd.Flags().StringVar(&domain, "domain", "", "only versions of this domain")
	return cmd
}

var retentionColumns = columns("Domain, Days, Action, Version, SetAt, SetBy*, ID*",
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
	Column[policy.RetentionVersion]{Header: "Version", Align: Right, Cell: func(v policy.RetentionVersion) string { return strconv.Itoa(v.Number) }},
)

func newVerificationShow(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "show",
		Short: "Show what each level asks of each action",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.tenantWide()
			now, err := read(cmd.Context(), s, func(tx *db.Tx) (policy.VerificationPolicies, error) {
				return policy.GetVerification(cmd.Context(), tx)
			})
			if err != nil {
				return err
			}
			return PrintPage(s, now, now.Policies, verificationColumns...)
		},
	}
}

func newVerificationSet(s *Shell) *cobra.Command {
	want := policy.Verification{Rules: policy.Rules{RequiredContextFields: []string{}, Methods: []string{}}}
	cmd := &cobra.Command{
		Use:   "set LEVEL ACTION",
		Short: "Set what a level asks of an action",
		Long: "Sets the policy of one level (L1 to L4) and one action (" + strings.Join(policy.Actions, ", ") + ")\n" +
			"and leaves the others as they are. What is not asked for with a flag is not asked of people.",
		Example: "  assessctl policy verification set L2 evidence --context --field reason --step-up",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.tenantWide()
			want.Level, want.AppliesTo = args[0], args[1]
			now, err := write(s, cmd, want, func(tx *db.Tx) (policy.VerificationPolicies, error) {
				return policy.SetVerificationOf(cmd.Context(), tx, want)
			})
			if err != nil {
				return err
			}
			return PrintPage(s, now, now.Policies, verificationColumns...)
		},
	}
	cmd.Flags().BoolVar(&want.RequireContext, "context", false, "the call states a context")
	cmd.Flags().BoolVar(&want.RequireStepUp, "step-up", false, "the call carries a step-up proof")
	cmd.Flags().StringSliceVar(&want.RequiredContextFields, "field", nil, "fields that the context must have")
	cmd.Flags().StringSliceVar(&want.Methods, "method", nil, "methods of proof that count: magic_link, operator (default all)")
	return s.changes(cmd)
}

var verificationColumns = columns(`Level, AppliesTo = Action, Context, Proof, RequiredContextFields = Fields, Methods*,
	PolicyRef = Policy*`,
	Column[policy.VerificationPolicy]{Header: "Context", Cell: func(p policy.VerificationPolicy) string { return yes(p.RequireContext) }},
	Column[policy.VerificationPolicy]{Header: "Proof", Cell: func(p policy.VerificationPolicy) string { return yes(p.RequireStepUp) }},
)
