package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
	"assess/pkg/people/access"
	reportpage "assess/pkg/report/page"
	"assess/pkg/report/reporting"
	"assess/pkg/report/reportlink"
	"assess/pkg/trust/glassbox"
)

// The page by which somebody in a browser makes a link to a report, or to the glass box of a submission, and ends it. Its form calls the
// operation that a program calls, with the capabilities of the person.
const sharePath = "/share"

// sharing is the content of the page.
type sharing struct {
	// Kind and Name describe the shared object, Lines the part of it; Of is the address of the page, without its path.
	Kind, Name string
	Lines      []string
	Of         string
	Box        bool
	Days       []int
	// Proof is the proof of the form, Once the key of its deed: a double click makes one link.
	Proof, Once string
	Made        *madeLink
	Links       []shownLink
	Problem     string
	Style       template.CSS
}

// madeLink is a new link; its address is shown once.
type madeLink struct {
	Address string    `json:"address"`
	Until   time.Time `json:"until"`
}

// shownLink is one that holds.
type shownLink struct {
	ID    ids.ID
	Until time.Time
	Use   string
}

// shared is the target of a link: a submission, or without one a report.
type shared struct {
	submission ids.ID
	subject    reportlink.Subject
}

//go:embed share.html
var shareSource string

var sharePage = template.Must(template.New("share").Funcs(template.FuncMap{"moment": func(at time.Time) string {
	return at.UTC().Format("2 January 2006, 15:04") + " UTC"
}}).Parse(shareSource))

func (s *Server) shareRoutes() {
	s.engine.GET(sharePath, func(gc *gin.Context) { s.share(gc, gc.Request.URL.RawQuery, nil) })
	s.engine.POST(sharePath, func(gc *gin.Context) { s.shareForm(gc, s.makeLink) })
	s.engine.POST(sharePath+"/end", func(gc *gin.Context) { s.shareForm(gc, s.endLink) })
}

// shareForm does the work of a form of the page.
func (s *Server) shareForm(gc *gin.Context, do shareDeed) {
	gc.Request.Body = http.MaxBytesReader(gc.Writer, gc.Request.Body, 16<<10)
	if http.NewCrossOriginProtection().Check(gc.Request) != nil {
		s.noRoute(gc)
		return
	}
	s.share(gc, gc.PostForm("of"), do)
}

// shareDeed is the work of a form; it may give a new link.
type shareDeed func(gc *gin.Context, scope db.Scope, of shared) (*madeLink, error)

// share draws the page, after the work of a form is done.
func (s *Server) share(gc *gin.Context, address string, do shareDeed) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(gc.Request.Context()), s.config.RequestTimeout)
	defer cancel()
	token := kept(gc, tokenCookie)
	scope, err := s.authority.Authenticate(ctx, token)
	if err != nil {
		s.abort(gc, s.present(gc, err))
		return
	}
	scope.RequestID = requestID(gc)
	gc.Set(scopeKey, scope)
	of, err := sharedOf(address)
	p := sharing{Of: address, Proof: access.FormProof(token), Once: ids.New().String(), Box: of.submission != ids.None}
	if err == nil && do != nil && !access.ProvesForm(token, gc.PostForm("proof")) {
		err = errs.New(errs.Forbidden, "This form is not of this page, or is too old. Load the page again.")
	}
	if err == nil && do != nil {
		var problem error
		p.Made, problem = do(gc, scope, of)
		if problem != nil {
			p.Problem = s.present(gc, problem).Message
		}
	}
	if err == nil {
		err = s.store.Report(ctx, scope, func(tx *db.Tx) error { return p.read(ctx, tx, s.authority, of) })
	}
	if err != nil {
		s.abort(gc, s.present(gc, err))
		return
	}
	p.Style = plainStyle
	var drawn bytes.Buffer
	err = sharePage.Execute(&drawn, p)
	if err != nil {
		s.abort(gc, s.present(gc, errs.Wrap(errs.Internal, err, "The page cannot be drawn.")))
		return
	}
	gc.Header("Content-Security-Policy", privacyPolicy)
	gc.Header("Cache-Control", "no-store")
	gc.Header("Referrer-Policy", "same-origin") // what is shared is told to nobody else
	gc.Data(http.StatusOK, "text/html; charset=utf-8", drawn.Bytes())
}

// sharedOf reads the address of the page; reports check the rest.
func sharedOf(address string) (shared, error) {
	q, err := url.ParseQuery(address)
	if err != nil {
		return shared{}, errs.New(errs.NotFound, "There is nothing to share at this address.")
	}
	var bad errs.Found
	id := func(name string) *ids.ID {
		if !q.Has(name) {
			return nil
		}
		id, err := ids.Parse(name, q.Get(name))
		if err != nil {
			bad.Add(errs.Of(err).Fields...)
		}
		return &id
	}
	at := func(name string) *time.Time {
		if !q.Has(name) {
			return nil
		}
		t, err := time.Parse(time.RFC3339, q.Get(name))
		if err != nil {
			bad.Add(errs.Field{Path: name, Code: "invalid", Message: "expected a moment such as 2031-03-01T09:00:00Z"})
		}
		return &t
	}
	if submission := id("submission"); submission != nil {
		return shared{submission: *submission}, bad.Err()
	}
	of := reportlink.Subject{Report: q.Get("report"), EvaluationVersionID: id("evaluationVersionId"), QuestionVersionID: id("questionVersionId"),
		GroupID: id("groupId"), Tags: q["tag"], From: at("from"), To: at("to"), AllVersions: q.Get("scope") == reporting.AllVersions, Sort: q.Get("sort")}
	if q.Has("run_label") {
		of.RunLabel = new(q.Get("run_label"))
	}
	return shared{subject: of}, bad.Err()
}

// read finds the shared object, and the links to it that hold.
func (p *sharing) read(ctx context.Context, tx *db.Tx, authority *access.Authority, of shared) error {
	for _, days := range []int{1, 7, 30, 90} {
		end := tx.Now().AddDate(0, 0, days)
		if _, err := authority.LinkEnd(tx.Now(), &end); err == nil {
			p.Days = append(p.Days, days)
		}
	}
	if p.Box {
		return p.readBox(ctx, tx, of.submission)
	}
	report, err := reportlink.Look(ctx, tx, of.subject)
	if err != nil {
		return err
	}
	shown, err := sharedPage(ctx, tx, report)
	if err != nil {
		return err
	}
	p.Kind, p.Name, p.Lines = shown.Kind, shown.Name, shown.Lines
	list, err := reportlink.List(ctx, tx, db.Page{Page: 1, Limit: db.MaxLimit})
	if err != nil {
		return err
	}
	same, err := json.Marshal(of.subject)
	if err != nil {
		return errs.Wrap(errs.Internal, err, "The report cannot be named.")
	}
	for _, l := range list.Items {
		subject, err := json.Marshal(l.Subject)
		if err != nil {
			return errs.Wrap(errs.Internal, err, "A link cannot be read.")
		}
		if l.State == "active" && bytes.Equal(subject, same) {
			p.Links = append(p.Links, shownLink{l.ID, l.ExpiresAt, used(l.Uses, l.OpenedAt)})
		}
	}
	return nil
}

func (p *sharing) readBox(ctx context.Context, tx *db.Tx, submission ids.ID) error {
	box, err := glassbox.Preview(ctx, tx, submission, glassbox.Terms{})
	if err != nil {
		return err
	}
	shown := reportpage.GlassBox(box, "")
	p.Kind, p.Name = shown.Kind, shown.Name
	list, err := glassbox.List(ctx, tx, submission, db.Page{Page: 1, Limit: db.MaxLimit})
	if err != nil {
		return err
	}
	for _, l := range list.Items {
		if l.State == "active" {
			p.Links = append(p.Links, shownLink{l.ID, l.ExpiresAt, used(l.Uses, l.OpenedAt)})
		}
	}
	return nil
}

// used says how a link was used.
func used(uses int64, opened *time.Time) string {
	if opened == nil && uses == 0 {
		return "nobody has opened it"
	}
	return "read " + plural.Of(uses, "time")
}

// makeLink does the work of the button, once, even if it is pressed several times.
func (s *Server) makeLink(gc *gin.Context, scope db.Scope, of shared) (*madeLink, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(gc.Request.Context()), s.config.RequestTimeout)
	defer cancel()
	once, err := ids.Parse("once", gc.PostForm("once"))
	if err != nil {
		return nil, err
	}
	days, err := strconv.Atoi(gc.PostForm("days"))
	if err != nil {
		return nil, errs.Invalid(errs.Field{Path: "days", Code: "invalid", Message: "say how long the link holds"})
	}
	key := db.Key{Key: once.String(), Method: http.MethodPost, Path: sharePath, BodyHash: sha256.Sum256([]byte(gc.Request.PostForm.Encode())), Sealed: true}
	answer, err := s.store.WriteOnce(ctx, scope, key, func(tx *db.Tx) (*db.Answer, error) {
		end := tx.Now().AddDate(0, 0, days)
		var made madeLink
		if of.submission != ids.None {
			l, err := s.glass.Create(ctx, tx, glassbox.LinkInput{SubmissionID: of.submission, ExpiresAt: &end,
				CanViewReadinessReasons: gc.PostForm("reasons") != "", IncludeEvidence: gc.PostForm("evidence")})
			if err != nil {
				return nil, err
			}
			made = madeLink{l.OpenURL, l.ExpiresAt}
		} else {
			l, err := reportlink.NewDesk(s.authority, s.config.BaseURL).Create(ctx, tx, reportlink.Input{Subject: of.subject, ExpiresAt: &end})
			if err != nil {
				return nil, err
			}
			made = madeLink{l.OpenURL, l.ExpiresAt}
		}
		return answerOf(http.StatusCreated, made)
	})
	if err != nil {
		return nil, err
	}
	var made madeLink
	err = json.Unmarshal(answer.Body, &made)
	if err != nil {
		return nil, errs.Wrap(errs.Internal, err, "The link cannot be read.")
	}
	return &made, nil
}

func (s *Server) endLink(gc *gin.Context, scope db.Scope, of shared) (*madeLink, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(gc.Request.Context()), s.config.RequestTimeout)
	defer cancel()
	link, err := ids.Parse("link", gc.PostForm("link"))
	if err != nil {
		return nil, err
	}
	return nil, s.store.Write(ctx, scope, func(tx *db.Tx) error {
		if of.submission != ids.None {
			return glassbox.Revoke(ctx, tx, of.submission, link)
		}
		return reportlink.Revoke(ctx, tx, link)
	})
}
