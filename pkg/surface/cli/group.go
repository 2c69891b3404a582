package cli

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/people/people"
)

func newGroup(s *Shell) *cobra.Command {
	return group("group", "Keep groups of users: by hand, by a rule, by a token",
		newGroupList(s), newGroupShow(s), newGroupCreate(s), newGroupUpdate(s), newGroupDelete(s), newGroupPreview(s),
		newGroupMembers(s), newGroupAdd(s), newGroupRemove(s), newGroupRotateToken(s), newGroupDropToken(s))
}

func newGroupList(s *Shell) *cobra.Command {
	var filter people.GroupFilter
	var member string
	var dynamic bool
	cmd := pages(&cobra.Command{
		Use:   "list",
		Short: "List groups, the last changed first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter.Dynamic = ifSet(cmd, "dynamic", &dynamic)
			return printedList(s, cmd, func(tx *db.Tx) (db.List[people.Group], error) {
				if member != "" {
					user, err := findUser(cmd.Context(), tx, member)
					if err != nil {
						return db.List[people.Group]{}, err
					}
					filter.Member = user.ID
				}
				return people.ListGroups(cmd.Context(), tx, filter)
			}, groupColumns...)
		},
	}, &filter.Page)
	cmd.Flags().StringVar(&filter.Name, "name", "", "how the name begins")
	cmd.Flags().BoolVar(&dynamic, "dynamic", false, "only groups with a rule; =false only those without")
	cmd.Flags().StringVar(&member, "member", "", "only groups that this user is in: e-mail address or id")
	return cmd
}

func newGroupShow(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "show GROUP",
		Short: "Show a group; GROUP is its name or id",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return printed(s, cmd, func(tx *db.Tx) (people.GroupDetail, error) {
				found, err := findGroup(cmd.Context(), tx, args[0])
				if err != nil {
					return people.GroupDetail{}, err
				}
				return people.GetGroup(cmd.Context(), tx, found.ID)
			}, groupDetailColumns...)
		},
	}
}

const ruleHelp = `rule as JSON: {"all":[{"key":"cohort","op":"equals","value":"2031"}]}; op is equals, contains (values) or exists`

func newGroupCreate(s *Shell) *cobra.Command {
	var in people.GroupInput
	var rule string
	cmd := &cobra.Command{
		Use:     "create NAME",
		Short:   "Create a group in the org unit of --org; a rule makes it dynamic",
		Example: `  assessctl group create 'Cohort 2031' --org north --rule '{"all":[{"key":"cohort","op":"equals","value":"2031"}]}'`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			in.Name = args[0]
			in.MembershipRule, err = parseRule(rule)
			if err != nil {
				return err
			}
			return changed(s, cmd, in, func(tx *db.Tx) (people.GroupDetail, error) {
				return people.CreateGroup(cmd.Context(), tx, in)
			}, groupDetailColumns...)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&in.Description, "description", "", "what the group is for")
	flags.StringVar(&rule, "rule", "", ruleHelp)
	flags.StringSliceVar(&in.AllowedDomains, "domain", nil, "domain of those who may join by token; repeatable")
	return s.changes(cmd)
}

// parseRule reads a rule as strictly as the HTTP interface does; none when it is empty.
func parseRule(text string) (*people.Rule, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // no rule was asked for
	}
	var rule people.Rule
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&rule)
	if err != nil || decoder.More() {
		return nil, Usage("--rule is not a rule in JSON: %s", `{"all":[{"key":"cohort","op":"exists"}]}`)
	}
	return &rule, nil
}

func newGroupUpdate(s *Shell) *cobra.Command {
	var name, description, rule string
	var allowed []string
	var byHand bool
	cmd := &cobra.Command{
		Use:   "update GROUP",
		Short: "Change a group; a new rule holds at once",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := parseRule(rule)
			if err != nil {
				return err
			}
			patch := people.GroupPatch{Name: ifSet(cmd, "name", &name), Description: ifSet(cmd, "description", &description),
				AllowedDomains: ifSet(cmd, "domain", &allowed), MembershipRule: wanted}
			if byHand {
				patch.IsDynamic = new(bool)
			}
			return s.changeGroup(cmd, args[0], patch, func(ctx context.Context, tx *db.Tx, g people.Group) (people.GroupDetail, error) {
				return people.UpdateGroup(ctx, tx, g.ID, patch)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&name, "name", "", "new name")
	flags.StringVar(&description, "description", "", "new description")
	flags.StringVar(&rule, "rule", "", "new "+ruleHelp)
	flags.StringSliceVar(&allowed, "domain", nil, "domain of those who may join by token: the whole new list; repeatable")
	flags.BoolVar(&byHand, "manual", false, "end the rule; the members stay")
	return s.changes(cmd)
}

func newGroupDelete(s *Shell) *cobra.Command {
	return s.changes(&cobra.Command{
		Use:   "delete GROUP",
		Short: "Delete a group that nothing is assigned to",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := s.confirm(cmd.Context(), "Delete the group %s and the memberships in it?", args[0])
			if err != nil {
				return err
			}
			return s.changeGroup(cmd, args[0], "delete", func(ctx context.Context, tx *db.Tx, g people.Group) (people.GroupDetail, error) {
				last, err := people.GetGroup(ctx, tx, g.ID)
				if err != nil {
					return last, err
				}
				return last, people.DeleteGroup(ctx, tx, g.ID)
			})
		},
	})
}

// changeGroup finds a group, changes it and prints it as the change leaves it.
func (s *Shell) changeGroup(cmd *cobra.Command, word string, in any,
	do func(ctx context.Context, tx *db.Tx, g people.Group) (people.GroupDetail, error)) error {
	changed, err := writeToGroup(s, cmd, word, in, do)
	if err != nil {
		return err
	}
	return PrintOne(s, changed, groupDetailColumns...)
}

func writeToGroup[T any](s *Shell, cmd *cobra.Command, word string, in any,
	do func(ctx context.Context, tx *db.Tx, g people.Group) (T, error)) (T, error) {
	hashed := struct {
		Group string
		In    any
	}{word, in}
	return write(s, cmd, hashed, func(tx *db.Tx) (T, error) {
		found, err := findGroup(cmd.Context(), tx, word)
		if err != nil {
			var none T
			return none, err
		}
		return do(cmd.Context(), tx, found)
	})
}

// findGroup names the word that was not found.
func findGroup(ctx context.Context, tx *db.Tx, word string) (people.Group, error) {
	found, err := people.FindGroup(ctx, tx, word)
	return found, unknown("group", word, err)
}

var groupColumns = columns("Name, Members by, AllowedDomains = Domains, UpdatedAt = Changed (UTC), ID*",
	Column[people.Group]{Header: "Members by", Cell: membersBy},
)

func membersBy(g people.Group) string {
	switch {
	case g.IsDynamic:
		return "rule " + strconv.Itoa(g.RuleVersion)
	case g.HasJoinToken:
		return "hand, token"
	}
	return "hand"
}

var groupDetailColumns = columns("Name, Description, MemberCount = Members, Members by, Rule, AllowedDomains = Domains, ID",
	Column[people.GroupDetail]{Header: "Members by", Cell: func(g people.GroupDetail) string { return membersBy(g.Group) }},
	Column[people.GroupDetail]{Header: "Rule", Cell: func(g people.GroupDetail) string { return ruleText(g.MembershipRule) }},
)

func ruleText(rule *people.Rule) string {
	if rule == nil {
		return none
	}
	text, err := json.Marshal(rule)
	if err != nil {
		return none
	}
	return string(text)
}
