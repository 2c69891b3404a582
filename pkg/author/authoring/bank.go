package authoring

import (
	"context"
	"slices"

	"assess/models"
	"assess/pkg/author/media"
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// bank is what a draft refers to, as it stands now: the questions and passages that the
// scope has, their published versions, the pools of the draws, and the names of all terms.
type bank struct {
	status   map[ids.ID]string
	versions map[ids.ID]QuestionVersion
	passages map[ids.ID]bankPassage
	// pinned holds passage versions by their own id.
	pinned map[ids.ID]SnapshotPassage
	assets map[ids.ID]ids.ID
	// newer is what publishing does not pin, and warns of.
	newer newer
	// candidates counts by draw the questions that it could show, up to maxPool + 1; pools
	// are what the draws share out among themselves, by draw.
	candidates map[ids.ID]int
	pools      map[ids.ID][]ids.ID
	terms      map[ids.ID]taxonomy.Name
	// facets has the labels of those of the terms, and of those that feedback speaks of, by slug.
	facets map[string]string
	// languages are those that the tenant requires.
	languages media.Languages
}

// loadBank reads what a draft of an org unit refers to, in a fixed number of statements.
func loadBank(ctx context.Context, tx *db.Tx, org ids.ID, draft EvaluationVersion) (bank, error) {
	b := bank{status: map[ids.ID]string{}, versions: map[ids.ID]QuestionVersion{}, pinned: map[ids.ID]SnapshotPassage{},
		assets: map[ids.ID]ids.ID{}, newer: newer{drafts: map[ids.ID]bool{}, pins: map[ids.ID]map[ids.ID]ids.ID{}}}
	var err error
	b.passages, err = findBankPassages(ctx, tx, draft.passageIDs())
	if err != nil {
		return bank{}, err
	}
	fixed := draft.questionIDs()
	for _, passage := range b.passages {
		fixed = append(fixed, passage.questions...)
	}
	err = b.draw(ctx, tx, org, draft.draws(), fixed)
	if err != nil {
		return bank{}, err
	}
	for _, pool := range b.pools {
		fixed = append(fixed, pool...)
	}
	err = b.loadQuestions(ctx, tx, fixed)
	if err != nil {
		return bank{}, err
	}
	err = b.loadPassageVersions(ctx, tx)
	if err != nil {
		return bank{}, err
	}
	b.terms, err = taxonomy.Names(ctx, tx, b.termIDs(draft))
	if err != nil {
		return bank{}, err
	}
	b.facets, err = taxonomy.FacetLabels(ctx, tx, b.facetSlugs(draft.Settings.FeedbackTagKeys))
	if err != nil {
		return bank{}, err
	}
	b.languages, err = media.LoadLanguages(ctx, tx)
	if err != nil {
		return bank{}, err
	}
	return b, b.loadNewer(ctx, tx)
}

// loadQuestions reads questions with their published versions and what these pin.
func (b *bank) loadQuestions(ctx context.Context, tx *db.Tx, wanted []ids.ID) error {
	rows, err := questionStore.find(ctx, tx, wanted)
	if err != nil {
		return err
	}
	var published []ids.ID
	for _, row := range rows {
		b.status[row.ID], b.newer.drafts[row.ID] = row.Status, row.DraftID != nil
		published = append(published, versionIDs(row.PublishedID)...)
	}
	versions, err := questionStore.versionsByID(ctx, tx, published)
	if err != nil {
		return err
	}
	for _, row := range versions {
		b.versions[row.QuestionID], err = questionVersionOf(row)
		if err != nil {
			return err
		}
		b.pin(row.ID, row.Pins.AssetVersions)
	}
	return nil
}

// pin remembers the assets that a version pinned. Where several pinned different versions of
// one, all are shown with the newest, whatever the order in which they are read: ids grow.
func (b *bank) pin(version ids.ID, pins map[ids.ID]ids.ID) {
	b.newer.pins[version] = pins
	for asset, pinned := range pins {
		before := b.assets[asset]
		if slices.Compare(pinned[:], before[:]) > 0 {
			b.assets[asset] = pinned
		}
	}
}

// loadPassageVersions reads the versions that the groups show and those that the other
// questions pinned when they were published.
func (b *bank) loadPassageVersions(ctx context.Context, tx *db.Tx) error {
	var wanted []ids.ID
	for _, passage := range b.passages {
		wanted = append(wanted, versionIDs(passage.published)...)
	}
	for _, version := range b.versions {
		wanted = append(wanted, versionIDs(version.PassageVersionID)...)
	}
	return b.findPassageVersions(ctx, tx, wanted)
}

// questionsOf gives the questions that an item can show, in order. Archived questions of a
// passage are left out.
func (b bank) questionsOf(item Item) []ids.ID {
	switch {
	case item.Draw != nil:
		return b.pools[item.ID]
	case item.PassageID != ids.None:
		return slices.DeleteFunc(slices.Clone(b.passages[item.PassageID].questions), func(id ids.ID) bool {
			return b.status[id] == models.AuthoringArchived
		})
	default:
		return []ids.ID{item.QuestionID}
	}
}

// passageOf gives the version of the passage that a question is shown with: that of its
// group, or the one that the question pinned; nil for none.
func (b bank) passageOf(item Item, question ids.ID) *ids.ID {
	if item.PassageID != ids.None {
		return b.passages[item.PassageID].published
	}
	return b.versions[question].PassageVersionID
}

func (b bank) termIDs(draft EvaluationVersion) []ids.ID {
	all := slices.Clone(draft.TaxonomyTermIDs)
	for _, item := range draft.draws() {
		all = slices.Concat(all, item.Draw.TaxonomyTermIDs, item.Draw.ExcludeTaxonomyTermIDs)
	}
	for _, version := range b.versions {
		all = append(all, version.TaxonomyTermIDs...)
	}
	return termSet(all)
}

func (v EvaluationVersion) questionIDs() []ids.ID {
	var all []ids.ID
	for item := range v.items() {
		if item.QuestionID != ids.None {
			all = append(all, item.QuestionID)
		}
	}
	return all
}

func (v EvaluationVersion) passageIDs() []ids.ID {
	var all []ids.ID
	for item := range v.items() {
		if item.PassageID != ids.None {
			all = append(all, item.PassageID)
		}
	}
	return all
}

func (v EvaluationVersion) draws() []Item {
	var all []Item
	for item := range v.items() {
		if item.Draw != nil {
			all = append(all, item)
		}
	}
	return all
}
