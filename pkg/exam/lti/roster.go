package lti

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"assess/models"
)

const (
	// membersPerPage is how many members a page is asked to have; platforms may answer with fewer or more.
	membersPerPage = 200
	// maxPages and maxMembers bound a course. One that is larger keeps its members as they are.
	maxPages   = 500
	maxMembers = 50_000
)

// member is somebody in a course, as its platform tells (Names and Role Provisioning Services 2.0, section 2.2).
type member struct {
	Subject    string   `json:"user_id"`
	Status     string   `json:"status"`
	Name       string   `json:"name"`
	GivenName  string   `json:"given_name"`
	FamilyName string   `json:"family_name"`
	Roles      []string `json:"roles"`
}

// learner says that a member takes the exams of the course now.
func (m member) learner() bool {
	return (m.Status == "" || m.Status == "Active") && learns(m.Roles) && !isTest(m.Roles) && m.Subject != "" && len(m.Subject) <= maxID
}

// membersPage is a page of a course's members.
type membersPage struct {
	Context struct {
		ID string `json:"id"`
	} `json:"context"`
	Members []member `json:"members"`
}

// readRoster asks a platform for the members of a course and hands each page on. It reads one page at a time. Errors:
// lti_platform_unavailable, and the errors of take.
func (d *Desk) readRoster(ctx context.Context, platform models.LTIPlatform, course models.LTIContext, take func([]member) error) error {
	access, err := d.tokenOf(ctx, platform, scopeMembers)
	if err != nil {
		return err
	}
	at, total := askedFor(*course.MembersURL), 0
	for range maxPages {
		said, err := d.call(ctx, http.MethodGet, at, map[string]string{"Accept": "application/vnd.ims.lti-nrps.v2.membershipcontainer+json", "Authorization": "Bearer " + access}, nil)
		if err == nil && said.status == http.StatusUnauthorized {
			d.forgetToken(platform, scopeMembers)
		}
		var page membersPage
		err = said.read(err, &page)
		if err != nil {
			return err
		}
		if page.Context.ID != course.ContextID {
			return unavailable("it tells the members of another course")
		}
		total += len(page.Members)
		if total > maxMembers {
			return unavailable("the course has more members than the service takes, " + strconv.Itoa(maxMembers))
		}
		err = take(page.Members)
		if err != nil {
			return err
		}
		next := nextPage(said.header)
		switch {
		case next == "" && total == 0:
			return unavailable("it tells nobody, not even who teaches the course")
		case next == "":
			return nil
		case len(checkAddress("", next)) > 0 || hostOf(next) != hostOf(*course.MembersURL):
			return unavailable("its next page is somewhere else") // and would get our token
		}
		at = next
	}
	return unavailable("its list has no end")
}

// askedFor is the address of members with the number that a page should have.
func askedFor(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Query().Has("limit") {
		return address
	}
	q := u.Query()
	q.Set("limit", strconv.Itoa(membersPerPage))
	u.RawQuery = q.Encode()
	return u.String()
}

var linked = regexp.MustCompile(`<([^>]*)>([^<]*)`)

// nextPage is the address of the page that follows (RFC 8288); empty: none.
func nextPage(header http.Header) string {
	for _, line := range header.Values("Link") {
		for _, found := range linked.FindAllStringSubmatch(line, -1) {
			for _, parameter := range strings.FieldsFunc(found[2], func(r rune) bool { return r == ';' || r == ',' }) {
				name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
				if strings.EqualFold(name, "rel") && strings.EqualFold(strings.Trim(value, `"`), "next") {
					return found[1]
				}
			}
		}
	}
	return ""
}
