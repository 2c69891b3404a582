// Package media keeps the managed assets that content documents show, and the languages
// that a tenant writes in (specification, section 2.8; decisions, section 3).
//
// Tables: assets and asset_versions (of an org unit), media_blobs and tenant_locales (of
// the tenant). The bytes are in the blob store.
//
// # Assets and files
//
// An asset has a name and versions; a version is a file and never changes. The type of a file
// is found from its bytes: PNG, JPEG, GIF, WebP, MP3, WAV, Ogg audio, MP4, WebM, PDF, and
// nothing else. The versions of an asset are of one kind, so content that shows an image
// keeps showing an image.
//
// The file is stored before the transaction that records it (Files.Keep) under the SHA-256 of
// its bytes; two versions with the same bytes share it. media_blobs has a row for every file:
// it is written before the file and deleted with it, and asset_versions refers to it. Package
// shelf says how, and sweeps files that no version has referred to for an hour.
//
// An asset is deleted when no version of a question or passage shows it, draft or published.
//
// # Pins
//
// A draft names an asset; publishing freezes the id of its current version (Pin). While a
// transaction that named or pinned an asset lasts, nobody can delete it.
//
// # Languages
//
// A tenant that chose no languages writes in all of them. Once chosen, content in another
// one is refused (locale_not_enabled), and publishing names every document that lacks a
// required one (missing_locale).
//
// # Who may
//
// media.manage uploads and deletes, locales.manage chooses languages. Anyone who writes content or
// reads it as it is written may read assets (Readers); a session shows its own (package session).
//
// Error codes: forbidden, not_found, validation_failed, unsupported_media_type, asset_in_use,
// conflict, stale_update, storage_unavailable, storage_full, file_damaged.
//
// Ledger events: asset.created, asset.version_created (versionId, number, sha256),
// asset.deleted, tenant.locales_set.
package media
