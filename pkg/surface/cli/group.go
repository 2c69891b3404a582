package cli

import (
	"encoding/json"
	"strconv"

	"github.com/spf13/cobra"

	"assess/pkg/people/people"
)

func newGroup(s *Shell) *cobra.Command {
	return group("group", "Keep groups of users: by hand, by a rule, by a token", s.operations("group")...)
}

// findGroupID names the word that was not found.
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

var (
	memberColumns  = columns[people.Member]("Email = E-mail, Name, AddedAt, UserID = Id*")
	addedColumns   = columns[people.MembersAdded]("Added, Already = Members before")
	previewColumns = columns[people.RulePreview]("Members = Members now, Fitting = Under the rule, Enter, Leave")
)
