// Package centre puts the kinds of compliance jobs together: the one list of what assessd and assessctl
// can do about a person's data.
package centre

import (
	"assess/config"
	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/dsar"
	"assess/pkg/trust/erasure"
	"assess/pkg/trust/requests"
	"assess/pkg/trust/restrict"
	"assess/pkg/trust/retention"
	"assess/pkg/trust/unlink"
)

// New makes the centre. blobs is the store of evidence and of what jobs make.
func New(store *db.Store, blobs *blob.Store, c config.Config) *compliance.Centre {
	exports := dsar.Exporter{Store: store, Files: evidence.NewFiles(store, blobs, c.Blob), Secret: c.Auth.KeySecret,
		Cooldown: c.Compliance.DSARCooldown, Lifetime: c.Compliance.ExportLifetime}
	return &compliance.Centre{
		Store: store, Files: compliance.NewFiles(store, blobs), Secret: c.Auth.KeySecret, SLA: c.Compliance.SLA,
		Ended: requests.Ended,
		Kinds: []compliance.Kind{
			erasure.Forget(exports.Files, blobs, c.Mail),
			unlink.Kind(), exports.Kind(), exports.PackKind(),
			restrict.Kind(),
			retention.Kind(exports.Files),
		},
	}
}
