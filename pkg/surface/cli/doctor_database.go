package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"assess/config"
	"assess/migrations"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/pgdev"
	"assess/pkg/kernel/plural"
	"assess/pkg/people/access"
)

// patience is how long doctor waits for a server.
const patience = 5 * time.Second

// examineDatabase goes from the outside to the inside, and stops where nothing further can
// be said.
func (s *Shell) examineDatabase(ctx context.Context, c config.Config, d *Diagnosis) {
	if c.Database.URL == "" && !c.Database.Embedded {
		d.problem("database", "no database is named", "set database.url (or ASSESS_DATABASE_URL), or give --embedded")
		return
	}
	store, err := s.open(ctx, c)
	if err != nil {
		d.problem("database", err.Error(), openRemedy(err))
		return
	}
	s.store = store
	if s.server != nil {
		d.ok("private database", "runs in "+s.server.Home())
		examineDisk(s.server.Home(), d)
	}
	if !examineConnection(ctx, store, d) {
		return
	}
	problems, err := store.Check(ctx, migrations.All())
	if err != nil {
		d.problem("schema", err.Error(), "look into the log of PostgreSQL")
		return
	}
	for _, p := range problems {
		d.problem("schema", p.What, p.Remedy)
	}
	if len(problems) > 0 {
		return
	}
	d.ok("schema", fmt.Sprintf("the login obeys row-level security, and all %d migrations are applied", len(migrations.All())))
	examineNodes(ctx, store, d)
	examineDurability(ctx, store, d)
	examineProjector(ctx, store, d)
	examinePercentiles(ctx, store, c.Projector.PercentilesEvery, d)
	examineKeys(ctx, store, c, d)
	examineLedger(ctx, store, c, d)
	examineFiles(ctx, store, c, d)
	examineOthers(ctx, c.Database, d)
}

// examineKeys looks whether tokens can be signed and checked.
func examineKeys(ctx context.Context, store *db.Store, c config.Config, d *Diagnosis) {
	auth, err := access.WithKeySecret(c)
	closed := 0
	if err == nil {
		closed, err = access.ClosedKeys(ctx, store, auth)
	}
	switch {
	case err != nil:
		d.problem("signing keys", err.Error(), "set auth.key_secret to what assessd has")
	case closed > 0:
		d.problem("signing keys", plural.Of(closed, "key")+" in use cannot be opened with auth.key_secret",
			"give the secret that assessd has; after a change of the secret, assessctl key rotate retires the keys of the old one")
	default:
		d.ok("signing keys", "auth.key_secret opens those in use")
	}
}

func openRemedy(err error) string {
	if errors.Is(err, pgdev.ErrNoPrograms) {
		return "install PostgreSQL's server programs, or name a server with database.url"
	}
	return "correct database.url or database.embedded_dir"
}

// examineConnection also compares the clocks, since tokens and deadlines hang on both.
func examineConnection(ctx context.Context, store *db.Store, d *Diagnosis) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	version, major, err := store.Version(ctx)
	if err != nil {
		d.problem("connection", err.Error(), connectRemedy(err))
		return false
	}
	before := time.Now()
	there, err := store.Clock(ctx)
	if err != nil {
		d.problem("connection", err.Error(), connectRemedy(err))
		return false
	}
	d.ok("connection", "PostgreSQL "+version)
	d.version(major)
	d.clocks(before, time.Now(), there)
	return true
}

func (d *Diagnosis) version(major int) {
	if !db.Tested(major) {
		d.warn("version", fmt.Sprintf("nobody has tested this on PostgreSQL %d", major),
			fmt.Sprintf("use one of the versions that are tested: %s", strings.Trim(fmt.Sprint(db.TestedMajors), "[]")))
	}
}

// examineDurability warns of servers that acknowledge writes which a crash can still take away.
func examineDurability(ctx context.Context, store *db.Store, d *Diagnosis) {
	careless, err := store.Careless(ctx)
	switch {
	case err != nil:
		d.problem("durability", err.Error(), "look into the log of PostgreSQL")
	case len(careless) > 0:
		d.warn("durability", "a crash may take away answers that were acknowledged: "+strings.Join(careless, ", "),
			"switch them on in postgresql.conf, unless this is a test")
	default:
		d.ok("durability", "what is acknowledged is on disk")
	}
}

// tolerance is the difference of clocks that does no harm.
const tolerance = 2 * time.Second

// clocks knows the database's time only as something between before and after.
func (d *Diagnosis) clocks(before, after, there time.Time) {
	ahead := max(there.Sub(after), before.Sub(there), 0)
	if ahead <= tolerance {
		d.ok("clocks", "machine and database agree")
		return
	}
	d.warn("clocks", fmt.Sprintf("the clocks of this machine and the database differ by %s", ahead.Round(time.Second)),
		"let both machines follow a time server (NTP)")
}

func connectRemedy(err error) string {
	var refused *pgconn.PgError
	switch {
	case !errors.As(err, &refused):
		return "start PostgreSQL, and check host and port of database.url"
	case strings.HasPrefix(refused.Code, "28"):
		return "check user and password of database.url"
	case refused.Code == "3D000":
		return "create the database; assessctl migrate says how"
	}
	return "look into the log of PostgreSQL"
}

// examineOthers tries the logins that only some commands need.
func examineOthers(ctx context.Context, c config.Database, d *Diagnosis) {
	for _, other := range []struct{ key, url string }{
		{"database.owner_url", c.OwnerURL}, {"database.admin_url", c.AdminURL}, {"database.report_url", c.ReportURL},
	} {
		if other.url == "" {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, patience)
		conn, err := pgconn.Connect(ctx, other.url)
		if err != nil {
			d.problem(other.key, err.Error(), strings.ReplaceAll(connectRemedy(err), "database.url", other.key))
		} else {
			d.ok(other.key, "can connect")
			conn.Close(ctx) //nolint:errcheck // nothing hangs on it
		}
		cancel()
	}
}
