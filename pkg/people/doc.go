// Package people keeps tenants, org units, users and roles (specification, sections 2.5,
// 4.11 and 5; decisions, section 2).
//
// # Tables
//
//	tenants, org_units                who is kept apart from whom
//	users, user_org_units             people and where they belong
//	roles, role_capabilities          named sets of capabilities
//	user_roles                        who holds which role
//
// Users are isolated by tenant, not by org unit: whoever may read users reads all users of
// the tenant. The user record is the only place for names, e-mail addresses and metadata;
// ledger events and errors carry ids alone.
//
// # States
//
// A user is invited, active or deactivated. An invited one was named by address in an
// assignment: Invite makes it, Admit activates it when the assignment is redeemed. Roles
// and org units have no states.
//
// # Invariants
//
//   - One user per e-mail address in a tenant, by the canonical form of EmailKey.
//   - Nobody gives away more than they have: a user grants a role, or composes one, only
//     of capabilities that they hold, and puts people only into org units that they reach.
//     Operators and jobs are not bound.
//   - System roles never change. Only the system role Billing Admin holds billing.manage.
//   - A tenant that has an active Tenant Admin keeps one.
//
// # Error codes
//
// validation_failed, forbidden, not_found, stale_update, duplicate_slug, duplicate_email,
// duplicate_name, role_protected, role_in_use, last_tenant_admin.
package people
