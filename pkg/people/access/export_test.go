package access

// Unseal lets tests sign with a key of the database.
var Unseal = unseal

// LoadGrants is what a token is checked against.
var LoadGrants = loadGrants
