package assignment_test

import (
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/assignment"
	"assess/pkg/exam/seb"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func TestTheFileForSafeExamBrowserIsForWhomTheAssignmentReaches(t *testing.T) {
	t.Parallel()
	const page = "https://app.example.org/"
	d := newDesk(t, authoring.Settings{Lockdown: authoring.Lockdown{SEBFile: true}})
	ada, grace := d.candidate(), d.candidate()
	nobody, monitor := sample.As(d.operator, ada.Actor.ID), sample.As(d.operator, grace.Actor.ID, capability.AssignmentsMonitor)
	hers, group, link := d.create("user_id", ada.Actor.ID.String()).ID, d.create("group_id", d.group(ada).String()).ID, d.create("public_link", "")
	if _, err := d.redeemToken(ada, link.Token); err != nil {
		t.Fatal(err)
	}
	elsewhere := monitor
	elsewhere.OrgUnit, elsewhere.All = ids.New(), false
	for name, test := range map[string]struct {
		as   db.Scope
		id   ids.ID
		page string
		want errs.Code
	}{
		"her own":              {ada, hers, page, ""},
		"her group's":          {ada, group, page, ""},
		"a link that she took": {ada, link.ID, page, ""},
		"hers":                 {grace, hers, page, errs.NotFound},
		"another group's":      {grace, group, page, errs.NotFound},
		"a link not taken":     {grace, link.ID, page, errs.NotFound},
		"staff":                {monitor, group, page, ""},
		"staff elsewhere":      {elsewhere, group, page, errs.NotFound},
		"without a capability": {nobody, hers, page, errs.Forbidden},
		"without a page":       {ada, hers, "", errs.Conflict},
		"none":                 {monitor, ids.New(), page, errs.NotFound},
	} {
		got, err := do(d, test.as, func(tx *db.Tx) (seb.Settings, error) {
			return assignment.SEBSettings(t.Context(), tx, test.id, test.page)
		})
		if code(err) != test.want || err == nil && got.ConfigKey() != seb.Exam(page, test.id).ConfigKey() {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
	if !d.mine(ada)[hers].SEBFile {
		t.Error("nobody tells her which browser it is for")
	}
	free := newDesk(t, authoring.Settings{Lockdown: authoring.Lockdown{SEBConfigKeys: []string{"key"}}})
	bo := free.candidate()
	his := free.create("user_id", bo.Actor.ID.String()).ID
	_, err := do(free, bo, func(tx *db.Tx) (seb.Settings, error) { return assignment.SEBSettings(t.Context(), tx, his, page) })
	wantCode(t, err, errs.Conflict)
	if free.mine(bo)[his].SEBFile {
		t.Error("a file is promised that no session takes")
	}
}
