// Package people is the room of who uses the service and what they may do: tenants, org units,
// users, groups and roles; tokens, sign-in and limits; the policies of a tenant.
//
// What may come in: what would exist even if nobody ever took an exam.
package people
