package op

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"assess/config"
	"assess/pkg/author/authoring"
	"assess/pkg/author/pack"
	"assess/pkg/author/taxonomy"
	"assess/pkg/exam/lti"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/idp"
	"assess/pkg/people/people"
)

// The names by which people call records at a terminal. Both surfaces look names up here: assessctl in its own transaction, or over
// HTTP in one of the service. Each look-up checks what its operation checks.

// Find finds the record that a word names, by the noun of its field: an id, or the name that people use. within is the record that
// it belongs to, if its noun has one: for a revision the library. A record without another name goes by its id.
func Find(ctx context.Context, tx *db.Tx, noun, word string, within ids.ID) (ids.ID, error) {
	if find := nouns[noun]; find != nil {
		return find(ctx, tx, word, within)
	}
	return RecordID(strings.ReplaceAll(noun, "-", " "), word)
}

// Named says whether records of a noun have names besides their ids.
func Named(noun string) bool { return nouns[noun] != nil }

// Found is a record that a name means.
type Found struct {
	ID ids.ID `json:"id"`
}

// nouns find the record that a word names. A noun that means something without a word gets none.
var nouns = map[string]func(ctx context.Context, tx *db.Tx, word string, within ids.ID) (ids.ID, error){
	"evaluation":         unaided(FindEvaluation),
	"evaluation-version": unaided(FindEvaluationVersion),
	"facet": unaided(func(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
		facet, err := taxonomy.FindFacet(ctx, tx, word)
		return facet.ID, err
	}),
	"group":    unaided(FindGroup),
	"idp":      unaided(FindIDP),
	"library":  unaided(FindLibrary),
	"org-unit": unaided(findTarget),
	"passage":  unaided(FindPassage),
	"platform": unaided(findPlatform),
	"question": unaided(FindQuestion),
	"revision": FindRevision,
	"role": unaided(func(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
		role, err := FindRole(ctx, tx, word)
		return role.ID, err
	}),
	"term": unaided(FindTerm),
	"user": unaided(FindUserID),
}

func unaided(find func(context.Context, *db.Tx, string) (ids.ID, error)) func(context.Context, *db.Tx, string, ids.ID) (ids.ID, error) {
	return func(ctx context.Context, tx *db.Tx, word string, _ ids.ID) (ids.ID, error) {
		return find(ctx, tx, word)
	}
}

// Misnamed is the error of a word that can name nothing.
type Misnamed struct{ error }

// Unwrap gives the error as callers over HTTP see it.
func (m *Misnamed) Unwrap() error { return m.error }

func misnamed(format string, args ...any) error {
	return &Misnamed{errs.New(errs.ValidationFailed, format, args...)}
}

// Finder gives ids by external id; Unknown ones are absent.
type Finder func(context.Context, *db.Tx, []string) (map[string]ids.ID, error)

// FindQuestion finds a question by its id, or by its external id in the org unit.
func FindQuestion(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	return findOne(ctx, tx, "question", word, authoring.FindQuestions)
}

// FindPassage finds a passage in the same way.
func FindPassage(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	return findOne(ctx, tx, "passage", word, authoring.FindPassages)
}

// FindEvaluation finds an evaluation in the same way.
func FindEvaluation(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	return findOne(ctx, tx, "evaluation", word, authoring.FindEvaluations)
}

func findOne(ctx context.Context, tx *db.Tx, noun, word string, find Finder) (ids.ID, error) {
	found, err := FindAll(ctx, tx, noun, []string{word}, find)
	if err != nil {
		return ids.None, err
	}
	return found[0], nil
}

// FindAll gives the ids of things in the order of the words for them; it looks for all
// external ids at once.
func FindAll(ctx context.Context, tx *db.Tx, noun string, words []string, find Finder) ([]ids.ID, error) {
	found := make([]ids.ID, len(words))
	var external []string
	for i, word := range words {
		id, parseErr := ids.Parse(noun, word)
		if parseErr != nil {
			external = append(external, word)
			continue
		}
		found[i] = id
	}
	if len(external) == 0 {
		return found, nil
	}
	if tx.Scope().OrgUnit == ids.None {
		return nil, misnamed("%q is no id, and an external id belongs to one org unit: give --org", external[0])
	}
	known, err := find(ctx, tx, external)
	if err != nil {
		return nil, err
	}
	for i, word := range words {
		if found[i] != ids.None {
			continue
		}
		id, ok := known[word]
		if !ok {
			return nil, errs.New(errs.NotFound, "There is no %s %q.", noun, word)
		}
		found[i] = id
	}
	return found, nil
}

// FindUser finds a user by e-mail address or id.
func FindUser(ctx context.Context, tx *db.Tx, word string) (people.User, error) {
	if strings.Contains(word, "@") {
		user, err := people.UserByEmail(ctx, tx, word)
		return user, Unknown("user", word, err)
	}
	id, err := ids.Parse("user", word)
	if err != nil {
		return people.User{}, misnamed("%q is neither an e-mail address nor an id", word)
	}
	user, err := people.GetUser(ctx, tx, id)
	return user, Unknown("user", word, err)
}

// FindUserID finds the id of a user in the same way.
func FindUserID(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	user, err := FindUser(ctx, tx, word)
	return user.ID, err
}

// FindGroup finds a group by its name or id.
func FindGroup(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	found, err := people.FindGroup(ctx, tx, word)
	return found.ID, Unknown("group", word, err)
}

// FindRole finds a role by its key, name or id; one that is not there gets the name that was meant.
func FindRole(ctx context.Context, tx *db.Tx, word string) (people.Role, error) {
	role, err := people.FindRole(ctx, tx, word)
	if !errors.Is(err, errs.NotFound) {
		return role, err
	}
	known, listing := people.ListRoles(ctx, tx, db.Page{Limit: db.MaxLimit})
	if listing != nil {
		return role, listing
	}
	var names []string
	for _, r := range known.Items {
		names = append(names, cmp.Or(r.SystemKey, r.Name))
	}
	return role, errs.New(errs.NotFound, "There is no role %q%s", word, cmp.Or(config.Meant(word, names), "."))
}

// FindTerm finds a term as people write it, or by its id.
func FindTerm(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	term, err := taxonomy.FindTerm(ctx, tx, word)
	return term.ID, Unknown("term", word, err)
}

// FindEvaluationVersion finds a version by its id, or the published one of an evaluation by
// the external id of that.
func FindEvaluationVersion(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	id, parseErr := ids.Parse("evaluation-version", word)
	if parseErr == nil || word == "" {
		return id, nil
	}
	evaluation, err := FindEvaluation(ctx, tx, word)
	if err != nil {
		return ids.None, err
	}
	published, err := authoring.PublishedVersion(ctx, tx, evaluation)
	return published.EvaluationVersionID, Unknown("evaluation", word, err)
}

// FindIDP finds an identity provider by its slug or id.
func FindIDP(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	if id, err := ids.Parse("idp", word); err == nil {
		found, err := idp.Get(ctx, tx, id)
		return found.ID, Unknown("identity provider", word, err)
	}
	found, err := idp.BySlug(ctx, tx, word)
	return found.ID, Unknown("identity provider", word, err)
}

// findPlatform finds a learning platform by its id, or by its name where no other has it.
func findPlatform(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	if id, err := ids.Parse("platform", word); err == nil {
		found, err := lti.GetPlatform(ctx, tx, id)
		return found.ID, Unknown("learning platform", word, err)
	}
	found, err := lti.PlatformByName(ctx, tx, word)
	return found.ID, Unknown("learning platform", word, err)
}

// RecordID reads the id of a record that has no other name.
func RecordID(what, word string) (ids.ID, error) {
	id, err := ids.Parse(what, word)
	if err != nil {
		return ids.None, misnamed("%q is no id: say which %s", word, what)
	}
	return id, nil
}

// Unknown names the record that a flag named, if the failure is that it does not exist.
func Unknown(what, word string, err error) error {
	if errors.Is(err, errs.NotFound) && !strings.Contains(err.Error(), strconv.Quote(word)) {
		return errs.New(errs.NotFound, "There is no %s %q.", what, word)
	}
	return err
}

// FindLibrary finds a library by its id or its name.
func FindLibrary(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	id, err := ids.Parse("library", word)
	if err == nil {
		return id, nil
	}
	var found []ids.ID
	for _, archived := range []bool{false, true} {
		for page := 1; page > 0; page++ {
			list, err := pack.ListLibraries(ctx, tx, pack.LibraryFilter{Archived: archived, Page: db.Page{Page: page, Limit: db.MaxLimit}})
			if err != nil {
				return ids.None, err
			}
			for _, l := range list.Items {
				if l.Name == word {
					found = append(found, l.ID)
				}
			}
			if page*db.MaxLimit >= list.Total {
				break
			}
		}
	}
	switch {
	case len(found) == 0:
		return ids.None, errs.New(errs.NotFound, "There is no library %q.", word)
	case len(found) > 1:
		return ids.None, misnamed("%d libraries are called %q: give the id of one", len(found), word)
	}
	return found[0], nil
}

// FindRevision finds a revision of the library by its id or number; without one it is the newest.
func FindRevision(ctx context.Context, tx *db.Tx, word string, library ids.ID) (ids.ID, error) {
	id, err := ids.Parse("revision", word)
	if err == nil {
		return id, nil
	}
	number := 0
	if word != "" {
		number, err = strconv.Atoi(word)
		if err != nil || number < 1 {
			return ids.None, misnamed("%q is no revision: give its number or its id", word)
		}
	}
	r, err := pack.FindRevision(ctx, tx, library, number)
	return r.ID, err
}

// findTarget finds an org unit by its id or slug; without one it is the org unit of the call.
func findTarget(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	if word == "" {
		return tx.HomeOrgUnit()
	}
	unit, err := people.FindOrgUnit(ctx, tx, word)
	if err == nil && unit.ID != tx.Scope().OrgUnit {
		err = tx.Require(capability.UsersRead) // callers who list org units see the others
	}
	if err != nil {
		return ids.None, err
	}
	return unit.ID, nil
}
