package config

import "time"

// Config is every setting of both programs. The yaml tags are the keys.
type Config struct {
	Database    Database    `yaml:"database"`
	HTTP        HTTP        `yaml:"http"`
	Auth        Auth        `yaml:"auth"`
	Mail        Mail        `yaml:"mail"`
	Blob        Blob        `yaml:"blob"`
	Outgoing    Outgoing    `yaml:"outgoing"`
	Sessions    Sessions    `yaml:"sessions"`
	Idempotency Idempotency `yaml:"idempotency"`
	Projector   Projector   `yaml:"projector"`
	Jobs        Jobs        `yaml:"jobs"`
	Compliance  Compliance  `yaml:"compliance"`
	Ledger      Ledger      `yaml:"ledger"`
	Log         Log         `yaml:"log"`
	Metrics     Metrics     `yaml:"metrics"`
	Tracing     Tracing     `yaml:"tracing"`
}

// Database says where PostgreSQL is. URL is the login of the programs, OwnerURL the login of the
// migrations, AdminURL the login of a superuser who places tables and tenants on the nodes of a
// cluster, ReportURL a replica for reports. Embedded starts a private server in EmbeddedDir instead.
type Database struct {
	URL              string        `yaml:"url" secret:"url"`
	OwnerURL         string        `yaml:"owner_url" secret:"url"`
	AdminURL         string        `yaml:"admin_url" secret:"url"`
	ReportURL        string        `yaml:"report_url" secret:"url"`
	Embedded         bool          `yaml:"embedded"`
	EmbeddedDir      string        `yaml:"embedded_dir"`
	MaxConns         int           `yaml:"max_conns"`
	ReportMaxConns   int           `yaml:"report_max_conns"`
	LockTimeout      time.Duration `yaml:"lock_timeout"`
	StatementTimeout time.Duration `yaml:"statement_timeout"`
}

// HTTP is the interface of assessd. BaseURL is its public address, without a slash at the
// end; links in mail start with it. Load makes it from Listen if it is not set.
type HTTP struct {
	Listen          string        `yaml:"listen"`
	BaseURL         string        `yaml:"base_url"`
	BodyLimit       Bytes         `yaml:"body_limit"`
	ImportLimit     Bytes         `yaml:"import_limit"`
	UploadLimit     Bytes         `yaml:"upload_limit"`
	RequestTimeout  time.Duration `yaml:"request_timeout"`
	ImportTimeout   time.Duration `yaml:"import_timeout"`
	DrainDelay      time.Duration `yaml:"drain_delay"`
	ShutdownTimeout time.Duration `yaml:"shutdown_timeout"`
	CORSOrigins     []string      `yaml:"cors_origins"`
	Gzip            bool          `yaml:"gzip"`
	TrustedProxies  []string      `yaml:"trusted_proxies"`
}

// Auth has the settings of signing in (decisions, section 1): lifetimes of tokens and
// links, and sign-in attempts per minute.
type Auth struct {
	TokenLifetime time.Duration `yaml:"token_lifetime"`
	// SessionLifetime is how long after a sign-in tokens can be refreshed.
	SessionLifetime   time.Duration `yaml:"session_lifetime"`
	MagicLinkLifetime time.Duration `yaml:"magic_link_lifetime"`
	// InvitationLifetime is how long the link in an invitation admits its user.
	InvitationLifetime time.Duration `yaml:"invitation_lifetime"`
	// AppURL is the page of candidates and staff, to which links lead that name no other; empty: none.
	AppURL string `yaml:"app_url"`
	// RedirectURLs are further addresses that a sign-in may lead to; a request must name one exactly.
	RedirectURLs   []string      `yaml:"redirect_urls"`
	StepUpLifetime time.Duration `yaml:"step_up_lifetime"`
	// LinkLifetime is how long a link to a result holds unless it says otherwise, LinkLongest how long
	// one may hold at most.
	LinkLifetime    time.Duration `yaml:"link_lifetime"`
	LinkLongest     time.Duration `yaml:"link_longest"`
	LoginPerEmail   int           `yaml:"login_per_email"`
	LoginPerAddress int           `yaml:"login_per_address"`
	Issuer          string        `yaml:"issuer"`
	// KeySecret seals the keys that sign tokens; a private database has one of its own.
	KeySecret string `yaml:"key_secret" secret:"all"`
}

// The ways of sending mail, and of securing the connection to an SMTP server.
const (
	MailFolder = "folder"
	MailSMTP   = "smtp"

	TLSStart = "starttls"
	TLSFull  = "tls"
	TLSNone  = "none"
)

// Mail is how mail leaves: into Folder, a file each, or to an SMTP server.
type Mail struct {
	Mode   string `yaml:"mode"`
	Folder string `yaml:"folder"`
	From   string `yaml:"from"`
	SMTP   SMTP   `yaml:"smtp"`
}

// SMTP is the mail server. Without Username nobody signs in.
type SMTP struct {
	Host     string `yaml:"host"`
	Port     int    `yaml:"port"`
	Username string `yaml:"username"`
	Password string `yaml:"password" secret:"all"`
	TLS      string `yaml:"tls"`
}

// Blob is where uploaded files are kept: file:///a/folder (file://./folder is made absolute by
// Load) or s3://bucket?region=... EvidenceTypes and EvidenceLimit limit the evidence that is
// taken: media types, found from the bytes, and the largest file.
type Blob struct {
	URL           string   `yaml:"url" secret:"url"`
	EvidenceTypes []string `yaml:"evidence_types"`
	EvidenceLimit Bytes    `yaml:"evidence_limit"`
}

// Outgoing is how the service calls addresses that somebody typed into it (pkg/kernel/outgoing). It reaches
// networks that the Internet does not route only if AllowPrivate has them, such as 10.20.0.0/16.
type Outgoing struct {
	AllowPrivate []string `yaml:"allow_private"`
}

// EvidenceTypes are the media types that can be found from the bytes of a file.
var EvidenceTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp", "audio/mpeg", "audio/wav", "audio/ogg",
	"video/mp4", "video/webm", "application/pdf", "text/plain", "application/zip"}

// Sessions are candidates' attempts. A session without a time limit is abandoned when
// nothing has happened in it for AbandonAfter; 0 abandons none.
type Sessions struct {
	AbandonAfter time.Duration `yaml:"abandon_after"`
}

// Idempotency is how long an answer is kept for replay. A second request waits for the
// first one with its key up to database.lock_timeout.
type Idempotency struct {
	Keep time.Duration `yaml:"keep"`
}

// Projector writes the reporting tables: Batch submissions per transaction, looking for
// work every Poll; percentiles and figures of groups follow every PercentilesEvery.
type Projector struct {
	Enabled          bool          `yaml:"enabled"`
	Workers          int           `yaml:"workers"`
	Batch            int           `yaml:"batch"`
	Poll             time.Duration `yaml:"poll"`
	PercentilesEvery time.Duration `yaml:"percentiles_every"`
}

// Jobs are the background jobs of this process.
type Jobs struct {
	Enabled bool `yaml:"enabled"`
	Workers int  `yaml:"workers"`
}

// Compliance has the settings of jobs about a person's data. SLA is the time that one may take from
// its request. For DSARCooldown after an export of a person another one must be forced, and its
// file is kept for ExportLifetime. Every SweepEvery retention policies are carried out.
type Compliance struct {
	SLA            time.Duration `yaml:"sla"`
	DSARCooldown   time.Duration `yaml:"dsar_cooldown"`
	ExportLifetime time.Duration `yaml:"export_lifetime"`
	SweepEvery     time.Duration `yaml:"sweep_every"`
}

// Ledger is the Merkle log over the event ledger. At every interval of CheckpointEvery, new events are
// taken into it and a checkpoint is signed; a copy of the checkpoint goes to CheckpointURL (empty:
// nowhere). Origin begins the name of logs that are begun from now on; empty: the host of http.base_url.
type Ledger struct {
	Origin          string        `yaml:"origin"`
	CheckpointEvery time.Duration `yaml:"checkpoint_every"`
	CheckpointURL   string        `yaml:"checkpoint_url" secret:"url"`
}

// The formats of the log.
const (
	LogJSON = "json"
	LogText = "text"
)

// Log has the settings of what assessd writes to stderr.
type Log struct {
	Level  string `yaml:"level"`
	Format string `yaml:"format"`
}

// Metrics is the Prometheus page at /metrics.
type Metrics struct {
	Enabled bool `yaml:"enabled"`
}

// Tracing is where spans go, as OTLP over HTTP: to Endpoint, nowhere when it is empty. Share of the
// traces that begin here is sent, 0 to 1; for traces that a caller began, its traceparent decides.
type Tracing struct {
	Endpoint string  `yaml:"endpoint"`
	Share    float64 `yaml:"share"`
}
