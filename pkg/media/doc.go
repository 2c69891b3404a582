// Package media keeps the managed assets that content documents show, and the languages
// that a tenant writes in (specification, section 2.8; decisions, section 3).
//
// Tables: assets and asset_versions (of an org unit), media_blobs and tenant_locales (of
// the tenant). The bytes are in the blob store.
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
package media
