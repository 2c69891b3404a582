// Package people keeps tenants, org units, users, groups and roles (specification, sections
// 2.5, 4.11 and 5; decisions, sections 2 and 7).
//
// # Tables
//
//	tenants, org_units                who is kept apart from others
//	users, user_org_units             people and where they belong
//	former_addresses                  addresses that are still to be told of a change
//	groups, group_members             sets of users of one org unit
//	roles, role_capabilities          named sets of capabilities
//	user_roles                        who holds which role
//
// Users are isolated by tenant, not by org unit: anyone who may read users reads all users of
// the tenant, and everybody reads their own record (Me). Changing them takes reach (reach.go).
// The user record is the only place for names, e-mail addresses and metadata; ledger events and
// errors carry only ids. An address that was replaced waits in former_addresses until the mail
// that tells it of the change is out, and is then deleted.
//
// # States
//
// A user is invited, active or deactivated. An invited one was named by address in an
// assignment: InviteAll makes it, Admit activates it when the assignment is redeemed, and so
// does an import. A group is kept by hand, perhaps with a join token, or dynamic: then its
// rule makes the members. Roles and org units have no states.
//
// # Invariants
//
//   - One user per e-mail address in a tenant, by the canonical form of EmailKey.
//   - To change a user's record or roles, one must reach every org unit that the user is in, or the
//     whole tenant; somebody who reaches only some may add the user to these and take them out.
//   - What let a user in before a change of address, or before they were deactivated, does not
//     let them in after it: tokens name a generation, links and proofs are deleted.
//   - Nobody gives away more than they have: a user grants a role, or composes one, only of
//     capabilities that they hold, and puts people only into org units that they reach. Nor
//     do they take such a role away, or change the address or status of somebody who holds
//     more, or lead them out of their last org unit. Operators and jobs are not bound. A
//     grant locks its role against changes until it commits.
//   - System roles never change. Only the system role Billing Admin holds billing.manage,
//     and nothing else; since no role with users.manage holds it, operators grant that role.
//   - A tenant that has a Tenant Admin who can sign in, active and in an org unit, keeps one, no
//     matter who revokes, deactivates or leads out of org units. Nothing else takes any of it.
//   - A member of a group belongs to its org unit; who leaves the org unit leaves its groups.
//   - The members of a dynamic group are the active users of its org unit whose metadata
//     meet its rule, at every commit. What a rule means is said once, in the database
//     function rule_path.
//   - A join token is stored as a hash and shown once. A dynamic group has none.
//
// # Locks
//
// In this order: the rules of the tenant (changes of users share them, a change of a rule
// has them to itself), the roles that are given or taken (grants share them), groups, users.
//
// # Error codes
//
// validation_failed, forbidden, user_out_of_reach, not_found, stale_update, duplicate_slug, duplicate_email,
// duplicate_name, role_protected, role_in_use, org_unit_in_use, last_tenant_admin, group_is_dynamic,
// group_in_use, already_enrolled, domain_not_allowed, org_unit_mismatch, subject_erased.
//
// # Ledger events
//
// tenant.created, tenant.renamed, tenant.moved, tenant.isolated, org_unit.created, org_unit.renamed, org_unit.deleted; user.created, user.updated, user.invited, user.admitted,
// user.org_unit_joined, user.org_unit_left, user.role_granted, user.role_revoked;
// role.created, role.updated, role.deleted; group.created, group.updated, group.deleted,
// group.join_token_rotated, group.join_token_dropped, group.member_added, group.member_removed
// (with addedAt), and group.membership_changed for every change that a rule made, with rule
// version and both states. Events of memberships have the user as subject.
package people
