package cli

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

func newGroup(s *Shell) *cobra.Command {
	return group("group", "Keep groups of users: by hand, by a rule, by a token", newGroupList(s),
		newShow(s, "show GROUP", "Show a group; GROUP is its name or id", found("group", findGroupID, people.GetGroup), fields(groupDetailColumns)),
		newGroupCreate(s), newGroupUpdate(s),
		asking(newAct(s, "delete GROUP", "Delete a group that nothing is assigned to",
			found("group", findGroupID, lastOf(people.GetGroup, people.DeleteGroup)), fields(groupDetailColumns)),
			"Delete the group %[1]s and the memberships in it?"),
		newGroupPreview(s), newGroupMembers(s), newGroupAdd(s), newGroupRemove(s),
		secret(newAct(s, "rotate-token GROUP", "Make a new join token, which is shown once and ends the one before",
			found("group", findGroupID, people.RotateJoinToken), fields(columns[people.JoinToken]("JoinToken")))),
		newGroupDropToken(s))
}

func newGroupList(s *Shell) *cobra.Command {
	var filter people.GroupFilter
	var member string
	cmd := newList(s, "list", "List groups, the last changed first", &filter.Page,
		func(ctx context.Context, tx *db.Tx, _ []string) (db.List[people.Group], error) {
			err := ifNamed(ctx, tx, member, findUserID, &filter.Member)
			if err != nil {
				return db.List[people.Group]{}, err
			}
			return people.ListGroups(ctx, tx, filter)
		}, groupColumns)
	cmd.Flags().StringVar(&filter.Name, "name", "", "how the name begins")
	optional(cmd, &filter.Dynamic, "dynamic", "only groups with a rule; =false only those without", cmd.Flags().Bool)
	cmd.Flags().StringVar(&member, "member", "", "only groups that this user is in: e-mail address or id")
	return cmd
}

func newGroupCreate(s *Shell) *cobra.Command {
	var in people.GroupInput
	cmd := newAct(s, "create NAME", "Create a group in the org unit of --org; a rule makes it dynamic",
		with(&in, people.CreateGroup, &in.Name), fields(groupDetailColumns))
	cmd.Flags().StringVar(&in.Description, "description", "", "what the group is for")
	ruleFlag(cmd, &in.MembershipRule, ruleHelp)
	cmd.Flags().StringSliceVar(&in.AllowedDomains, "domain", nil, "domain of those who may join by token; repeatable")
	return cmd
}

func newGroupUpdate(s *Shell) *cobra.Command {
	var patch people.GroupPatch
	cmd := newAct(s, "update GROUP", "Change a group; a new rule holds at once",
		found("group", findGroupID, func(ctx context.Context, tx *db.Tx, id ids.ID) (people.GroupDetail, error) {
			return people.UpdateGroup(ctx, tx, id, patch)
		}), fields(groupDetailColumns))
	newText(cmd, &patch.Name, "name")
	newText(cmd, &patch.Description, "description")
	ruleFlag(cmd, &patch.MembershipRule, "new "+ruleHelp)
	optional(cmd, &patch.AllowedDomains, "domain", "domain of those who may join by token: the whole new list; repeatable", cmd.Flags().StringSlice)
	byHand := cmd.Flags().Bool("manual", false, "end the rule; the members stay")
	whenGiven(cmd, "manual", func() {
		if *byHand {
			patch.IsDynamic = new(bool)
		}
	})
	return cmd
}

func newGroupPreview(s *Shell) *cobra.Command {
	var in people.PreviewInput
	cmd := newShow(s, "preview GROUP", "Count who would enter and leave a group under a rule",
		found("group", findGroupID, func(ctx context.Context, tx *db.Tx, id ids.ID) (people.RulePreview, error) {
			return people.PreviewRule(ctx, tx, id, in)
		}), fields(columns[people.RulePreview]("Members = Members now, Fitting = Under the rule, Enter, Leave")))
	ruleFlag(cmd, &in.MembershipRule, ruleHelp+" (default: the group's own)")
	return cmd
}

const ruleHelp = `rule as JSON: {"all":[{"key":"cohort","op":"equals","value":"2031"}]}; op is equals, contains (values) or exists`

// ruleFlag reads a rule as strictly as the HTTP interface does; none when it is empty.
func ruleFlag(cmd *cobra.Command, to **people.Rule, help string) {
	cmd.Flags().Var(&parsed{kind: "string", set: func(text string) error {
		if text == "" {
			return nil
		}
		var rule people.Rule
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.DisallowUnknownFields()
		err := decoder.Decode(&rule)
		if err != nil || decoder.More() {
			return errors.New(`not a rule in JSON: {"all":[{"key":"cohort","op":"exists"}]}`)
		}
		*to = &rule
		return nil
	}}, "rule", help)
}

// findGroupID names the word that was not found.
func findGroupID(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	found, err := people.FindGroup(ctx, tx, word)
	return found.ID, unknown("group", word, err)
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
