// Package apidocs serves the page on which people read the OpenAPI description and try
// calls out. Everything that the page needs is embedded, so it works without a network:
//
//	GET /docs                 the page
//	GET /docs/assets/{name}   its scripts
//
// The scripts are kept compressed and sent as they are; a client that does not accept
// gzip gets them decompressed. The page names each script with the first characters of
// its hash, and a request with that version may be cached for ever; any other request
// is revalidated by its ETag.
//
// The Content-Security-Policy allows only this origin, so that a token typed into the
// page can go nowhere else. The only exception is inline style, which the reference adds
// while it draws.
//
// The reference is Scalar (MIT, licence next to the asset). scripts/update-apidocs
// fetches it by name, version and hash.
package apidocs
