package access

// Unseal lets tests sign with a key of the database.
var Unseal = unseal
