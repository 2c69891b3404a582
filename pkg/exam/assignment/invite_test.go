package assignment_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"assess/config"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/assignment"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/mail"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
)

// postOffice speaks as much SMTP (RFC 5321) as messages need. answer gives the reply to the
// end of the nth message, "" hangs up instead.
type postOffice struct {
	mu       sync.Mutex
	received []string
	answer   func(n int) string
}

func newPostOffice(t *testing.T) (*postOffice, mail.Sender) {
	t.Helper()
	p := &postOffice{answer: func(int) string { return "250 taken" }}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(conn)
		}
	}()
	where := listener.Addr().(*net.TCPAddr)
	sender, err := mail.New(config.Mail{Mode: config.MailSMTP, From: "assessd <a@example.org>",
		SMTP: config.SMTP{Host: where.IP.String(), Port: where.Port, TLS: config.TLSNone}})
	if err != nil {
		t.Fatal(err)
	}
	return p, sender
}

func (p *postOffice) serve(conn net.Conn) {
	defer conn.Close()
	say := func(line string) { fmt.Fprintf(conn, "%s\r\n", line) }
	say("220 test")
	var text strings.Builder
	inData := false
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		line := lines.Text()
		switch {
		case inData && line == ".":
			inData = false
			reply := p.take(text.String())
			if reply == "" {
				return
			}
			say(reply)
		case inData:
			fmt.Fprintln(&text, line)
		case strings.HasPrefix(strings.ToUpper(line), "DATA"):
			inData = true
			say("354 go on")
		case strings.HasPrefix(strings.ToUpper(line), "QUIT"):
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

func (p *postOffice) take(text string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.received = append(p.received, text)
	return p.answer(len(p.received))
}

// mails gives what was received, quoted-printable undone as far as links need it.
func (p *postOffice) mails() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, m := range p.received {
		all = append(all, strings.NewReplacer("=\n", "", "=3D", "=").Replace(m))
	}
	return all
}

func (d *desk) invite(id ids.ID, resend bool) (assignment.Invited, error) {
	return do(d, d.operator, func(tx *db.Tx) (assignment.Invited, error) {
		return assignment.Invite(d.Context(), tx, id, assignment.InviteInput{Resend: resend})
	})
}

// deliver works on the invitation of a user once, as the job of a sending would.
func (d *desk) deliver(sender mail.Sender, id, user ids.ID, sending, attempt int) error {
	w := &assignment.Inviter{Store: d.store, Sender: sender, BaseURL: "https://assess.test", AppURL: d.app, LinkLifetime: time.Hour}
	return w.Work(d.Context(), &river.Job[assignment.MailInvitation]{JobRow: &rivertype.JobRow{Attempt: attempt, MaxAttempts: 3},
		Args: assignment.MailInvitation{Tenant: d.operator.Tenant, Assignment: id, User: user, Sending: sending}})
}

func (d *desk) invitation(id ids.ID) string {
	d.Helper()
	return must(d, func(tx *db.Tx) (string, error) {
		var s string
		err := tx.QueryRow(d.Context(), "select status || ' ' || coalesce(problem, '') from assignment_invitations where tenant_id = $1 and assignment_id = $2",
			tx.Tenant(), id).Scan(&s)
		return strings.TrimSpace(s), err
	})
}

var (
	linkForm      = regexp.MustCompile(`verify\?token=([\w-]+)`)
	messageIDForm = regexp.MustCompile(`(?i)message-id:\s*<([^>]+)>`)
)

func TestInvitationOfSomebodyWithoutAccount(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	office, sender := newPostOffice(t)
	email := ids.New().String() + "@example.test"
	made := d.create("email", email, func(in *assignment.CreateInput) { in.Invite = true })
	user, err := ids.Parse("", made.TargetRef)
	wantCode(t, err, "")
	wantCode(t, d.deliver(sender, made.ID, user, 1, 1), "")
	token := linkForm.FindStringSubmatch(office.mails()[0])
	if token == nil || d.invitation(made.ID) != "sent" {
		t.Fatalf("state %s, mail:\n%s", d.invitation(made.ID), office.mails()[0])
	}
	authority := access.NewAuthority(d.store, sample.Auth())
	session, err := authority.Redeem(t.Context(), token[1], "")
	if err != nil {
		t.Fatal(err)
	}
	if session.User.Status != "active" || len(session.User.Roles) != 1 || session.User.Roles[0].SystemKey != "candidate" || len(session.User.OrgUnits) != 1 {
		t.Errorf("admitted as %+v", session.User)
	}
	scope, err := authority.Authenticate(t.Context(), session.Token.Token)
	if err != nil || scope.All || scope.OrgUnit != d.operator.OrgUnit || scope.Tenant != d.operator.Tenant {
		t.Fatalf("got %+v, %v", scope, err)
	}
	_, err = d.redeem(scope, made.ID)
	wantCode(t, err, "")
	_, err = authority.Redeem(t.Context(), token[1], "")
	wantCode(t, err, errs.LinkInvalid)
}

// With an application the link leads there, and names the assignment; so does the mail to members.
func TestInvitationsLeadToTheApplication(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	office, sender := newPostOffice(t)
	made := d.create("email", ids.New().String()+"@example.test", func(in *assignment.CreateInput) { in.Invite = true })
	user, err := ids.Parse("", made.TargetRef)
	wantCode(t, err, "")
	wantCode(t, d.deliver(sender, made.ID, user, 1, 1), "")
	options := sample.Auth()
	d.app = "https://app.example.org/start"
	options.AppURL = d.app
	authority := access.NewAuthority(d.store, options)
	to, _, err := authority.Press(t.Context(), linkForm.FindStringSubmatch(office.mails()[0])[1])
	wantCode(t, err, "")
	fragment, leads := strings.CutPrefix(to, options.AppURL+"#")
	said, err := url.ParseQuery(fragment)
	if err != nil || !leads || said.Get("assignment") != made.ID.String() {
		t.Fatalf("it leads to %s (%v)", to, err)
	}
	session, err := authority.Trade(t.Context(), said.Get("code"), "")
	if err != nil || session.User.ID != user || session.User.Status != "active" {
		t.Errorf("got %+v, %v", session.User, err)
	}
	member := d.create("user_id", d.candidate().Actor.ID.String(), func(in *assignment.CreateInput) { in.Invite = true })
	user, err = ids.Parse("", member.TargetRef)
	wantCode(t, err, "")
	wantCode(t, d.deliver(sender, member.ID, user, 1, 1), "")
	if mails := office.mails(); !strings.Contains(mails[len(mails)-1], options.AppURL+"#assignment="+member.ID.String()) {
		t.Errorf("mail to a member:\n%s", mails[len(mails)-1])
	}
}

// A mail says who invites, to what, when it can be started and how long it takes; the link for somebody who has an
// account brings the parameters that signing in requires.
func TestAnInvitationSaysWhatItIsTo(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{TimeLimitSeconds: ptr(5400)})
	d.app = "https://app.example.org/start"
	office, sender := newPostOffice(t)
	who := d.candidate()
	from, until := time.Date(2031, 3, 1, 9, 0, 0, 0, time.UTC), time.Date(2031, 3, 2, 17, 30, 0, 0, time.UTC)
	made := d.create("user_id", who.Actor.ID.String(), func(in *assignment.CreateInput) { in.ValidFrom, in.ValidUntil = &from, &until })
	d.exec("update assignments set created_by = 'user:' || $2::uuid where tenant_id = $1", who.Actor.ID)
	_, err := d.invite(made.ID, false)
	wantCode(t, err, "")
	wantCode(t, d.deliver(sender, made.ID, who.Actor.ID, 1, 1), "")
	var tenant, slug, unit, title, name, email string
	_, err = do(d, d.operator, func(tx *db.Tx) (any, error) {
		return nil, tx.QueryRow(t.Context(), `select t.name, t.slug, o.name, e.title, u.name, u.email from tenants t
			join assignments a on a.tenant_id = t.id and a.id = $2 join org_units o on o.tenant_id = t.id and o.id = a.org_unit_id
			join evaluations e on e.tenant_id = t.id and e.id = a.evaluation_id join users u on u.tenant_id = t.id and u.id = $3
			where t.id = $1`, tx.Tenant(), made.ID, who.Actor.ID).Scan(&tenant, &slug, &unit, &title, &name, &email)
	})
	wantCode(t, err, "")
	link := url.Values{"assignment": {made.ID.String()}, "tenant": {slug}, "email": {email}}
	for _, want := range []string{"Invitation from " + tenant, unit, strconv.Quote(title), "The invitation is from " + name + ".", "Start it from 09:00 on 1 March 2031 UTC on.",
		"Start before 17:30 on 2 March 2031 UTC.", "you have 1 h 30 min.", d.app + "#" + link.Encode()} {
		if m := office.mails()[0]; !strings.Contains(m, want) {
			t.Errorf("no %q in\n%s", want, m)
		}
	}
}

func TestWhatALinkDoesNotGive(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	office, sender := newPostOffice(t)
	authority := access.NewAuthority(d.store, sample.Auth())
	link := func() (assignment.Created, ids.ID, string) {
		made := d.create("email", ids.New().String()+"@example.test", func(in *assignment.CreateInput) { in.Invite = true })
		user, err := ids.Parse("", made.TargetRef)
		wantCode(t, err, "")
		wantCode(t, d.deliver(sender, made.ID, user, 1, 1), "")
		mails := office.mails()
		return made, user, linkForm.FindStringSubmatch(mails[len(mails)-1])[1]
	}
	for name, spoil := range map[string]func(made assignment.Created, user ids.ID){
		"closed assignment": func(made assignment.Created, _ ids.ID) {
			_, err := d.patch(made.ID, assignment.Patch{Status: ptr("closed")})
			wantCode(t, err, "")
		},
		"deactivated user": func(_ assignment.Created, user ids.ID) {
			sample.ChangeAccess(d, d.store, d.operator, "update users set status = 'deactivated' where tenant_id = $1 and id = $2", user)
		},
		"more than a candidate": func(_ assignment.Created, user ids.ID) {
			sample.ChangeAccess(d, d.store, d.operator, "insert into user_roles (tenant_id, user_id, role_id, granted_at) select tenant_id, $2, id, now() from roles where tenant_id = $1 and system_key = 'tenant_admin'", user)
		},
		"expired": func(made assignment.Created, _ ids.ID) {
			d.exec("update magic_links set expires_at = now() - interval '1 second' where tenant_id = $1 and assignment_id = $2", made.ID)
		},
	} {
		made, user, token := link()
		spoil(made, user)
		_, err := authority.Redeem(t.Context(), token, "")
		if code(err) != errs.LinkInvalid {
			t.Errorf("%s: got %v, want link_invalid", name, err)
		}
	}
}

func TestAMemberGetsNoLink(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	office, sender := newPostOffice(t)
	who := d.candidate()
	made := d.create("user_id", who.Actor.ID.String(), func(in *assignment.CreateInput) { in.Invite = true })
	wantCode(t, d.deliver(sender, made.ID, who.Actor.ID, 1, 1), "")
	if m := office.mails()[0]; linkForm.MatchString(m) || !strings.Contains(m, made.ID.String()) {
		t.Errorf("got\n%s", m)
	}
}

// Nobody writes to people without an address, even if it was removed after the mail was requested.
func TestWhoHasNoAddressGetsNoInvitation(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	office, sender := newPostOffice(t)
	var zoe, yan people.User
	sample.Write(t, d.store, d.operator, func(tx *db.Tx) error {
		var err error
		zoe, err = people.CreateUser(t.Context(), tx, people.UserInput{Name: "Zoe", Roles: []string{"candidate"}})
		if err == nil {
			yan, err = people.CreateUser(t.Context(), tx, people.UserInput{Name: "Yan", Email: "yan@example.org", Roles: []string{"candidate"}})
		}
		return err
	})
	none := d.create("user_id", zoe.ID.String())
	done, err := d.invite(none.ID, false)
	if err != nil {
		t.Fatal(err)
	}
	if done.Invitees != 1 || done.Queued != 0 {
		t.Errorf("got %+v, want one invitee and no mail", done)
	}
	gone := d.create("user_id", yan.ID.String())
	_, err = d.invite(gone.ID, false)
	if err != nil {
		t.Fatal(err)
	}
	sample.Write(t, d.store, d.operator, func(tx *db.Tx) error {
		nothing := ""
		_, err := people.UpdateUser(t.Context(), tx, yan.ID, people.UserPatch{Email: &nothing})
		return err
	})
	if err := d.deliver(sender, gone.ID, yan.ID, 1, 1); err != nil {
		t.Fatal(err)
	}
	if got := d.invitation(gone.ID); got != "failed no_address" {
		t.Errorf("the invitation is %q", got)
	}
	if mails := office.mails(); len(mails) > 0 {
		t.Errorf("mails went out: %q", mails)
	}
}

func TestNoMailGoesOutTwice(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	office, sender := newPostOffice(t)
	who := d.candidate()
	made := d.create("user_id", who.Actor.ID.String())
	for i, want := range []int{1, 0} {
		got, err := d.invite(made.ID, false)
		if err != nil || got.Queued != want || got.Invitees != 1 {
			t.Errorf("call %d: got %+v, %v", i, got, err)
		}
	}
	together(4, func(int) {
		err := d.deliver(sender, made.ID, who.Actor.ID, 1, 1)
		if err != nil {
			t.Error(err)
		}
	})
	if n := len(office.mails()); n != 1 {
		t.Fatalf("four jobs sent %d mails", n)
	}
	// A claim that is still there may mean another job at work or a crash: either way there is no second mail.
	if got := d.invitation(made.ID); got != "sent" && got != "failed interrupted" {
		t.Errorf("got %s", got)
	}
	d.exec("update assignment_invitations set status = 'sent' where tenant_id = $1")
	_, err := d.invite(made.ID, true)
	wantCode(t, err, "")
	wantCode(t, d.deliver(sender, made.ID, who.Actor.ID, 1, 2), "")
	wantCode(t, d.deliver(sender, made.ID, who.Actor.ID, 2, 1), "")
	mails := office.mails()
	if len(mails) != 2 || messageIDForm.FindString(mails[0]) == messageIDForm.FindString(mails[1]) {
		t.Errorf("sent anew: %d mails", len(mails))
	}
}

func TestRefusalsAreTriedAgainAndCrashesAreNot(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	for _, tt := range []struct {
		name   string
		answer func(n int) string
		tries  int
		want   string
		mails  int
	}{
		{"refused once", func(n int) string { return map[bool]string{true: "451 later", false: "250 taken"}[n == 1] }, 2, "sent", 2},
		{"refused always", func(int) string { return "550 no" }, 3, "failed refused", 3},
		{"the line breaks", func(int) string { return "" }, 1, "failed uncertain", 1},
	} {
		office, sender := newPostOffice(t)
		office.answer = tt.answer
		who := d.candidate()
		made := d.create("user_id", who.Actor.ID.String(), func(in *assignment.CreateInput) { in.Invite = true })
		for try := 1; try <= tt.tries; try++ {
			err := d.deliver(sender, made.ID, who.Actor.ID, 1, try)
			if err != nil && strings.Contains(err.Error(), "@") {
				t.Errorf("the error names the address: %v", err)
			}
		}
		if got := d.invitation(made.ID); got != tt.want || len(office.mails()) != tt.mails {
			t.Errorf("%s: got %s after %d mails, want %s after %d", tt.name, got, len(office.mails()), tt.want, tt.mails)
		}
	}
	who := d.candidate()
	made := d.create("user_id", who.Actor.ID.String(), func(in *assignment.CreateInput) { in.Invite = true })
	d.exec("update assignment_invitations set status = 'sending' where tenant_id = $1 and assignment_id = $2", made.ID)
	wantCode(t, d.deliver(broken{}, made.ID, who.Actor.ID, 1, 2), "")
	if got := d.invitation(made.ID); got != "failed interrupted" {
		t.Errorf("after a crash: got %s", got)
	}
}

// broken must not be asked to send.
type broken struct{}

func (broken) Send(context.Context, mail.Message) error { return errors.New("asked to send") }

func TestJobsHoldIdsAlone(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	d.create("email", "zzyzx-jobs@example.test", func(in *assignment.CreateInput) { in.Invite = true })
	if n := d.count("river.river_job where $1::uuid is not null and args::text like '%zzyzx%'"); n != 0 {
		t.Errorf("%d jobs repeat an address", n)
	}
	if n := d.count("river.river_job where kind = 'mail_invitation' and args ->> 'tenant' = $1::text"); n != 1 {
		t.Errorf("got %d jobs, want 1", n)
	}
	_, err := d.invite(d.create("public_link", "").ID, false)
	if diff := cmp.Diff(errs.ValidationFailed, code(err)); diff != "" {
		t.Error(diff)
	}
}
