// Command bench measures the service against hand-written SQL in the same run: make bench.
//
// # How it measures
//
// It starts a PostgreSQL of its own, durable as in production (every commit is on disk
// before it is acknowledged), and assessd in a process of its own. Eight clients work at
// once. The contenders of a measurement take turns in short rounds, each with the same
// amount of work, and the order changes from round to round. A ratio is the median of the
// ratios within the rounds, so that a machine that grows slower on the way spoils nothing.
//
// # What stands beside it
//
// By hand means prepared statements over a pgx pool, as one would write them for this one
// purpose: no scope, no policies (they run as the superuser), no scoring, no receipts to
// check, no idempotency. They write the same columns of the same rows into the same tables.
//
// Over HTTP, assessd is compared with a server written by hand, in its own process: net/http, one check
// of an Ed25519 token, the same hand-written statements, and nothing else (neighbour.go).
//
// What row-level security costs is measured with the same statements in both contenders, including the
// one that sets the scope: once as the login of the programs, which the policies bind, and once as the
// superuser, which they do not.
//
// The HTTP clients live in the bench's process and write their requests to the socket
// themselves, so that the load costs the machine little. What they do cost is part of the
// figures over HTTP, and printed for whole attempts.
//
// # Measurements
//
//	submit     a session of 20 saved answers becomes a submission
//	save       one answer is saved
//	start      a session is opened
//	content    a submit of 20 items of 200 KB, compared with 2 KB
//	exam       10,000 people with connections of their own take an exam for ten minutes, while reports are read; and
//	           again with a server that is killed in the middle (make bench-exam)
//	spike      2,000 candidates start within three seconds, answer everything and submit:
//	           how long each call takes
//	cost       what a whole attempt over HTTP costs, each by a different person, step by step: processor
//	           time, round trips, WAL and what it belongs to
//	projection submissions become rows of the reporting tables
//	lag        how far reports are behind while submits run at half of their maximum
//	reports    time to answer with 100,000 attempts and with a tenth of them; -attempts says
//	           how many
//	versions   the same of an evaluation with several versions and many people
//	health     lists, export and percentiles where there are 10,000 questions
//	rebuild    a full rebuild, compared with only the rows of the items, and with one statement a table
//	remediation one question of many submissions gets another key, and the old one back
//	import     a file of questions becomes drafts, compared with COPY of the very same rows;
//	           memory of a preview
//	people     a file of 100,000 users becomes users, in the library compared with COPY of the very
//	           same rows, over HTTP and on the command line; lists and searches among them;
//	           a rule that turns a group of half of them round, compared with SQL by hand
//	hostile    saves of candidates while twelve clients send bodies that are made to cost much,
//	           compared with the same saves without them
//	dsar       export of all we hold about a person with ten attempts, and about one with
//	           ten thousand
//	compliance a person with 200 submissions is forgotten, among the submissions of others
//	residue    10,000,000 rows are searched for a person, compared with COPY into grep -i
//	sweep      1,000,000 submissions whose time is over are deleted while candidates save
//	ledger     a ledger of 1,000,000 events goes into its log and is verified, with the database
//	           and offline; proofs of its events, compared with a tenth of them
//	packs      a pack of 1,841 questions is installed, compared with a copy of the same rows by hand;
//	           and what a pack ten times as large costs in memory; who took a pack is read, where
//	           a million submissions were taken with it and where ten were
//	exceptions the first page of the exceptions queue under each filter, with 50,000 rows among a
//	           million submissions and among a tenth
//	tightened  a policy that concerns half of 200,000 submissions is made stricter and put back
//	skills     1,000,000 item attempts become facts and figures by 500 rules, compared with one statement
//	           that writes the facts; submissions are projected with the rules and without; profiles, and
//	           overviews of 100,000 people, compared with a tenth of the attempts
//	cluster    starts, saves, submits and whole attempts over HTTP on a coordinator and two workers with Citus,
//	           compared with the same on one PostgreSQL; runs only when it is named
//
// The exit code is 0 whatever the figures are: a shared machine must not fail a build.
package main
