package access

// LoadGrants is what a token is checked against.
var LoadGrants = loadGrants
