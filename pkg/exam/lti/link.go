package lti

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/exam/assignment"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/people"
)

// link finds what the activity hands out, and the group of its course. The first launch makes both.
func (l launch) link(ctx context.Context, tx *db.Tx) (models.LTILink, ids.ID, error) {
	row, group, err := l.findLink(ctx, tx)
	if err == nil && row.ID == ids.None {
		_, err = tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended('lti course ' || $1::text || ' ' || $2::text, 0))", l.deployment.ID.String(), l.Context.ID)
		if err == nil {
			row, group, err = l.findLink(ctx, tx)
		}
		if err == nil && row.ID == ids.None {
			row, group, err = l.makeLink(ctx, tx)
		}
	}
	if err != nil {
		return row, group, err
	}
	if item := l.lineItem(); line(l.Link.Title, maxTitle) != row.Title || db.OrZero(item) != db.OrZero(row.LineItem) {
		_, err = tx.Exec(ctx, "update lti_links set title = $3, line_item = $4 where tenant_id = $1 and id = $2", tx.Tenant(), row.ID, line(l.Link.Title, maxTitle), item)
		if err != nil {
			return row, group, fmt.Errorf("keep a link up to date: %w", err)
		}
		err = lookAgain(ctx, tx, row.ID) // a place for grades may be new, or another
		if err != nil {
			return row, group, err
		}
	}
	return row, group, nil
}

// maxTitle is the length of the longest title of a course or an activity that is kept, in characters.
const maxTitle = 200

// lineItem is where grades of the activity go; nil where the platform takes none.
func (l launch) lineItem() *string {
	if l.Grades.LineItem == "" || len(l.Grades.LineItem) > 2000 || len(checkAddress("", l.Grades.LineItem)) > 0 {
		return nil
	}
	return &l.Grades.LineItem
}

// findLink reads the link and the group of its course; nothing if either is missing, or the activity now names another
// evaluation.
func (l launch) findLink(ctx context.Context, tx *db.Tx) (models.LTILink, ids.ID, error) {
	var row models.LTILink
	var group ids.ID
	err := tx.QueryRow(ctx, `
		select k.id, k.title, k.assignment_id, k.line_item, g.id from lti_links k
		join lti_contexts c on c.tenant_id = k.tenant_id and c.id = k.context_id
		join groups g on g.tenant_id = c.tenant_id and g.id = c.group_id
		join assignments a on a.tenant_id = k.tenant_id and a.id = k.assignment_id
		where k.tenant_id = $1 and c.tenant_id = $1 and g.tenant_id = $1 and a.tenant_id = $1 and k.deployment_id = $2 and k.link_id = $3 and c.context_id = $4
			and ($5 = '' or a.evaluation_id::text = $5)`,
		tx.Tenant(), l.deployment.ID, l.Link.ID, l.Context.ID, strings.ToLower(l.evaluation())).Scan(&row.ID, &row.Title, &row.AssignmentID, &row.LineItem, &group)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return row, group, fmt.Errorf("find a link: %w", err)
	}
	return row, group, nil
}

// makeLink hands out the evaluation that the activity names to the group of the course.
func (l launch) makeLink(ctx context.Context, tx *db.Tx) (models.LTILink, ids.ID, error) {
	c, err := l.course(ctx, tx)
	if err != nil {
		return models.LTILink{}, ids.None, err
	}
	handed, err := l.handOut(ctx, tx, c.GroupID)
	if err != nil {
		return models.LTILink{}, ids.None, err
	}
	row := models.LTILink{TenantID: tx.Tenant(), ID: ids.New(), OrgUnitID: *l.deployment.OrgUnitID, PlatformID: l.platform.ID, DeploymentID: l.deployment.ID, ContextID: c.ID,
		LinkID: l.Link.ID, Title: line(l.Link.Title, maxTitle), AssignmentID: handed, LineItem: l.lineItem(), Counts: CountsBest, SentWhen: WhenScored, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
	// An activity that moved to another course, names another evaluation, or whose group is gone, hands that out from now on.
	err = tx.QueryRow(ctx, `
		insert into lti_links (tenant_id, id, org_unit_id, platform_id, deployment_id, context_id, link_id, title, assignment_id, line_item, created_at, updated_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
		on conflict (tenant_id, deployment_id, link_id) do update set context_id = excluded.context_id, assignment_id = excluded.assignment_id, updated_at = excluded.updated_at
		returning id`,
		row.TenantID, row.ID, row.OrgUnitID, row.PlatformID, row.DeploymentID, row.ContextID, row.LinkID, row.Title, row.AssignmentID, row.LineItem, row.CreatedAt).Scan(&row.ID)
	if err != nil {
		return row, ids.None, fmt.Errorf("store a link: %w", err)
	}
	return row, c.GroupID, ledger.Append(ctx, tx, linkEvent("created", row))
}

func linkEvent(what string, row models.LTILink) ledger.Event {
	return ledger.Event{Type: "lti_link." + what, SubjectType: "lti_link", SubjectID: row.ID, OrgUnit: row.OrgUnitID,
		Payload: map[string]any{"platformId": row.PlatformID, "assignmentId": row.AssignmentID, "counts": row.Counts, "sentWhen": row.SentWhen}}
}

// course finds the course of a launch, or writes it down with a group of its own.
func (l launch) course(ctx context.Context, tx *db.Tx) (models.LTIContext, error) {
	title := line(l.Context.Title, maxTitle)
	if title == "" {
		title = line(l.Context.Label, maxTitle)
	}
	if title == "" {
		title = "Course " + mark(l.Context.ID)
	}
	row, err := findRow[models.LTIContext](ctx, tx, "course", "deployment_id = ? and context_id = ?", l.deployment.ID, l.Context.ID)
	if errors.Is(err, errs.NotFound) {
		row, err = models.LTIContext{TenantID: tx.Tenant(), ID: ids.New(), OrgUnitID: *l.deployment.OrgUnitID, DeploymentID: l.deployment.ID, ContextID: l.Context.ID,
			Title: title, CreatedAt: tx.Now()}, nil
	}
	if err != nil {
		return row, err
	}
	var there bool
	err = tx.QueryRow(ctx, "select exists (select from groups where tenant_id = $1 and id = $2)", tx.Tenant(), row.GroupID).Scan(&there)
	if err != nil {
		return row, fmt.Errorf("look for the group of a course: %w", err)
	}
	if there {
		return row, nil
	}
	row.GroupID, err = l.makeGroup(ctx, tx, title)
	if err != nil {
		return row, err
	}
	_, err = tx.Exec(ctx, `
		insert into lti_contexts (tenant_id, id, org_unit_id, deployment_id, context_id, title, group_id, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8)
		on conflict (tenant_id, deployment_id, context_id) do update set group_id = excluded.group_id`,
		row.TenantID, row.ID, row.OrgUnitID, row.DeploymentID, row.ContextID, row.Title, row.GroupID, row.CreatedAt)
	if err != nil {
		return row, fmt.Errorf("store a course: %w", err)
	}
	return row, nil
}

// makeGroup makes the group of a course. Where its title is the name of another group, a mark tells them apart.
func (l launch) makeGroup(ctx context.Context, tx *db.Tx, title string) (ids.ID, error) {
	var made people.GroupDetail
	for _, name := range []string{title, line(title, maxTitle-10) + " " + mark(l.Context.ID), line(title, maxTitle-40) + " " + ids.New().String()} {
		err := tx.Try(ctx, func() error {
			var err error
			made, err = people.CreateGroup(ctx, tx, people.GroupInput{Name: name, Description: "The learners of a course of " + line(l.platform.Name, maxTitle)})
			return err
		})
		if !errors.Is(db.Translate(err), errs.DuplicateName) {
			return made.ID, err
		}
	}
	return ids.None, errs.New(errs.DuplicateName, "The group of the course has no name that is free.")
}

func mark(id string) string { return hex.EncodeToString(hashOf(id)[:4]) }

// handOut finds the assignment of the evaluation that the activity names to the group, or makes it.
func (l launch) handOut(ctx context.Context, tx *db.Tx, group ids.ID) (ids.ID, error) {
	evaluation, err := ids.Parse("evaluation", l.evaluation())
	if err != nil {
		return ids.None, refused(noLink, "Nobody has said yet what this activity hands out. Its settings lack evaluation=ID, as a custom parameter or in its address, which names a published evaluation.")
	}
	var known ids.ID
	err = tx.QueryRow(ctx, `
		select id from assignments where tenant_id = $1 and org_unit_id = $2 and evaluation_id = $3 and target_type = 'group_id' and target_ref = $4
			and coalesce(run_label, '') = '' and status = 'active'`, tx.Tenant(), l.deployment.OrgUnitID, evaluation, group.String()).Scan(&known)
	if err == nil {
		return known, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return ids.None, fmt.Errorf("find what is handed out: %w", err)
	}
	made, err := assignment.Create(ctx, tx, assignment.CreateInput{Terms: assignment.Terms{EvaluationID: evaluation}, Type: models.TargetGroup, Ref: group.String()})
	if errors.Is(err, errs.NotFound) || errors.Is(err, errs.Archived) || errors.Is(err, errs.NotPublished) {
		return ids.None, refused(noLink, "What this activity hands out is not there, not published, or archived. Whoever runs the course sets another evaluation.")
	}
	return made.ID, err
}

// Which attempt counts, and when its grade is sent.
const (
	CountsBest   = "best"
	CountsLatest = "latest"
	CountsFirst  = "first"
	CountsMean   = "mean"

	WhenSubmitted = "submitted"
	WhenScored    = "scored"
	WhenApproved  = "approved"
)

// Link is an activity of a course, and what it hands out.
type Link struct {
	ID           ids.ID    `json:"id"`
	PlatformID   ids.ID    `json:"platformId"`
	ContextID    ids.ID    `json:"contextId"`
	LinkID       string    `json:"linkId" doc:"What the platform calls it"`
	Title        string    `json:"title"`
	AssignmentID ids.ID    `json:"assignmentId"`
	TakesGrades  bool      `json:"takesGrades" doc:"Whether the platform has a place for its grades"`
	Counts       string    `json:"counts" enum:"best,latest,first,mean" doc:"Which attempt counts"`
	SentWhen     string    `json:"sentWhen" enum:"submitted,scored,approved" doc:"When a grade is sent"`
	CreatedAt    time.Time `json:"createdAt"`
	UpdatedAt    time.Time `json:"updatedAt"`
}

func newLink(row models.LTILink) Link {
	return Link{ID: row.ID, PlatformID: row.PlatformID, ContextID: row.ContextID, LinkID: row.LinkID, Title: row.Title, AssignmentID: row.AssignmentID,
		TakesGrades: row.LineItem != nil, Counts: row.Counts, SentWhen: row.SentWhen,
		CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC()}
}

// Course is a course of a platform.
type Course struct {
	ID           ids.ID    `json:"id"`
	DeploymentID ids.ID    `json:"deploymentId"`
	ContextID    string    `json:"contextId" doc:"What the platform calls it"`
	Title        string    `json:"title"`
	GroupID      ids.ID    `json:"groupId" doc:"Has the learners of the course"`
	CreatedAt    time.Time `json:"createdAt"`
	// TellsMembers, SyncedAt and so on are about the members that the platform tells.
	TellsMembers bool       `json:"tellsMembers" doc:"Whether the platform tells the members of the course; without it, learners enter the group at their launches"`
	SyncedAt     *time.Time `json:"syncedAt,omitempty" doc:"When the group last had the learners that the platform tells"`
	NextAt       *time.Time `json:"nextAt,omitempty" doc:"When they are read again, at the earliest"`
	Problem      string     `json:"problem,omitempty" doc:"Why they could not be read since syncedAt; they are asked for again"`
}

func newCourse(row models.LTIContext) Course {
	return Course{ID: row.ID, DeploymentID: row.DeploymentID, ContextID: row.ContextID, Title: row.Title, GroupID: row.GroupID, CreatedAt: row.CreatedAt.UTC(),
		TellsMembers: row.MembersURL != nil, SyncedAt: db.UTC(row.SyncedAt), NextAt: db.UTC(row.SyncAt), Problem: db.OrZero(row.Problem)}
}

// mayWatch lets people see courses and grades if they manage integrations, or assignments of the org unit.
func mayWatch(tx *db.Tx) error {
	if tx.Can(capability.AssignmentsMonitor) {
		return nil
	}
	return mayRead(tx)
}

// ListCourses lists the courses that launched something, the newest first. It needs integrations.read, integrations.manage or
// assignments.monitor.
func ListCourses(ctx context.Context, tx *db.Tx, page db.Page) (db.List[Course], error) {
	return list(ctx, tx, page, "courses", newCourse)
}

// ListLinks lists the activities that launched something, the newest first. It needs what ListCourses needs.
func ListLinks(ctx context.Context, tx *db.Tx, page db.Page) (db.List[Link], error) {
	return list(ctx, tx, page, "links", newLink)
}

func list[R, O any](ctx context.Context, tx *db.Tx, page db.Page, what string, shown func(R) O) (db.List[O], error) {
	err := mayWatch(tx)
	if err == nil {
		page, err = page.Check()
	}
	if err != nil {
		return db.List[O]{}, err
	}
	var rows []R
	total, err := db.ReadPage(ctx, tx.InScope(tx.NewSelect().Model(&rows)), page, &rows, "created_at desc", "id")
	if err != nil {
		return db.List[O]{}, fmt.Errorf("list %s: %w", what, err)
	}
	return db.NewList(mapAll(rows, shown), page, total), nil
}
