package lti

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// onPage is how many evaluations a page of a pick shows, and so how many can be chosen together.
const onPage = 20

// fullMark is the maximum that we give to gradebooks. A grade has its own, and platforms scale it.
const fullMark = 100

// PickInput is the input from a page of a pick: its secret and its proof, the search text, and which page (1 and above) is shown.
type PickInput struct {
	Flow, Proof, Search string
	Page                int
}

// Picker is the choice offered to a teacher.
type Picker struct {
	Platform, Course string
	Multiple         bool
	Search           string
	Page, Pages      int
	Items            []Pickable
	// Frames are the origins whose pages may frame this one.
	Frames []string
}

// Pickable is a published evaluation of the org unit.
type Pickable struct {
	ID        ids.ID
	Title     string
	UpdatedAt time.Time
}

// Pick shows what a teacher may choose from, and changes nothing. Errors: lti_launch_refused, sign_in_refused.
func (d *Desk) Pick(ctx context.Context, input PickInput) (Picker, error) {
	p, err := d.pickOf(ctx, input.Flow, input.Proof)
	if err == nil && p.chosen != nil {
		err = pickGone()
	}
	if err != nil {
		return Picker{}, err
	}
	shown := Picker{Platform: p.platform, Course: p.course, Multiple: p.multiple, Search: line(input.Search, 200), Frames: originsOf(p.returnURL, p.issuer)}
	err = d.store.Read(ctx, p.scope, func(tx *db.Tx) error {
		found, err := authoring.ListEvaluations(ctx, tx, authoring.EvaluationFilter{Status: models.AuthoringPublished, Search: shown.Search,
			Page: db.Page{Page: min(max(input.Page, 1), 1000), Limit: onPage}})
		shown.Page, shown.Pages = found.Page, (found.Total+onPage-1)/onPage
		for _, e := range found.Items {
			shown.Items = append(shown.Items, Pickable{e.ID, e.Title, e.UpdatedAt})
		}
		return err
	})
	return shown, err
}

// originsOf are the origins of addresses.
func originsOf(addresses ...string) []string {
	var origins []string
	for _, address := range addresses {
		u, err := url.Parse(address)
		if err == nil && u.Host != "" {
			origins = append(origins, u.Scheme+"://"+u.Host)
		}
	}
	slices.Sort(origins)
	return slices.Compact(origins)
}

// Picked is the answer to a platform: a form with the field JWT, sent to its address.
type Picked struct{ ReturnURL, JWT string }

// Origin is the origin of the platform's page that takes the answer.
func (p Picked) Origin() string { return strings.Join(originsOf(p.ReturnURL), " ") }

// Choose answers the platform with a teacher's choice, once. The same choice again gives the same answer, which the
// platform takes once. Errors: validation_failed, lti_launch_refused, sign_in_refused.
func (d *Desk) Choose(ctx context.Context, input PickInput, chosen []string) (Picked, error) {
	p, err := d.pickOf(ctx, input.Flow, input.Proof)
	if err != nil {
		return Picked{}, err
	}
	wanted, err := p.wanted(chosen)
	if err != nil {
		return Picked{}, err
	}
	answer := Picked{ReturnURL: p.returnURL}
	err = d.store.Write(ctx, p.scope, func(tx *db.Tx) error {
		items, err := d.itemsOf(ctx, tx, p, wanted)
		if err == nil {
			err = p.settle(ctx, tx, wanted)
		}
		if err == nil {
			answer.JWT, err = p.answer(ctx, tx, items)
		}
		return err
	})
	return answer, err
}

// wanted reads what was chosen.
func (p pick) wanted(chosen []string) ([]ids.ID, error) {
	invalid := func(code, message string) error {
		return errs.Invalid(errs.Field{Path: "evaluation", Code: code, Message: message})
	}
	switch {
	case len(chosen) == 0:
		return nil, invalid("required", "choose an exam")
	case len(chosen) > 1 && !p.multiple:
		return nil, invalid("out_of_range", "the learning platform takes one exam at a time")
	case len(chosen) > onPage:
		return nil, invalid("out_of_range", fmt.Sprintf("choose at most %d exams", onPage))
	}
	var wanted []ids.ID
	for _, text := range chosen {
		id, err := ids.Parse("evaluation", text)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(wanted, id) {
			wanted = append(wanted, id)
		}
	}
	return wanted, nil
}

// contentItem is a link that the platform makes an activity of (LTI Deep Linking 2.0, section 3.2).
type contentItem struct {
	Type     string            `json:"type"`
	Title    string            `json:"title"`
	URL      string            `json:"url"`
	Custom   map[string]string `json:"custom"`
	LineItem *lineItem         `json:"lineItem,omitempty"`
	Window   *window           `json:"window,omitempty"`
}

type lineItem struct {
	Label        string `json:"label"`
	ScoreMaximum int    `json:"scoreMaximum"`
	ResourceID   string `json:"resourceId"`
	Tag          string `json:"tag"`
}

type window struct {
	TargetName string `json:"targetName"`
}

// itemsOf makes the links of evaluations that are published in the org unit.
func (d *Desk) itemsOf(ctx context.Context, tx *db.Tx, p pick, wanted []ids.ID) ([]contentItem, error) {
	rows, err := tx.Query(ctx, "select id, title from evaluations where tenant_id = $1 and org_unit_id = $2 and id = any($3) and status = '"+models.AuthoringPublished+"'",
		tx.Tenant(), p.orgUnit, wanted)
	if err != nil {
		return nil, fmt.Errorf("read what was chosen: %w", err)
	}
	titles := map[ids.ID]string{}
	var id ids.ID
	var title string
	_, err = pgx.ForEachRow(rows, []any{&id, &title}, func() error {
		titles[id] = title
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what was chosen: %w", err)
	}
	var items []contentItem
	for i, id := range wanted {
		title, there := titles[id]
		if !there {
			return nil, errs.Invalid(errs.Field{Path: fmt.Sprintf("evaluation[%d]", i), Code: "unknown_evaluation", Message: "it is not published in this org unit, or not any more"})
		}
		items = append(items, d.itemOf(p, id, title))
	}
	return items, nil
}

func (d *Desk) itemOf(p pick, id ids.ID, title string) contentItem {
	item := contentItem{Type: itemLink, Title: title, URL: d.base + LaunchPath, Custom: map[string]string{"evaluation": id.String()}}
	if p.lineItem {
		item.LineItem = &lineItem{title, fullMark, id.String(), "exam"}
	}
	if p.inWindow {
		item.Window = &window{"_blank"}
	}
	return item
}

// settle notes what a pick is answered with; of two clicks at once, the second finds what the first chose.
func (p pick) settle(ctx context.Context, tx *db.Tx, wanted []ids.ID) error {
	n, err := tx.Exec(ctx, "update lti_deep_links set used_at = $3, chosen = $4 where tenant_id = $1 and id = $2 and used_at is null", tx.Tenant(), p.id, tx.Now(), wanted)
	if err != nil {
		return fmt.Errorf("note what was chosen: %w", err)
	}
	if n == 1 {
		return ledger.Append(ctx, tx, ledger.Event{Type: "lti_deep_link.chosen", SubjectType: "lti_deep_link", SubjectID: p.id, OrgUnit: p.orgUnit, Payload: map[string]any{"evaluationIds": wanted}})
	}
	var before []ids.ID
	err = tx.QueryRow(ctx, "select chosen from lti_deep_links where tenant_id = $1 and id = $2", tx.Tenant(), p.id).Scan(&before)
	if err != nil {
		return fmt.Errorf("read what was chosen before: %w", err)
	}
	if !slices.Equal(before, wanted) {
		return pickGone()
	}
	return nil
}

// answer signs the links for the platform (section 4.5). Its nonce is the pick's own, so that a platform takes it once.
func (p pick) answer(ctx context.Context, tx *db.Tx, items []contentItem) (string, error) {
	key, err := signer(ctx, tx)
	if err != nil {
		return "", err
	}
	const claim, deep = "https://purl.imsglobal.org/spec/lti/claim/", "https://purl.imsglobal.org/spec/lti-dl/claim/"
	said := jwt.MapClaims{"iss": p.clientID, "aud": p.issuer, "iat": tx.Now().Unix(), "exp": tx.Now().Add(answerLifetime).Unix(), "nonce": p.id.String(), "jti": rand.Text(),
		claim + "message_type": "LtiDeepLinkingResponse", claim + "version": "1.3.0", claim + "deployment_id": p.deployment, deep + "content_items": items}
	if p.data != nil {
		said[deep+"data"] = string(p.data)
	}
	return key.sign(said)
}

// answerLifetime is how long a platform may take an answer.
const answerLifetime = 5 * time.Minute
