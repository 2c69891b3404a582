package requests

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"assess/config"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/mail"
	"assess/pkg/trust/compliance"
)

// postOffice is a mail folder with the worker that writes letters into it.
type postOffice struct {
	*desk
	folder string
	writer *Writer
}

func newPostOffice(d *desk) *postOffice {
	d.Helper()
	p := &postOffice{desk: d, folder: d.TempDir()}
	sender, err := mail.New(config.Mail{Mode: "folder", Folder: p.folder, From: "office@example.org"})
	if err != nil {
		d.Fatal(err)
	}
	p.writer = &Writer{Store: d.store, Sender: sender, BaseURL: "https://exams.example.org", Secret: sample.KeySecret}
	return p
}

func (d *desk) get(id ids.ID) Detail {
	d.Helper()
	return d.do(d.olga, "", func(tx *db.Tx) (Detail, error) { return Get(d.Context(), tx, id) })
}

// deliver works on every letter of a request, and gives what the person has got from the first to the last.
func (p *postOffice) deliver(id ids.ID) []mail.Received {
	p.Helper()
	for _, l := range p.get(id).Letters {
		if err := p.work(id, l.ID); err != nil {
			p.Fatal(err)
		}
	}
	got, err := mail.Newest(p.folder, 100)
	if err != nil {
		p.Fatal(err)
	}
	slices.Reverse(got)
	return got
}

func (p *postOffice) work(request, letter ids.ID) error {
	return p.writer.Work(p.Context(), &river.Job[MailLetter]{JobRow: &rivertype.JobRow{Attempt: 1, MaxAttempts: 25},
		Args: MailLetter{Tenant: p.operator.Tenant, Request: request, Letter: letter}})
}

func names(all []Letter) string {
	var said []string
	for _, l := range all {
		said = append(said, l.Letter+" "+l.State)
	}
	return strings.Join(said, ", ")
}

// Each step that the person has to hear of has its letter. The hash of each letter that was sent is kept, not the text.
func TestLettersOfARequest(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := newPostOffice(d)
	r := d.record(Rectification, time.Time{})
	d.do(d.olga, "", func(tx *db.Tx) (Detail, error) { return AskIdentity(t.Context(), tx, r.ID) })
	d.verify(r)
	d.do(d.olga, "", func(tx *db.Tx) (Detail, error) {
		return Extend(t.Context(), tx, r.ID, Extension{ReasonCode: "complexity"})
	})
	d.decide(d.olga, r, Partly, "data_accurate", "")
	d.carryOut(r, "")
	d.do(d.olga, "", func(tx *db.Tx) (Detail, error) { return Answer(t.Context(), tx, r.ID) })
	got := p.deliver(r.ID)
	letters := d.get(r.ID).Letters
	if n := names(letters); n != "received sent, identity_needed sent, extended sent, done sent, refused sent" || len(got) != 5 {
		t.Fatalf("the letters are %s, and %d went", n, len(got))
	}
	for i, l := range letters {
		text := got[i].Text + "\n"
		if hash := content.Hash([]byte(got[i].Subject + "\n\n" + text)); *l.SHA256 != hash || *l.TemplateVersion != 0 || l.Locale != "en" {
			t.Errorf("%s: %+v; the hash of what went is %s", l.Letter, l, hash)
		}
		if strings.ContainsAny(got[i].Text, "{}") || !strings.Contains(text, "https://exams.example.org/privacy?tenant=") || !strings.Contains(text, "article 16") {
			t.Errorf("%s says:\n%s", l.Letter, text)
		}
	}
	for i, wanted := range map[int]string{2: "The request is complex.", 4: "The data are accurate (16)."} {
		if !strings.Contains(got[i].Text, wanted) {
			t.Errorf("it does not say %q:\n%s", wanted, got[i].Text)
		}
	}
	var events int
	sample.Write(t, d.store, d.operator, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), `select count(*) from ledger_events e join request_letters l on l.tenant_id = e.tenant_id and l.sha256 = e.payload ->> 'sha256'
			where e.tenant_id = $1 and e.event_type = 'request_letter.sent' and e.subject_id = $2`, tx.Tenant(), d.person).Scan(&events)
	})
	if events != 5 {
		t.Errorf("the ledger tells of %d letters", events)
	}
	// A letter that was claimed by a process that died is not sent twice, and none is sent again.
	p.deliver(r.ID)
	sample.Write(t, d.store, d.operator, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update request_letters set state = 'sending', sent_at = null where tenant_id = $1 and id = $2", tx.Tenant(), letters[0].ID)
		return err
	})
	if again := p.deliver(r.ID); len(again) != 5 || names(d.get(r.ID).Letters[:1]) != "received failed" {
		t.Errorf("again: %d went, %s", len(again), names(d.get(r.ID).Letters))
	}
	d.do(d.olga, "", func(tx *db.Tx) (Detail, error) {
		return SendLetter(t.Context(), tx, r.ID, LetterInput{Letter: "received"})
	})
	if again := p.deliver(r.ID); len(again) != 6 {
		t.Errorf("asked for once more: %d went", len(again))
	}
}

func (d *desk) template(input TemplateInput, want errs.Code) {
	d.Helper()
	err := d.store.Write(d.Context(), d.olga, func(tx *db.Tx) error {
		_, err := SetTemplate(d.Context(), tx, input)
		return err
	})
	if want == "" && err != nil || want != "" && !errors.Is(err, want) {
		d.Fatalf("%+v: got %v, want %q", input, err, want)
	}
}

// The tenant's words come before the built-in ones, words for a reason before words for all, and a language before another.
func TestATenantWritesItsOwnLetters(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, bad := range []TemplateInput{
		{}, {Letter: "hello", Locale: "de", Subject: "a", Text: "b"}, {Letter: "done", Locale: "xx-yy-zz", Subject: "a", Text: "b"},
		{Letter: "done", Locale: "de", Subject: "a"}, {Letter: "done", Locale: "de", Subject: "a", Text: "{password}"}, {Letter: "done", Locale: "de", Word: "x", Subject: "a", Text: "b"},
	} {
		d.template(bad, errs.ValidationFailed)
	}
	d.template(TemplateInput{Letter: "received", Locale: "de", Subject: "Ihre Anfrage", Text: "Guten Tag {name}"}, "")
	d.template(TemplateInput{Letter: "received", Locale: "de", Subject: "Ihre Anfrage", Text: "Guten Tag {name}!"}, "")
	d.template(TemplateInput{Letter: "received", Locale: "de", Word: "erasure", Subject: "Löschung", Text: "Bis {due}"}, "")
	for _, c := range []struct {
		kind, locale, subject string
		version               int
	}{
		{Access, "de", "Ihre Anfrage", 2}, {Access, "de-AT", "Ihre Anfrage", 2}, {Erasure, "de", "Löschung", 1}, {Access, "", "Your request to ", 0}, {Access, "fr", "Your request to ", 0},
	} {
		r := d.do(d.olga, "", func(tx *db.Tx) (Detail, error) {
			return Record(t.Context(), tx, Input{Kind: c.kind, Channel: "mail", SubjectID: &d.person, Locale: c.locale})
		})
		var shown LetterText
		err := d.store.Read(t.Context(), d.olga, func(tx *db.Tx) error {
			var err error
			shown, err = ReadLetter(t.Context(), tx, "https://exams.example.org", LetterChoice{r.ID, "received"})
			return err
		})
		if err != nil || !strings.HasPrefix(shown.Subject, c.subject) || shown.TemplateVersion != c.version {
			t.Errorf("%s in %q: %+v, %v", c.kind, c.locale, shown, err)
		}
	}
	d.template(TemplateInput{Letter: "received", Locale: "de"}, "")
	d.template(TemplateInput{Letter: "received", Locale: "de", Word: "erasure"}, "")
	var list TemplateList
	err := d.store.Read(t.Context(), d.olga, func(tx *db.Tx) error {
		var err error
		list, err = ListTemplates(t.Context(), tx)
		return err
	})
	if err != nil || len(list.Items) != len(builtIn) {
		t.Errorf("after they were taken out of force: %+v, %v", list, err)
	}
	// Where the tenant writes by itself nothing goes.
	d.rules(d.olga, RulesInput{Letters: new(bool)}, "")
	if silent := d.record(Access, time.Time{}); len(silent.Letters) != 0 {
		t.Errorf("letters that nobody asked for: %+v", silent.Letters)
	}
}

// The address of somebody who is being erased is kept sealed, for the letter that says so; it goes with that, and with a job that is blocked.
func TestTheLastLetterToAnErasedPerson(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := newPostOffice(d)
	var address string
	sample.Write(t, d.store, d.operator, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select email from users where tenant_id = $1 and id = $2", tx.Tenant(), d.person).Scan(&address)
	})
	blocked := d.decide(d.olga, d.verify(d.record(Erasure, time.Time{})), Granted, "", "")
	e := d.carryOut(blocked, "")
	if _, err := d.office.Work(t.Context(), d.operator.Tenant, e.Job.ID, nil); err != nil {
		t.Fatal(err)
	}
	if n := names(d.get(blocked.ID).Letters); n != "received queued, done failed" {
		t.Errorf("blocked: %s", n)
	}
	d.office.Kinds[1].Steps = []compliance.Step{{Name: "rows", Do: func(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
		_, err := tx.Exec(ctx, "update users set name = 'gone', email = null, email_key = null where tenant_id = $1 and id = $2", tx.Tenant(), r.Person())
		return true, err
	}}}
	e = d.carryOut(blocked, "")
	sealed := func() []byte {
		var all []byte
		sample.Write(t, d.store, d.operator, func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), "select coalesce(string_agg(sealed, ''), '') from request_letters where tenant_id = $1", tx.Tenant()).Scan(&all)
		})
		return all
	}
	if kept := sealed(); len(kept) == 0 || bytes.Contains(kept, []byte(address)) {
		t.Errorf("sealed is %q", kept)
	}
	if _, err := d.office.Work(t.Context(), d.operator.Tenant, e.Job.ID, nil); err != nil {
		t.Fatal(err)
	}
	got := p.deliver(blocked.ID)
	if n := names(d.get(blocked.ID).Letters); n != "received failed, done failed, done sent" || len(got) != 1 || got[0].To != address || len(sealed()) != 0 {
		t.Errorf("in the end %s; %+v went; sealed is %q", n, got, sealed())
	}
}
