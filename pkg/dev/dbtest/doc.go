// Package dbtest gives tests a migrated PostgreSQL database of their own. Only tests may import it.
//
// One server serves a checkout: it lives in .pg/test next to go.mod, without durability, and all test
// binaries share it, even ones that run at the same time. Its databases:
//
//	assess_tmpl_<hash>      every migration applied, keyed by migrations.Hash; closed to
//	                        connections once it is complete, which is how one that a crash
//	                        left half-made is told apart and made anew
//	assess_test_<run>_<n>   a copy of the template for one test binary or one test
//
// Clone and Fresh hand out copies. WithStandby starts two servers of the test's own, one
// following the other. Without server programs they skip the test on a
// developer's machine and fail it where CI is set.
//
// With ASSESS_TEST_CITUS set, as `make test-citus` does, the databases lie on a coordinator and two workers in
// .pg/citus: the template is distributed, and a copy is made on every node under one name. Spread gives an empty one.
//
// # Who cleans up
//
// Nobody has to stop anything, and a killed test leaves nothing for long:
//   - Each test binary holds a shared lock on .pg/test/users until it ends. A keeper, the
//     same binary started again in the background, tries for the exclusive lock; when nobody has used
//     the server for a minute, it stops it and ends.
//   - Each test binary holds a connection whose application name says which run and which
//     template it is. Databases that no such name mentions are dropped when the next test
//     binary starts, and when the keeper stops the server.
package dbtest
