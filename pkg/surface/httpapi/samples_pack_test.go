package httpapi_test

import (
	"maps"
	"testing"

	"assess/pkg/author/pack"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// packPlace holds a library with a revision and with items to change and to remove, one that can be published, one that can be
// deleted, one that came as a file and can be installed, and one that is installed.
type packPlace struct {
	Library, Revision, LibraryItem, SpareItem ids.ID
	Unpublished, SpareLibrary                 ids.ID
	Foreign, ForeignRevision, Installed       ids.ID
	OrgUnit                                   ids.ID
}

func packsOf(t *testing.T, tx *db.Tx, evaluations ...ids.ID) packPlace {
	t.Helper()
	p := packPlace{OrgUnit: tx.Scope().OrgUnit}
	var r pack.Revision
	var l pack.Library
	l, r = sample.Pack(t, tx, evaluations...)
	p.Library, p.Revision, p.LibraryItem, p.SpareItem = l.ID, r.ID, l.Items[0].ID, l.Items[1].ID
	l = sample.Library(t, tx, evaluations...)
	p.Unpublished, p.SpareLibrary = l.ID, sample.Library(t, tx).ID
	for _, place := range []struct{ library, revision *ids.ID }{{&p.Foreign, &p.ForeignRevision}, {&p.Installed, new(ids.ID)}} {
		l, r = sample.Pack(t, tx, evaluations...)
		*place.library, *place.revision = l.ID, r.ID
		// As if it had come as a file: so the org unit can install it in addition to its own.
		_, err := tx.Exec(t.Context(), "update libraries set origin_id = $3, origin_key = 'sample' where tenant_id = $1 and id = $2", tx.Tenant(), l.ID, ids.New())
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := pack.Install(t.Context(), tx, pack.InstallInput{RevisionInput: pack.ByRevision(p.Installed, r.ID), OrgUnitID: p.OrgUnit})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func init() {
	library := func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Library} }
	revision := func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Library, "revisionId": p.Revision} }
	maps.Copy(noun, map[string]func(p place) map[string]ids.ID{
		"getLibrary": library, "updateLibrary": library, "addLibraryItem": library, "listRevisions": library,
		"deleteLibrary":     func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.SpareLibrary} },
		"updateLibraryItem": func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Library, "itemId": p.LibraryItem} },
		"removeLibraryItem": func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Library, "itemId": p.SpareItem} },
		"publishLibrary":    func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Unpublished} },
		"getRevision":       revision, "diffRevisions": revision, "getLineage": revision,
		"installRevision": func(p place) map[string]ids.ID {
			return map[string]ids.ID{"id": p.Foreign, "revisionId": p.ForeignRevision}
		},
		"uninstallLibrary": func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Installed} },
	})
	maps.Copy(body, map[string]func(p place) any{
		"createLibrary":     func(place) any { return map[string]any{"name": "Fire safety"} },
		"updateLibrary":     func(place) any { return map[string]any{"description": "For all schools"} },
		"addLibraryItem":    func(p place) any { return map[string]any{"evaluationId": p.SettledEvaluation} },
		"updateLibraryItem": func(place) any { return map[string]any{"metadata": map[string]any{"grade": 5}} },
		"publishLibrary":    func(place) any { return nil },
		"installRevision":   func(p place) any { return map[string]any{"orgUnitId": p.OrgUnit} },
		"uninstallLibrary":  func(p place) any { return map[string]any{"orgUnitId": p.OrgUnit} },
	})
}
