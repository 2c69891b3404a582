package httpapi

import (
	"net/http"
	"time"

	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
)

func (s *Server) accessRoutes() []route {
	return []route{
		open(post, "/auth/login", "login", taken, "Ask for a sign-in link by mail", s.login),
		open(http.MethodGet, "/auth/verify", "verifyLink", ok, "Redeem a sign-in link", s.verifyByGet),
		open(post, "/auth/verify", "redeemLink", ok, "Redeem a sign-in link", s.verifyByPost),
		open(post, "/auth/token", "tradeCode", ok, "Trade the code that a sign-in link gave for a token", s.tradeCode),
		open(http.MethodGet, "/auth/providers", "listSignInProviders", ok, "List the identity providers that people of a tenant may sign in with", s.signInProviders),
		open(post, "/auth/sign-out", "signOut", gone, "Sign out: end a token, and no other of the same person; one that has ended stays so", s.endToken),
		own(limited(10, time.Minute, save("/auth/refresh", "refreshToken", nil, "Trade a token for a fresh one with the roles of now", s.refresh))),
	}
}

func userRoutes() []route {
	return []route{
		own(get("/users/me", "getMe", nil, "Read one's own record, and what the token allows", getMe)),
		own(get("/names", "findName", nil, "Find a record by what people call it", findName)),
		get("/users/{id}/submissions", "listUserSubmissions", needs(capability.SubmissionsRead), "List a user's submissions", listSubmissionsOf(submission.ListByUser)),
		takenAlong([]fileKind{csvFile}, func(*struct{}) fileKind { return csvFile }, "/users/export", "exportUsers", needs(capability.UsersRead),
			"Export the active users of the org units in reach as a CSV file that the import takes; the ledger says who took it", takeUsers, exportUsers),
		preview("/users/import/preview", "previewUsers", needs(capability.UsersImport), "Check a CSV of users", previewUsers),
		large(write(post, "/users/import/commit", "commitUsers", ok, needs(capability.UsersImport), "Import a CSV of users", commitUsers)),
	}
}
