package lti_test

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assess/pkg/dev/await"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/lms"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/lti"
	"assess/pkg/exam/remediation"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/outgoing"
	"assess/pkg/people/access"
	"assess/pkg/report/projection"
)

// The settings of a sender in a process of its own.
const (
	killedDatabase = "ASSESS_KILLED_DATABASE"
	killedTenant   = "ASSESS_KILLED_TENANT"
	killedRoots    = "ASSESS_KILLED_ROOTS"
	killedPort     = "ASSESS_KILLED_PORT"
	// killedGrades is how many people get a grade; 100 unless it is set.
	killedGrades = "ASSESS_LTI_GRADES"
)

// TestASenderInAProcessOfItsOwn is no test: the one below starts it, and kills it. It projects what was handed in and corrected, and sends the grades.
func TestASenderInAProcessOfItsOwn(t *testing.T) {
	url := os.Getenv(killedDatabase)
	if url == "" {
		return
	}
	store, err := db.Open(t.Context(), db.Options{URL: url, MaxConns: 8, KeySecret: sample.KeySecret})
	if err != nil {
		t.Fatal(err)
	}
	tenant, err := ids.Parse("", os.Getenv(killedTenant))
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.ParseUint(os.Getenv(killedPort), 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(os.Getenv(killedRoots)))
	client := outgoing.New(outgoing.Rules{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Roots: roots, Port: uint16(port)})
	go func() {
		for {
			n := 0
			err := store.Write(t.Context(), db.System(tenant, "projector"), func(tx *db.Tx) error {
				var err error
				n, err = projection.ProjectBatch(t.Context(), tx, projection.BatchSize)
				return err
			})
			if err != nil || n == 0 {
				outgoing.Pause(t.Context(), 20*time.Millisecond)
			}
		}
	}()
	desk := lti.NewDesk(store, access.NewAuthority(store, sample.Auth()), client, base)
	lti.NewSender(desk, slog.New(slog.DiscardHandler)).Hurried().Run(t.Context())
}

// process is a process of its own.
type process struct {
	cmd  *exec.Cmd
	said *bytes.Buffer
}

// sendElsewhere starts a process that sends.
func (g *gradebook) sendElsewhere(url string) process {
	g.Helper()
	roots := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: g.lms.Certificate().Raw})
	port := netip.MustParseAddrPort(g.lms.Listener.Addr().String()).Port()
	p := process{exec.Command(os.Args[0], "-test.run=^TestASenderInAProcessOfItsOwn$"), &bytes.Buffer{}} //nolint:gosec // it is this program
	p.cmd.Env = append(slices.Clone(os.Environ()), killedDatabase+"="+url, killedTenant+"="+g.scope.Tenant.String(), killedRoots+"="+string(roots), killedPort+"="+strconv.Itoa(int(port)))
	p.cmd.Stdout, p.cmd.Stderr = p.said, p.said
	err := p.cmd.Start()
	if err != nil {
		g.Fatal(err)
	}
	return p
}

// end kills it, without a word before.
func (p process) end() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// crowd puts people into the course, with accounts of the platform.
func (g *gradebook) crowd(n int) []ids.ID {
	g.Helper()
	var users []ids.ID
	for range n {
		users = append(users, ids.New())
	}
	g.write(func(tx *db.Tx) error {
		err := tx.AnnounceAccess(g.Context())
		if err != nil {
			return err
		}
		for _, sql := range []string{
			"insert into users (tenant_id, id, name, status, created_at, updated_at) select t.id, u, 'Somebody', 'active', now(), now() from tenants t cross join unnest($2::uuid[]) u where t.id = $1 returning true",
			"insert into user_org_units (tenant_id, user_id, org_unit_id) select c.tenant_id, u, c.org_unit_id from lti_contexts c cross join unnest($2::uuid[]) u where c.tenant_id = $1 returning true",
			"insert into group_members (tenant_id, group_id, user_id, org_unit_id, added_at) select c.tenant_id, c.group_id, u, c.org_unit_id, now() from lti_contexts c cross join unnest($2::uuid[]) u where c.tenant_id = $1 returning true",
			"insert into user_accounts (tenant_id, id, user_id, source, source_id, subject, linked_by, linked_at) select p.tenant_id, u, u, 'lti', p.id, u::text, 'operator:x', now() from lti_platforms p cross join unnest($2::uuid[]) u where p.tenant_id = $1 returning true",
		} {
			_, err := tx.Exec(g.Context(), sql, tx.Tenant(), users)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return users
}

// take has people take the exam that the activity hands out, a few at once: the first question is answered with B, which is wrong.
func (g *gradebook) take(users []ids.ID) {
	g.Helper()
	desk := session.NewDesk()
	var all sync.WaitGroup
	for part := range slices.Chunk(users, len(users)/4+1) {
		all.Go(func() {
			for _, user := range part {
				err := g.store.Write(g.Context(), sample.As(g.scope, user, capability.SessionsTake), func(tx *db.Tx) error {
					open, err := desk.Start(g.Context(), tx, session.StartInput{EvaluationID: g.evaluation, AssignmentID: &g.ada.assignment})
					if err == nil {
						_, err = desk.Save(g.Context(), tx, session.SaveInput{EvaluationID: g.evaluation, SessionID: open.ID, Answers: sample.Answers(g.snapshot, `{"optionIds":["B"]}`, `{"optionIds":["B"]}`)})
					}
					if err == nil {
						_, err = desk.Submit(g.Context(), tx, session.SubmitInput{EvaluationID: g.evaluation, SessionID: open.ID})
					}
					return err
				})
				if err != nil {
					g.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// correct gives the first question another key, B, in all that was handed in.
func (g *gradebook) correct() {
	g.Helper()
	item := g.snapshot.Sections[0].Items[0]
	var made remediation.Remediation
	g.write(func(tx *db.Tx) error {
		var err error
		made, err = remediation.Create(g.Context(), tx, remediation.Input{QuestionVersionID: item.QuestionVersionID, EvaluationVersionID: &g.snapshot.EvaluationVersionID, Rule: remediation.RuleRekey,
			Parameters: remediation.Parameters{CorrectOptionIDs: []string{"B"}}, Reason: "the key was wrong"})
		if err == nil {
			_, err = remediation.Apply(g.Context(), tx, made.ID)
		}
		return err
	})
	_, err := remediation.Run(g.Context(), g.store, g.scope.Tenant, made.ID, nil)
	if err != nil {
		g.Fatal(err)
	}
}

// killing is how often both sides were killed. The platform takes no more grades than until before the next one is: nobody is too quick to be killed.
type killing struct {
	sender, platform int
	until            atomic.Int64
}

// arriveDespite waits until so many grades have come in all, while the process that sends and the platform are killed again and again. Time does not pass by itself here: what
// waits for another try is due at once.
func (g *gradebook) arriveDespite(url string, total int, k *killing) {
	g.Helper()
	sender, away := g.sendElsewhere(url), false
	defer func() { sender.end() }()
	next := func() int { return len(g.lms.Scores("final")) + 1 + rand.IntN(total/4+1) } //nolint:gosec // it keeps no secret
	killSender, killPlatform := next(), next()
	k.until.Store(int64(min(killSender, killPlatform)))
	await.Until(g, "all grades arrived", func() bool {
		g.ready()
		came := len(g.lms.Scores("final"))
		switch {
		case away:
			g.lms.Revive()
			away, killPlatform = false, next()
		case came >= total:
			return g.count("select count(*) from lti_scores where tenant_id = $1 and state = 'due'") == 0
		case came >= killPlatform:
			g.lms.Kill()
			away, k.platform = true, k.platform+1
		case came >= killSender:
			sender.end()
			sender, killSender, k.sender = g.sendElsewhere(url), next(), k.sender+1
		}
		k.until.Store(int64(min(killSender, killPlatform)))
		return false
	})
}

// Grades of real attempts, and after a real remediation, reach the gradebook once each, though the process that sends and the platform are killed meanwhile.
func TestGradesArriveOnceEachWhoeverIsKilled(t *testing.T) {
	t.Parallel()
	n := 100
	if said := os.Getenv(killedGrades); said != "" {
		n, _ = strconv.Atoi(said)
	}
	urls := dbtest.Fresh(t)
	g := gradebookIn(t, urls)
	users := g.crowd(n)
	var k killing
	// A platform that dies has taken the grade, or has not.
	g.lms.Dies = func(lms.Score) (before, behind bool) {
		enough := int64(len(g.lms.Scores("final"))) >= k.until.Load()
		return enough || rand.IntN(50) == 0, rand.IntN(50) == 0 //nolint:gosec // it keeps no secret
	}
	g.take(users)
	g.arriveDespite(urls.App, n, &k)
	g.correct()
	g.arriveDespite(urls.App, 2*n, &k)
	came := map[string][]lms.Score{}
	for _, s := range g.lms.Scores("final") {
		came[s.UserID] = append(came[s.UserID], s)
	}
	if len(came) != n {
		t.Errorf("grades of %d people arrived, want %d", len(came), n)
	}
	for subject, scores := range came {
		if len(scores) != 2 || *scores[0].Given != 1 || *scores[1].Given != 2 || *scores[1].Maximum != 2 || scores[1].Timestamp.Sub(scores[0].Timestamp) < time.Second {
			t.Errorf("of %s came %+v", subject, scores)
		}
	}
	t.Logf("%d grades, and again after a remediation: the sender was killed %d times, the platform %d times; %d calls came again", n, k.sender, k.platform, g.lms.Again())
	if k.sender < 2 || k.platform < 2 {
		t.Errorf("the sender was killed %d times, the platform %d times", k.sender, k.platform)
	}
}
