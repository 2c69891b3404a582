package config

import "time"

// Default gives the settings that hold if nothing else is set.
func Default() Config {
	return Config{
		Database: Database{
			EmbeddedDir:      "var/pg",
			MaxConns:         10,
			ReportMaxConns:   4,
			LockTimeout:      10 * time.Second,
			StatementTimeout: 30 * time.Second,
		},
		HTTP: HTTP{
			Listen:          "127.0.0.1:8080",
			BaseURL:         "http://127.0.0.1:8080",
			BodyLimit:       1 * MiB,
			ImportLimit:     32 * MiB,
			UploadLimit:     32 * MiB,
			RequestTimeout:  30 * time.Second,
			ImportTimeout:   10 * time.Minute,
			ShutdownTimeout: 25 * time.Second,
			CORSOrigins:     []string{},
			Gzip:            true,
			TrustedProxies:  []string{},
		},
		Auth: Auth{
			TokenLifetime:      8 * time.Hour,
			SessionLifetime:    168 * time.Hour,
			MagicLinkLifetime:  15 * time.Minute,
			InvitationLifetime: 168 * time.Hour,
			RedirectURLs:       []string{},
			StepUpLifetime:     10 * time.Minute,
			LinkLifetime:       168 * time.Hour,
			LinkLongest:        2160 * time.Hour,
			LoginPerEmail:      5,
			LoginPerAddress:    600,
			Issuer:             "assessd",
		},
		Mail: Mail{
			Mode:   MailFolder,
			Folder: "mail",
			From:   "assessd <no-reply@localhost>",
			SMTP:   SMTP{Port: 587, TLS: TLSStart},
		},
		Blob: Blob{
			URL: "file://./blob",
			EvidenceTypes: []string{"image/png", "image/jpeg", "image/gif", "image/webp", "audio/mpeg", "audio/wav", "audio/ogg",
				"video/mp4", "video/webm", "application/pdf", "text/plain"},
			EvidenceLimit: 256 * MiB,
		},
		Outgoing:    Outgoing{AllowPrivate: []string{}},
		Sessions:    Sessions{AbandonAfter: 168 * time.Hour},
		Idempotency: Idempotency{Keep: 24 * time.Hour},
		Projector: Projector{
			Enabled:          true,
			Workers:          1,
			Batch:            1000,
			Poll:             200 * time.Millisecond,
			PercentilesEvery: 5 * time.Minute,
		},
		Jobs:       Jobs{Enabled: true, Workers: 8},
		Ledger:     Ledger{CheckpointEvery: 30 * time.Second},
		Compliance: Compliance{SLA: 720 * time.Hour, DSARCooldown: 15 * time.Minute, ExportLifetime: 720 * time.Hour, SweepEvery: 24 * time.Hour},
		Log:        Log{Level: "info", Format: LogJSON},
		Metrics:    Metrics{Enabled: true},
		Tracing:    Tracing{Share: 1},
	}
}
