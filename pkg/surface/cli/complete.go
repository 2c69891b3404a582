package cli

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assess/pkg/author/authoring"
	"assess/pkg/author/pack"
	"assess/pkg/author/skill"
	"assess/pkg/author/taxonomy"
	"assess/pkg/exam/programme"
	"assess/pkg/kernel/db"
	"assess/pkg/people/people"
)

// hint is a word that a shell may complete to: the name that people use, or the id where only an id will do.
type hint struct{ id, key, title string }

// hints reads some records of a noun; if the noun can be searched, only records that fit what is typed so far.
type hints func(ctx context.Context, tx *db.Tx, typed string) ([]hint, error)

// some is a page that is long enough to choose from.
var some = db.Page{Limit: db.MaxLimit}

// of makes hints of a list.
func of[T any](list func(ctx context.Context, tx *db.Tx, typed string) (db.List[T], error), hintOf func(T) hint) hints {
	return func(ctx context.Context, tx *db.Tx, typed string) ([]hint, error) {
		found, err := list(ctx, tx, typed)
		return mapped(found.Items, hintOf), err
	}
}

func mapped[T, R any](all []T, do func(T) R) []R {
	var done []R
	for _, one := range all {
		done = append(done, do(one))
	}
	return done
}

// completed are the nouns whose names and ids are completed, as flags and arguments call them.
var completed = map[string]hints{
	"question": of(func(ctx context.Context, tx *db.Tx, typed string) (db.List[authoring.QuestionSummary], error) {
		return authoring.ListQuestions(ctx, tx, authoring.QuestionFilter{Search: typed, Page: some})
	}, func(q authoring.QuestionSummary) hint { return hint{q.ID.String(), q.ExternalID, q.Text} }),
	"passage": of(func(ctx context.Context, tx *db.Tx, typed string) (db.List[authoring.PassageSummary], error) {
		return authoring.ListPassages(ctx, tx, authoring.PassageFilter{Search: typed, Page: some})
	}, func(p authoring.PassageSummary) hint { return hint{p.ID.String(), p.ExternalID, p.Title} }),
	"evaluation": of(func(ctx context.Context, tx *db.Tx, typed string) (db.List[authoring.EvaluationSummary], error) {
		return authoring.ListEvaluations(ctx, tx, authoring.EvaluationFilter{Search: typed, Page: some})
	}, func(e authoring.EvaluationSummary) hint { return hint{e.ID.String(), e.ExternalID, e.Title} }),
	"term": of(func(ctx context.Context, tx *db.Tx, typed string) (db.List[taxonomy.Term], error) {
		filter := taxonomy.TermFilter{Prefix: typed, Page: some}
		if facet, term, named := strings.Cut(typed, ":"); named {
			filter.Facet, filter.Prefix = facet, term
		}
		return taxonomy.ListTerms(ctx, tx, filter)
	}, func(t taxonomy.Term) hint { return hint{t.ID.String(), t.Facet + ":" + t.Slug, t.Label} }),
	"user": of(func(ctx context.Context, tx *db.Tx, typed string) (db.List[people.User], error) {
		return people.ListUsers(ctx, tx, people.UserFilter{Search: typed, Page: some})
	}, func(u people.User) hint { return hint{u.ID.String(), u.Email, u.Name} }),
	"group": of(func(ctx context.Context, tx *db.Tx, typed string) (db.List[people.Group], error) {
		return people.ListGroups(ctx, tx, people.GroupFilter{Name: typed, Page: some})
	}, func(g people.Group) hint { return hint{g.ID.String(), g.Name, g.Description} }),
	"role": of(func(ctx context.Context, tx *db.Tx, _ string) (db.List[people.Role], error) {
		return people.ListRoles(ctx, tx, some)
	}, func(r people.Role) hint { return hint{r.ID.String(), cmp.Or(r.SystemKey, r.Name), r.Name} }),
	"org": of(func(ctx context.Context, tx *db.Tx, _ string) (db.List[people.OrgUnit], error) {
		return people.ListOrgUnits(ctx, tx, some)
	}, func(o people.OrgUnit) hint { return hint{o.ID.String(), o.Slug, o.Name} }),
	"pack": of(func(ctx context.Context, tx *db.Tx, _ string) (db.List[pack.LibrarySummary], error) {
		return pack.ListLibraries(ctx, tx, pack.LibraryFilter{Page: some})
	}, func(l pack.LibrarySummary) hint { return hint{l.ID.String(), l.Name, l.Description} }),
	"skill": of(func(ctx context.Context, tx *db.Tx, _ string) (db.List[skill.Skill], error) {
		return skill.List(ctx, tx, skill.Filter{Page: some})
	}, func(s skill.Skill) hint { return hint{id: s.ID.String(), title: s.Name} }),
	"framework": of(func(ctx context.Context, tx *db.Tx, _ string) (db.List[skill.Framework], error) {
		return skill.ListFrameworks(ctx, tx, some)
	}, func(f skill.Framework) hint { return hint{id: f.ID.String(), title: f.Title} }),
	"skill-map": of(func(ctx context.Context, tx *db.Tx, _ string) (db.List[skill.MappingSet], error) {
		return skill.ListSets(ctx, tx, some)
	}, func(m skill.MappingSet) hint { return hint{id: m.ID.String(), title: m.Title} }),
	"subject": of(func(ctx context.Context, tx *db.Tx, _ string) (db.List[programme.Subject], error) {
		return programme.ListSubjects(ctx, tx, programme.SubjectFilter{Page: some})
	}, func(s programme.Subject) hint { return hint{id: s.ID.String(), title: s.Name} }),
	"engagement": of(func(ctx context.Context, tx *db.Tx, _ string) (db.List[programme.Engagement], error) {
		return programme.ListEngagements(ctx, tx, programme.EngagementFilter{Page: some})
	}, func(e programme.Engagement) hint { return hint{id: e.ID.String(), title: e.Name} }),
	"requirement": of(func(ctx context.Context, tx *db.Tx, _ string) (db.List[programme.Requirement], error) {
		return programme.ListRequirements(ctx, tx, programme.RequirementFilter{Page: some})
	}, func(r programme.Requirement) hint { return hint{id: r.ID.String(), title: r.Name} }),
}

// meant are other words for these nouns, in flags and in the use of commands.
var meant = map[string]string{"evaluation-version": "evaluation", "email|id": "user", "email|user": "user",
	"org-unit": "org", "library": "pack", "set-id": "skill-map", "set": "skill-map", "framework-id": "framework"}

// complete lets shells complete flags and arguments from the database that the call would work on.
func (s *Shell) complete(root *cobra.Command) {
	eachCommand(root, func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			noun := cmp.Or(meant[f.Name], f.Name)
			if kind := cmp.Or(meant[f.Value.Type()], f.Value.Type()); completed[kind] != nil {
				noun = kind
			}
			// A flag of another command's would be registered twice, which is the only error.
			if completed[noun] != nil && c.Name() != "create" {
				_ = c.RegisterFlagCompletionFunc(f.Name, s.completes(noun, f.Value.Type() == "id"))
			}
		})
		if c.HasSubCommands() || c.ValidArgs != nil {
			return
		}
		c.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			noun := argument(cmd, len(args))
			if completed[noun] == nil {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return s.completes(noun, false)(cmd, args, typed)
		}
	})
	_ = root.RegisterFlagCompletionFunc("tenant", s.completeTenant)
	_ = root.RegisterFlagCompletionFunc("org", s.completes("org", false))
}

// argument gives the noun that a command takes at a place: its own where the use says ID, and the last one
// again where it says that more follow.
func argument(c *cobra.Command, at int) string {
	words := useWords(c.Use)
	if len(words) == 0 {
		return ""
	}
	if at >= len(words) {
		if !strings.Contains(words[len(words)-1], "...") {
			return ""
		}
		at = len(words) - 1
	}
	word := strings.Trim(words[at], "[].")
	if strings.HasPrefix(word, "ID") {
		return c.Parent().Name()
	}
	word = strings.ToLower(word)
	return cmp.Or(meant[word], word)
}

// completeWithin is how long somebody waits at a terminal for a completion.
const completeWithin = 3 * time.Second

// completes gives the words that a word can become. If anything goes wrong, there is no completion: a shell has no place for errors.
func (s *Shell) completes(noun string, byID bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(cmd.Context(), completeWithin)
		defer cancel()
		if s.settle() != nil || s.settleScope(cmd) != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		if noun == "org" {
			s.Org, s.AllOrgs = "", true
		}
		found, err := read(ctx, s, func(tx *db.Tx) ([]hint, error) {
			some, err := completed[noun](ctx, tx, typed)
			if err != nil || len(some) > 0 || typed == "" {
				return some, err
			}
			return completed[noun](ctx, tx, "") // what is typed is no word that the search knows
		})
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return offered(found, byID, typed), cobra.ShellCompDirectiveNoFileComp
	}
}

func offered(found []hint, byID bool, typed string) []cobra.Completion {
	var words []cobra.Completion
	for _, h := range found {
		word := h.key
		if byID || word == "" {
			word = h.id
		}
		if strings.HasPrefix(strings.ToLower(word), strings.ToLower(typed)) {
			words = append(words, cobra.CompletionWithDesc(clean(word), clean(h.title)))
		}
	}
	return words
}

func (s *Shell) completeTenant(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completeWithin)
	defer cancel()
	if s.settle() != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	store, err := s.Store(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	tenants, err := people.ListTenants(ctx, store)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return offered(mapped(tenants, func(t people.Tenant) hint { return hint{t.ID.String(), t.Slug, t.Name} }), false, typed), cobra.ShellCompDirectiveNoFileComp
}
