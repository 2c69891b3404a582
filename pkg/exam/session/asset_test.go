package session_test

import (
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/author/media"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// gallery is a room whose evaluation draws one of two questions. Each shows a picture, and another
// one in its explanation.
type gallery struct {
	*room
	shown, explained map[ids.ID]ids.ID
	versions         map[ids.ID]ids.ID
	apart            ids.ID
}

func newGallery(t *testing.T) *gallery {
	t.Helper()
	g := &gallery{room: newRoom(t, authoring.Settings{}), shown: map[ids.ID]ids.ID{}, explained: map[ids.ID]ids.ID{}, versions: map[ids.ID]ids.ID{}}
	blobs, err := blob.Open(t.Context(), "file://"+t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	files := media.NewFiles(g.store, blobs)
	sample.Write(t, g.store, g.operator, func(tx *db.Tx) error {
		picture := func() ids.ID {
			made := sample.Image(t, tx, files)
			g.versions[made.ID] = made.Current.ID
			return made.ID
		}
		g.apart = picture()
		term := sample.Term(t, tx, "topic", "leaves")
		for range 2 {
			shown, explained := picture(), picture()
			q := sample.Pictured(t, tx, shown, explained, term)
			g.shown[q.ID], g.explained[q.ID] = shown, explained
		}
		in := sample.EvaluationInput()
		in.Sections[0].Items = []authoring.ItemInput{{Draw: &authoring.Draw{Count: 1, TaxonomyTermIDs: []ids.ID{term}}}}
		in.Settings.FeedbackMode, in.Settings.FeedbackPolicy = "items", authoring.FeedbackPolicy{ShowExplanation: true}
		e, err := authoring.CreateEvaluation(t.Context(), tx, in)
		if err == nil {
			e, err = authoring.PublishEvaluation(t.Context(), tx, e.ID)
		}
		g.snapshot.EvaluationID = e.ID
		return err
	})
	return g
}

// sees gives the version of an asset that somebody is shown in a session.
func (g *gallery) sees(as db.Scope, open, asset ids.ID) (ids.ID, error) {
	var found media.Version
	err := g.store.Read(g.t.Context(), as, func(tx *db.Tx) error {
		var err error
		found, err = g.desk.Asset(g.t.Context(), tx, session.AssetInput{EvaluationID: g.snapshot.EvaluationID, SessionID: open, AssetID: asset})
		return err
	})
	return found.ID, err
}

func TestASessionShowsItsOwnPicturesAlone(t *testing.T) {
	t.Parallel()
	g := newGallery(t)
	s := g.start(g.candidate)
	drawn := s.Sections[0].Items[0].QuestionID
	proctor, other := g.person(capability.SessionsProctor), g.person(capability.SessionsTake)
	sees := func(as db.Scope, asset ids.ID, want bool) {
		t.Helper()
		got, err := g.sees(as, s.ID, asset)
		if want && (err != nil || got != g.versions[asset]) {
			t.Errorf("got version %s, %v", got, err)
		}
		if !want {
			wantCode(t, err, errs.NotFound)
		}
	}
	for question, asset := range g.shown {
		sees(g.candidate, asset, question == drawn)
		sees(g.candidate, g.explained[question], false)
		sees(other, asset, false)
	}
	sees(proctor, g.shown[drawn], true)
	sees(g.candidate, g.apart, false)
	if _, err := g.submit(g.candidate, s.ID, nil); err != nil {
		t.Fatal(err)
	}
	sees(g.candidate, g.shown[drawn], true)
	for question, asset := range g.explained {
		sees(g.candidate, asset, question == drawn)
	}
}
