package authoring

import (
	"assess/models"
	"assess/pkg/kernel/ids"
)

// Frozen is what publishing froze in addition to the words of a version (specification,
// section 2.8). A draft has only the hash.
type Frozen struct {
	ContentHash     string            `json:"contentHash" doc:"Names the canonical form of the body"`
	CanonicalScheme string            `json:"canonicalScheme" example:"rfc8785"`
	HashScheme      string            `json:"hashScheme" example:"sha-256"`
	AssetVersions   map[string]ids.ID `json:"assetVersions,omitempty" doc:"The version of each asset, by asset id"`
}

func frozenOf(row models.AuthoredBody) Frozen {
	f := Frozen{ContentHash: row.ContentHash, CanonicalScheme: row.CanonicalScheme, HashScheme: row.HashScheme}
	if len(row.Pins.AssetVersions) > 0 {
		f.AssetVersions = make(map[string]ids.ID, len(row.Pins.AssetVersions))
	}
	for asset, version := range row.Pins.AssetVersions {
		f.AssetVersions[asset.String()] = version
	}
	return f
}
