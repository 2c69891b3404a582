package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/exam/lti"
)

func newLTI(s *Shell) *cobra.Command {
	return group("lti", "Let learning platforms (Moodle, Canvas) launch exams, and send them the grades",
		wide(group("platform", "Connect learning platforms", s.operations("lti platform")...)),
		wide(group("deployment", "Say where platforms may hand out exams", s.operations("lti deployment")...)),
		group("course", "See the courses that launched exams, and read their members", s.operations("lti course")...),
		group("link", "See and change what activities hand out", s.operations("lti link")...),
		group("score", "See the grades that are sent, and send them again", s.operations("lti score")...))
}

var (
	platformColumns     = columns("Name, Status, Issuer, ClientID = Client, AuthURL*, TokenURL*, KeysURL*, Audience*, Identity, UpdatedAt*, ID", Column[lti.Platform]{Header: "Status", Colour: func(p lti.Platform) Colour { return goodIf(p.Status == "active") }})
	registrationColumns = columns[lti.Registration]("URL, ExpiresAt = Until (UTC), ID*")
	ltiKeyColumns       = columns[lti.Key]("ID, SignsFrom = Signs from (UTC), CreatedAt*")
	deploymentColumns   = columns("DeploymentID = Deployment, Status, OrgUnitID = Org unit, PlatformID = Platform, CreatedAt, UpdatedAt*, ID", Column[lti.Deployment]{Header: "Status", Colour: func(d lti.Deployment) Colour { return goodIf(d.Status == "allowed") }})
	courseColumns       = columns[lti.Course]("Title, ContextID = Course, GroupID = Group, SyncedAt = Members (UTC), NextAt*, TellsMembers*, Problem, DeploymentID*, CreatedAt, ID")
	activityColumns     = columns[lti.Link]("Title, LinkID = Activity, AssignmentID = Assignment, TakesGrades = Grades, Counts, SentWhen, ContextID*, PlatformID*, CreatedAt*, UpdatedAt*, ID")
	ltiScoreColumns     = columns("State, UserID = User, LinkID = Link, SentAt, NextAt = Next (UTC), Attempts, Status, Answer, ID", Column[lti.Score]{Header: "State", Colour: func(s lti.Score) Colour { return goodIf(s.State != "refused") }})
)
