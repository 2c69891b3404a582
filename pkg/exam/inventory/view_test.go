package inventory_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func (s *shop) createView(as db.Scope, k *inventory.Kind, in inventory.ViewInput) (inventory.View, error) {
	return do(s, as, func(ctx context.Context, tx *db.Tx) (inventory.View, error) {
		return inventory.CreateView(ctx, tx, k, in)
	})
}

func (s *shop) getView(as db.Scope, id ids.ID) (inventory.View, error) {
	return do(s, as, func(ctx context.Context, tx *db.Tx) (inventory.View, error) {
		return inventory.GetView(ctx, tx, inventory.Questions, id)
	})
}

func (s *shop) updateView(as db.Scope, id ids.ID, patch inventory.ViewPatch) (inventory.View, error) {
	return do(s, as, func(ctx context.Context, tx *db.Tx) (inventory.View, error) {
		return inventory.UpdateView(ctx, tx, inventory.Questions, id, patch)
	})
}

func (s *shop) deleteView(as db.Scope, id ids.ID) error {
	return s.store.Write(s.t.Context(), as, func(tx *db.Tx) error {
		return inventory.DeleteView(s.t.Context(), tx, inventory.Questions, id)
	})
}

func (s *shop) names(as db.Scope) []string {
	s.t.Helper()
	list, err := do(s, as, func(ctx context.Context, tx *db.Tx) (db.List[inventory.View], error) {
		return inventory.ListViews(ctx, tx, inventory.Questions, db.Page{})
	})
	if err != nil {
		s.t.Fatal(err)
	}
	names := []string{}
	for _, v := range list.Items {
		names = append(names, v.Name)
	}
	return names
}

func input(name, visibility, filter string) inventory.ViewInput {
	return inventory.ViewInput{Name: name, Visibility: visibility, Filter: json.RawMessage(filter)}
}

// The canonical schema: camelCase and literal preset keys, legacy keys taken for theirs,
// false presets left out, taxonomy.focus with includeDescendants.
func TestViewFilterIsStoredCanonical(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, b := s.term("topic", "a"), s.term("topic", "b")
	for _, c := range []struct{ name, sent, want string }{
		{"nothing", `{}`, `{}`},
		{"termsAny, termsAll, includeDescendants", `{"termsAny":["A"],"termsAll":["B"],"includeDescendants":false}`, `{"termsAny":["A"],"termsAll":["B"],"includeDescendants":false}`},
		{"legacy snake_case keys", `{"terms_any":["A"],"terms_all":["B"],"include_descendants":true,"contributes_to_score":false}`,
			`{"termsAny":["A"],"termsAll":["B"],"includeDescendants":true,"contributesToScore":false}`},
		{"status presets", `{"status.draft":true,"status.published":true,"status.archived":false}`, `{"status.draft":true,"status.published":true}`},
		{"status.archived", `{"status.archived":true}`, `{"status.archived":true}`},
		{"taxonomy.focus includes descendants", `{"taxonomy.focus":true,"termsAny":["A","B"]}`, `{"termsAny":["A","B"],"includeDescendants":true,"taxonomy.focus":true}`},
		{"taxonomy.focus without descendants", `{"taxonomy.focus":true,"terms_all":["A"],"include_descendants":false}`, `{"termsAll":["A"],"includeDescendants":false,"taxonomy.focus":true}`},
		{"what lists filter by", `{"q":"cell","qtype":"mcq","contributesToScore":true,"sort":"createdAt"}`, `{"q":"cell","qtype":"mcq","contributesToScore":true,"sort":"createdAt"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			fill := strings.NewReplacer(`"A"`, `"`+a.String()+`"`, `"B"`, `"`+b.String()+`"`)
			v, err := s.createView(s.operator, inventory.Questions, input(c.name, "shared", fill.Replace(c.sent)))
			wantCode(t, err, "")
			var stored string
			s.scan("select filter::text from inventory_views where tenant_id = $1 and id = $2", v.ID, &stored)
			if diff := cmp.Diff(value(t, fill.Replace(c.want)), value(t, stored)); diff != "" {
				t.Errorf("stored filter (-want +got):\n%s", diff)
			}
			read, err := s.getView(s.operator, v.ID)
			wantCode(t, err, "")
			if diff := cmp.Diff(v, read); diff != "" {
				t.Errorf("(-created +read):\n%s", diff)
			}
		})
	}
}

func value(t *testing.T, text string) any {
	t.Helper()
	var v any
	err := json.Unmarshal([]byte(text), &v)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestViewFilterProblemsAreAllNamed(t *testing.T) {
	t.Parallel()
	s, other := newShop(t), newShop(t)
	a, foreign := s.term("topic", "a").String(), other.term("topic", "a").String()
	for _, c := range []struct {
		name, filter string
		kind         *inventory.Kind
		want         []string
	}{
		{"unknown keys", `{"colour":1,"status":"draft"}`, inventory.Questions, []string{"filter.colour unknown_field", "filter.status unknown_field"}},
		{"not an object", `[]`, inventory.Questions, []string{"filter wrong_type"}},
		{"null", `null`, inventory.Questions, []string{"filter wrong_type"}},
		{"both spellings", `{"termsAny":["` + a + `"],"terms_any":["` + a + `"]}`, inventory.Questions, []string{"filter.terms_any duplicate"}},
		{"wrong types", `{"termsAny":"x","termsAll":["x"],"includeDescendants":"yes","status.draft":1,"q":null}`, inventory.Questions,
			[]string{"filter.includeDescendants wrong_type", "filter.q wrong_type", "filter.status.draft wrong_type", "filter.termsAll wrong_type", "filter.termsAny wrong_type"}},
		{"taxonomy.focus without terms", `{"taxonomy.focus":true}`, inventory.Questions, []string{"filter.taxonomy.focus terms_required"}},
		{"terms", `{"termsAny":["` + a + `","` + a + `","` + foreign + `"]}`, inventory.Questions, []string{"filter.termsAny[1] duplicate", "filter.termsAny[2] unknown_term"}},
		{"values", `{"qtype":"riddle","sort":"name","q":"` + strings.Repeat("x", 201) + `"}`, inventory.Questions,
			[]string{"filter.qtype not_allowed", "filter.sort not_allowed", "filter.q too_long"}},
		{"keys of questions", `{"qtype":"mcq","contributes_to_score":true,"sort":"createdAt"}`, inventory.Evaluations,
			[]string{"filter.contributes_to_score unknown_field", "filter.qtype unknown_field"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := s.createView(s.operator, c.kind, input("v", "shared", c.filter))
			wantFields(t, err, c.want...)
		})
	}
	_, err := s.createView(s.operator, inventory.Questions, input(" ", "public", `{"x":1}`))
	wantFields(t, err, "name required", "visibility not_allowed", "filter.x unknown_field")
	_, err = s.createView(s.operator, inventory.Questions, input("mine", "personal", `{}`))
	wantFields(t, err, "visibility not_allowed")
}

func TestPersonalViewIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	owner, admin := s.user(capability.QuestionsRead), s.user(capability.QuestionsRead, capability.QuestionsWrite, capability.ScopeAll)
	v, err := s.createView(owner, inventory.Questions, input("mine", "", `{}`))
	wantCode(t, err, "")
	if v.Visibility != "personal" {
		t.Errorf("visibility %s, want personal by default", v.Visibility)
	}
	name := "renamed"
	for who, as := range map[string]db.Scope{"an administrator": admin, "an operator": s.operator} {
		_, err := s.getView(as, v.ID)
		wantCode(t, err, errs.NotFound)
		_, err = s.updateView(as, v.ID, inventory.ViewPatch{Name: &name})
		wantCode(t, err, errs.NotFound)
		wantCode(t, s.deleteView(as, v.ID), errs.NotFound)
		if got := s.names(as); len(got) > 0 {
			t.Errorf("%s sees %v", who, got)
		}
	}
	_, err = s.updateView(owner, v.ID, inventory.ViewPatch{Name: &name})
	wantCode(t, err, "")
	if diff := cmp.Diff([]string{"renamed"}, s.names(owner)); diff != "" {
		t.Error(diff)
	}
	wantCode(t, s.deleteView(owner, v.ID), "")
	_, err = s.getView(owner, v.ID)
	wantCode(t, err, errs.NotFound)
}

func TestSharedViewIsSeenByTheOrgUnitAndChangedByWriters(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	reader, writer := s.user(capability.QuestionsRead), s.user(capability.QuestionsRead, capability.QuestionsWrite)
	_, err := s.createView(reader, inventory.Questions, input("ours", "shared", `{}`))
	wantCode(t, err, errs.Forbidden)
	v, err := s.createView(writer, inventory.Questions, input("ours", "shared", `{}`))
	wantCode(t, err, "")
	if diff := cmp.Diff([]string{"ours"}, s.names(reader)); diff != "" {
		t.Error(diff)
	}
	personal := "personal"
	_, err = s.updateView(reader, v.ID, inventory.ViewPatch{Visibility: &personal})
	wantCode(t, err, errs.Forbidden)
	wantCode(t, s.deleteView(reader, v.ID), errs.Forbidden)
	mine, err := s.createView(reader, inventory.Questions, input("mine", "", `{}`))
	wantCode(t, err, "")
	shared := "shared"
	_, err = s.updateView(reader, mine.ID, inventory.ViewPatch{Visibility: &shared})
	wantCode(t, err, errs.Forbidden)
	next := s.elsewhere(capability.QuestionsRead, capability.QuestionsWrite)
	_, err = s.getView(next, v.ID)
	wantCode(t, err, errs.NotFound)
	wantCode(t, s.deleteView(next, v.ID), errs.NotFound)
	_, err = s.updateView(writer, v.ID, inventory.ViewPatch{Visibility: &personal})
	wantCode(t, err, "")
	_, err = s.getView(reader, v.ID)
	wantCode(t, err, errs.NotFound)
}

// elsewhere makes a user of another org unit.
func (s *shop) elsewhere(holds ...capability.Capability) db.Scope {
	s.t.Helper()
	other := *s
	s.write(func(tx *db.Tx) { other.operator.OrgUnit = orgUnit(s.t, tx) })
	return other.user(holds...)
}

func TestViewNamesAreUnique(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	ada, ben := s.user(capability.QuestionsRead, capability.EvaluationsRead), s.user(capability.QuestionsRead)
	for i, c := range []struct {
		as   db.Scope
		kind *inventory.Kind
		name string
		vis  string
		want errs.Code
	}{
		{ada, inventory.Questions, "Cells", "personal", ""},
		{ada, inventory.Questions, "cells", "personal", errs.DuplicateName},
		{ben, inventory.Questions, "Cells", "personal", ""},
		{ada, inventory.Evaluations, "Cells", "personal", ""},
		{s.operator, inventory.Questions, "Cells", "shared", ""},
		{s.operator, inventory.Questions, "CELLS", "shared", errs.DuplicateName},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			_, err := s.createView(c.as, c.kind, input(c.name, c.vis, `{}`))
			wantCode(t, err, c.want)
		})
	}
}

func TestViewUpdateIsRefusedWhenStale(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	v, err := s.createView(s.operator, inventory.Questions, input("v", "shared", `{"q":"old"}`))
	wantCode(t, err, "")
	patch := inventory.ViewPatch{UpdatedAt: &v.UpdatedAt, Filter: json.RawMessage(`{"status.draft":true}`)}
	changed, err := s.updateView(s.operator, v.ID, patch)
	wantCode(t, err, "")
	if diff := cmp.Diff(inventory.Filter{Draft: true}, changed.Filter); diff != "" {
		t.Errorf("the filter is not replaced as a whole (-want +got):\n%s", diff)
	}
	_, err = s.updateView(s.operator, v.ID, patch)
	wantCode(t, err, errs.StaleUpdate)
}

// A view says who saved it, also one that all see; who makes a shared one personal takes it over.
func TestAViewRecordsWhoSavedIt(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	ada, bob := s.user(capability.QuestionsRead, capability.QuestionsWrite), s.user(capability.QuestionsRead, capability.QuestionsWrite)
	owner := func(view ids.ID) (id ids.ID) {
		s.scan("select owner_id from inventory_views where tenant_id = $1 and id = $2", view, &id)
		return id
	}
	shared, err := s.createView(ada, inventory.Questions, input("Ada's", "shared", "{}"))
	if err != nil || owner(shared.ID) != ada.Actor.ID {
		t.Fatalf("shared at once: %s, %v", owner(shared.ID), err)
	}
	one, err := s.createView(ada, inventory.Questions, input("Mine", "personal", "{}"))
	if err != nil {
		t.Fatal(err)
	}
	to := func(as db.Scope, visibility string, view, want ids.ID) {
		t.Helper()
		if _, err := s.updateView(as, view, inventory.ViewPatch{Visibility: &visibility}); err != nil || owner(view) != want {
			t.Errorf("%s: it is of %s, want %s: %v", visibility, owner(view), want, err)
		}
	}
	to(ada, "shared", one.ID, ada.Actor.ID)
	to(bob, "personal", one.ID, bob.Actor.ID)
	to(bob, "shared", one.ID, bob.Actor.ID)
}
