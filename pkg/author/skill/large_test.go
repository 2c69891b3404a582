package skill_test

import (
	"bytes"
	"fmt"
	"testing"

	"assess/pkg/author/skill"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
)

// Operations on a large framework read each of its skills a few times, and never all of them for each.
func TestALargeFrameworkIsReadAFewTimes(t *testing.T) {
	t.Parallel()
	const n = 2_000
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App})
	scope := sample.Tenant(t, store)
	made := madePackage(n)
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		file := skill.ReadCASE(encoded(t, made))
		err := store.DryRun(t.Context(), scope, func(tx *db.Tx) error {
			plans.Force(t, tx)
			var done skill.ImportResult
			take := func() (err error) {
				done, err = skill.Import(t.Context(), tx, file)
				return err
			}
			export := func() error { return skill.WriteCASE(t.Context(), tx, done.FrameworkID, &bytes.Buffer{}) }
			for _, step := range []struct {
				what      string
				prepare   func()
				do        func() error
				published int
			}{
				{"an import", func() {}, take, 0},
				{"publishing", func() { file.Publish = true }, take, n},
				{"an export", func() {}, export, n},
				{"a change", func() {
					for i := range file.Skills {
						file.Skills[i].Name = fmt.Sprint("Renamed ", i)
					}
				}, take, n},
				{"an import again", func() {}, take, 0},
			} {
				step.prepare()
				reads := dbtest.ReadsOf(t, tx, step.do)
				for _, table := range []string{"skills", "skill_versions"} {
					if r := reads[table]; r.Rows > 20*n || r.Entries > 40*n {
						t.Errorf("%s reads of %s %+v, want at most 20 rows and 40 entries for each of %d skills", step.what, table, r, n)
					}
				}
				if done.Published != step.published {
					t.Errorf("%s: %d were published, want %d", step.what, done.Published, step.published)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}, urls)
}
