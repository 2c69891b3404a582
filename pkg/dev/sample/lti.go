package sample

import (
	"testing"

	"assess/pkg/exam/lti"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// LTI is a learning platform with a course, an activity of it, and somebody's grade there.
type LTI struct{ Platform, Deployment, SpareDeployment, Course, Link, Score ids.ID }

// LearningPlatform connects a learning platform, one of whose activities hands an assignment out. Its addresses lead nowhere.
func LearningPlatform(t testing.TB, tx *db.Tx, assignment, user ids.ID) LTI {
	t.Helper()
	l := LTI{Deployment: ids.New(), SpareDeployment: ids.New(), Course: ids.New(), Link: ids.New(), Score: ids.New()}
	made, err := lti.CreatePlatform(t.Context(), tx, lti.PlatformInput{Name: word("moodle"), Issuer: "https://moodle.invalid", ClientID: word("tool"),
		AuthURL: "https://moodle.invalid/auth", TokenURL: "https://moodle.invalid/token", KeysURL: "https://moodle.invalid/keys"})
	if err != nil {
		t.Fatal(err)
	}
	l.Platform = made.ID
	unit, err := tx.HomeOrgUnit()
	if err != nil {
		t.Fatal(err)
	}
	for sql, args := range map[string][]any{
		`with one as (insert into lti_deployments (tenant_id, id, platform_id, deployment_id, status, joined_id, created_at, updated_at) values ($1, $2, $3, '1', 'allowed', $4, now(), now())
			returning tenant_id), course as (insert into lti_contexts (tenant_id, id, org_unit_id, deployment_id, context_id, title, group_id, created_at, members_url, sync_at, problem)
			select tenant_id, $5, $4, $2, '42', 'Biology', gen_random_uuid(), now(), 'https://moodle.invalid/members/42', now() + interval '1 day', 'it answers with the status 502' from one returning tenant_id)
		insert into lti_links (tenant_id, id, org_unit_id, platform_id, deployment_id, context_id, link_id, title, assignment_id, line_item, created_at, updated_at)
			select tenant_id, $6, $4, $3, $2, $5, '7', 'Final exam', $7, 'https://moodle.invalid/items/7', now(), now() from course`: {tx.Tenant(), l.Deployment, l.Platform, unit, l.Course, l.Link, assignment},
		`insert into lti_deployments (tenant_id, id, platform_id, deployment_id, created_at, updated_at) values ($1, $2, $3, '2', now(), now())`: {tx.Tenant(), l.SpareDeployment, l.Platform},
	} {
		_, err = tx.Exec(t.Context(), sql, args...)
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err = tx.Exec(t.Context(), `
		insert into lti_scores (tenant_id, id, org_unit_id, platform_id, link_id, user_id, state, status, answer, next_at, created_at)
		values ($1, $2, $3, $4, $5, $6, 'refused', 422, 'User not found in course', now(), now())`, tx.Tenant(), l.Score, unit, l.Platform, l.Link, user)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
