package config

import (
	"cmp"
	"fmt"
	"log/slog"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Check finds every value that is out of range or does not fit the others. Load has
// done it already; it is for settings made in code.
func (c Config) Check() error { return failure(c.problems()) }

// problems checks one rule per line. A rule gives its problem, or "".
func (c Config) problems() []Problem {
	rules := slices.Concat(c.Database.rules(), c.HTTP.rules(), c.Auth.rules(), c.Mail.rules(), c.Blob.rules(), c.Outgoing.rules(), []Problem{
		{Key: "sessions.abandon_after", Message: atLeast(0, c.Sessions.AbandonAfter)},
		{Key: "idempotency.keep", Message: longerThan(0, c.Idempotency.Keep)},
		{Key: "projector.workers", Message: atLeast(1, c.Projector.Workers)},
		{Key: "projector.batch", Message: atLeast(1, c.Projector.Batch)},
		{Key: "projector.poll", Message: longerThan(0, c.Projector.Poll)},
		{Key: "projector.percentiles_every", Message: longerThan(0, c.Projector.PercentilesEvery)},
		{Key: "jobs.workers", Message: atLeast(1, c.Jobs.Workers)},
		{Key: "compliance.sla", Message: atLeast(time.Hour, c.Compliance.SLA)},
		{Key: "compliance.dsar_cooldown", Message: atLeast(0, c.Compliance.DSARCooldown)},
		{Key: "compliance.export_lifetime", Message: atLeast(time.Hour, c.Compliance.ExportLifetime)},
		{Key: "compliance.sweep_every", Message: atLeast(time.Minute, c.Compliance.SweepEvery)},
		{Key: "ledger.origin", Message: when(strings.ContainsAny(c.Ledger.Origin, "+ \t\n") || strings.HasSuffix(c.Ledger.Origin, "/"), "expected a name such as assess.example.org/ledger, without space and plus")},
		{Key: "ledger.checkpoint_every", Message: between(time.Second, time.Minute, c.Ledger.CheckpointEvery)},
		{Key: "ledger.checkpoint_url", Message: optional(blobURL, c.Ledger.CheckpointURL)},
		{Key: "log.level", Message: logLevel(c.Log.Level)},
		{Key: "log.format", Message: oneOf(c.Log.Format, LogJSON, LogText)},
		{Key: "tracing.endpoint", Message: optional(collectorURL, c.Tracing.Endpoint)},
		{Key: "tracing.share", Message: when(!(c.Tracing.Share >= 0 && c.Tracing.Share <= 1), fmt.Sprintf("%v is not between 0 and 1", c.Tracing.Share))},
	})
	return slices.DeleteFunc(rules, func(p Problem) bool { return p.Message == "" })
}

func (d Database) rules() []Problem {
	return []Problem{
		{Key: "database.url", Message: postgres(d.URL)},
		{Key: "database.owner_url", Message: postgres(d.OwnerURL)},
		{Key: "database.admin_url", Message: postgres(d.AdminURL)},
		{Key: "database.report_url", Message: postgres(d.ReportURL)},
		{Key: "database.embedded", Message: when(d.Embedded && d.URL != "", "cannot stand beside database.url; give one of them")},
		{Key: "database.embedded_dir", Message: when(d.Embedded && d.EmbeddedDir == "", "needs a folder for the embedded database")},
		{Key: "database.max_conns", Message: atLeast(1, d.MaxConns)},
		{Key: "database.report_max_conns", Message: atLeast(1, d.ReportMaxConns)},
		{Key: "database.lock_timeout", Message: longerThan(0, d.LockTimeout)},
		{Key: "database.statement_timeout", Message: longerThan(0, d.StatementTimeout)},
	}
}

func (h HTTP) rules() []Problem {
	rules := []Problem{
		{Key: "http.listen", Message: listen(h.Listen)},
		{Key: "http.base_url", Message: optional(baseURL, h.BaseURL)},
		{Key: "http.body_limit", Message: atLeast(1*KiB, h.BodyLimit)},
		{Key: "http.import_limit", Message: atLeast(h.BodyLimit, h.ImportLimit)},
		{Key: "http.upload_limit", Message: atLeast(1*KiB, h.UploadLimit)},
		{Key: "http.request_timeout", Message: longerThan(0, h.RequestTimeout)},
		{Key: "http.import_timeout", Message: longerThan(0, h.ImportTimeout)},
		{Key: "http.drain_delay", Message: atLeast(0, h.DrainDelay)},
		{Key: "http.shutdown_timeout", Message: longerThan(0, h.ShutdownTimeout)},
	}
	for _, origin := range h.CORSOrigins {
		rules = append(rules, Problem{Key: "http.cors_origins", Message: corsOrigin(origin)})
	}
	for _, proxy := range h.TrustedProxies {
		rules = append(rules, Problem{Key: "http.trusted_proxies", Message: proxyRange(proxy)})
	}
	return rules
}

// shortestSecret is the length of 24 random bytes in base64.
const shortestSecret = 32

func (a Auth) rules() []Problem {
	rules := []Problem{
		{Key: "auth.token_lifetime", Message: longerThan(0, a.TokenLifetime)},
		{Key: "auth.session_lifetime", Message: when(a.SessionLifetime < a.TokenLifetime, "must not be shorter than auth.token_lifetime")},
		{Key: "auth.magic_link_lifetime", Message: longerThan(0, a.MagicLinkLifetime)},
		{Key: "auth.invitation_lifetime", Message: longerThan(0, a.InvitationLifetime)},
		{Key: "auth.step_up_lifetime", Message: longerThan(0, a.StepUpLifetime)},
		{Key: "auth.link_lifetime", Message: longerThan(0, a.LinkLifetime)},
		{Key: "auth.link_longest", Message: when(a.LinkLongest < a.LinkLifetime, "must not be shorter than auth.link_lifetime")},
		{Key: "auth.login_per_email", Message: atLeast(1, a.LoginPerEmail)},
		{Key: "auth.login_per_address", Message: atLeast(1, a.LoginPerAddress)},
		{Key: "auth.issuer", Message: when(a.Issuer == "", "must not be empty")},
		{Key: "auth.key_secret", Message: when(a.KeySecret != "" && len(a.KeySecret) < shortestSecret, fmt.Sprintf("has less than %d characters", shortestSecret))},
		{Key: "auth.app_url", Message: optional(redirectURL, a.AppURL)},
	}
	for _, to := range a.RedirectURLs {
		rules = append(rules, Problem{Key: "auth.redirect_urls", Message: redirectURL(to)})
	}
	return rules
}

func (b Blob) rules() []Problem {
	rules := []Problem{
		{Key: "blob.url", Message: blobURL(b.URL)},
		{Key: "blob.evidence_types", Message: when(len(b.EvidenceTypes) == 0, "name at least one type")},
		{Key: "blob.evidence_limit", Message: atLeast(1*KiB, b.EvidenceLimit)},
	}
	for _, t := range b.EvidenceTypes {
		rules = append(rules, Problem{Key: "blob.evidence_types", Message: oneOf(t, EvidenceTypes...)})
	}
	return rules
}

func (o Outgoing) rules() []Problem {
	var rules []Problem
	for _, network := range o.AllowPrivate {
		_, err := netip.ParsePrefix(network)
		rules = append(rules, Problem{Key: "outgoing.allow_private", Message: when(err != nil, fmt.Sprintf("%q is not a range such as 10.20.0.0/16", network))})
	}
	return rules
}

func (m Mail) rules() []Problem {
	_, err := mail.ParseAddress(m.From)
	return []Problem{
		{Key: "mail.mode", Message: oneOf(m.Mode, MailFolder, MailSMTP)},
		{Key: "mail.folder", Message: when(m.Mode == MailFolder && m.Folder == "", "needs a folder when mail.mode is folder")},
		{Key: "mail.from", Message: when(err != nil, "expected an address such as: Name <name@example.org>")},
		{Key: "mail.smtp.host", Message: when(m.Mode == MailSMTP && m.SMTP.Host == "", "needs a host when mail.mode is smtp")},
		{Key: "mail.smtp.port", Message: when(m.SMTP.Port < 1 || m.SMTP.Port > 65535, "expected 1 to 65535")},
		{Key: "mail.smtp.password", Message: when(m.SMTP.Password != "" && m.SMTP.Username == "", "is of no use without mail.smtp.username")},
		{Key: "mail.smtp.tls", Message: oneOf(m.SMTP.TLS, TLSStart, TLSFull, TLSNone)},
	}
}

func when(wrong bool, message string) string {
	if wrong {
		return message
	}
	return ""
}

func optional(check func(string) string, got string) string {
	if got == "" {
		return ""
	}
	return check(got)
}

func atLeast[T cmp.Ordered](least, got T) string {
	return when(got < least, fmt.Sprintf("%v is less than %v", got, least))
}

func between(least, most, got time.Duration) string {
	return when(got < least || got > most, fmt.Sprintf("%v is not between %v and %v", got, least, most))
}

func longerThan(least, got time.Duration) string {
	return when(got <= least, fmt.Sprintf("%v is not longer than %v", got, least))
}

func oneOf(got string, allowed ...string) string {
	return when(!slices.Contains(allowed, got), fmt.Sprintf("%q is not one of %s", got, strings.Join(allowed, ", ")))
}

func logLevel(got string) string {
	var level slog.Level
	return when(level.UnmarshalText([]byte(got)) != nil, fmt.Sprintf("%q is not one of debug, info, warn, error", got))
}

// postgres never quotes the value, since it may carry a password.
func postgres(got string) string {
	u, err := url.Parse(got)
	ok := err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql")
	return when(got != "" && !ok, "expected a URL such as postgres://user:password@host:5432/database")
}

// blobURL never quotes the value, for the same reason.
func blobURL(got string) string {
	u, err := url.Parse(got)
	folder := err == nil && u.Scheme == "file" && (u.Host == "" || u.Host == ".") && len(u.Path) > 1
	bucket := err == nil && u.Scheme == "s3" && u.Host != ""
	return when(!folder && !bucket, "expected file:///a/folder, file://./folder or s3://bucket?region=eu-central-1")
}

func listen(got string) string {
	_, _, err := net.SplitHostPort(got)
	return when(err != nil, fmt.Sprintf("%q is not host:port", got))
}

func baseURL(got string) string {
	return when(!isOrigin(got, true), fmt.Sprintf("%q is not a URL such as https://assess.example.org, without a slash at the end", got))
}

// redirectURL allows a web page, encrypted unless it is on this machine. The result comes back
// in the fragment, so the address must have none.
func redirectURL(got string) string {
	u, err := url.Parse(got)
	wrong := err != nil || u.Host == "" || u.User != nil || strings.Contains(got, "#") ||
		u.Scheme != "https" && !(u.Scheme == "http" && isLoopback(u.Hostname()))
	return when(wrong, fmt.Sprintf("%q is not an address such as https://app.example.org/start (http only on this machine), without a fragment", got))
}

// IsLocal says that only this machine reaches the service under its address: somebody is
// developing or trying it out.
func (h HTTP) IsLocal() bool {
	u, err := url.Parse(h.BaseURL)
	return err == nil && isLoopback(u.Hostname())
}

// ShownMail is the folder whose mails the service shows at /: only a service with a private database,
// which only this machine reaches, has one. Empty: none, as in production.
func (c Config) ShownMail() string {
	if c.Database.Embedded && c.HTTP.IsLocal() && c.Mail.Mode == MailFolder {
		return c.Mail.Folder
	}
	return ""
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// addressOf is the address at which this machine reaches a server that listens there.
func addressOf(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "" // outOfRange says so
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

func corsOrigin(got string) string {
	return when(got != "*" && !isOrigin(got, false), fmt.Sprintf("%q is neither * nor an origin such as https://app.example.org", got))
}

// collectorURL never quotes the value: a password in it would be in the log.
func collectorURL(got string) string {
	u, err := url.Parse(got)
	fine := err == nil && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "" && (u.Scheme == "http" || u.Scheme == "https")
	return when(!fine, "expected an address such as http://collector:4318, without a password; OTEL_EXPORTER_OTLP_HEADERS takes secrets")
}

func isOrigin(got string, pathAllowed bool) bool {
	u, err := url.Parse(got)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	if strings.HasSuffix(u.Path, "/") || (u.Path != "" && !pathAllowed) {
		return false
	}
	return u.Scheme == "http" || u.Scheme == "https"
}

func proxyRange(got string) string {
	_, addressErr := netip.ParseAddr(got)
	_, prefixErr := netip.ParsePrefix(got)
	return when(addressErr != nil && prefixErr != nil, fmt.Sprintf("%q is neither an IP address nor a range such as 10.0.0.0/8", got))
}
