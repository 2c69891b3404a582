package lms

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

const (
	scopeScore   = "https://purl.imsglobal.org/spec/lti-ags/scope/score"
	scopeMembers = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
)

// Member is somebody in a course (Names and Role Provisioning Services 2.0, section 2.2).
type Member struct {
	UserID string   `json:"user_id"`
	Status string   `json:"status,omitempty"`
	Name   string   `json:"name,omitempty"`
	Email  string   `json:"email,omitempty"`
	Roles  []string `json:"roles"`
}

// Enrol says who is in a course. The platform tells it to tools from then on.
func (p *Platform) Enrol(course string, members ...Member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.roster[course] = append([]Member{}, members...)
}

// tokenOf gives the scope of the token of a call; empty if there is none.
func (p *Platform) tokenOf(r *http.Request) string {
	return p.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
}

// members lists who is in a course, in pages of the size that the tool requests, and 10 at most.
func (p *Platform) members(w http.ResponseWriter, r *http.Request) {
	course, q := r.PathValue("course"), r.URL.Query()
	p.mu.Lock()
	what, all := p.tokenOf(r), p.roster[course]
	p.read[course]++
	p.mu.Unlock()
	if what != scopeMembers || r.Header.Get("Accept") != "application/vnd.ims.lti-nrps.v2.membershipcontainer+json" || q.Get("type") != "course" {
		answer(w, http.StatusUnauthorized, map[string]string{"error": "no token"})
		return
	}
	from, _ := strconv.Atoi(q.Get("from")) // none is 0
	limit, err := strconv.Atoi(q.Get("limit"))
	if err != nil || limit < 1 {
		answer(w, http.StatusBadRequest, map[string]string{"error": "no limit"})
		return
	}
	to := min(from+min(limit, 10), len(all))
	if to < len(all) {
		q.Set("from", strconv.Itoa(to))
		w.Header().Add("Link", fmt.Sprintf(`<%s/members/%s?%s>; rel="next", <%s>; rel="differences"`, p.URL, course, q.Encode(), p.URL))
	}
	page := map[string]any{"id": p.URL + r.URL.Path, "context": map[string]string{"id": course}, "members": slices.Clone(all[min(from, to):to])}
	if p.Page != nil {
		p.Page(w.Header(), page)
	}
	answer(w, http.StatusOK, page)
}

// tells says whether the platform tells who is in a course.
func (p *Platform) tells(course string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.roster[course] != nil
}

// Read counts the requests for pages of a course's members.
func (p *Platform) Read(course string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.read[course]
}
