// Command bench measures the service beside hand-written SQL in the same run: make bench.
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
// Over HTTP, assessd is compared with a server written by hand, in its own process: net/http, one check of an Ed25519
// token, those statements, and nothing else (neighbour.go).
//
// What row-level security costs is measured with the same statements in both contenders,
// the one that states the scope among them: once as the login of the programs, whom the
// policies bind, and once as the superuser, whom they do not.
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
//	content    a submit of 20 items of 200 KB, beside 2 KB
//	exam       10,000 people with connections of their own take an exam for ten minutes, while reports are read; and
//	           again with a server that is killed in the middle (make bench-exam)
//	spike      2,000 candidates start within three seconds, answer everything and submit:
//	           how long each call takes
//	cost       what a whole attempt over HTTP costs, each by a person of its own, step by step: processor
//	           time, round trips, WAL and what it belongs to
//	projection submissions become rows of the reporting tables
//	lag        how far reports are behind while submits run at half of their maximum
//	reports    time to answer with 100,000 attempts and with a tenth of them; -attempts says
//	           how many
//	versions   the same of an evaluation with several versions and many people
//	health     lists, export and percentiles where there are 10,000 questions
//	rebuild    a full rebuild beside the rows of the items alone, and beside one statement a table
//	remediation one question of many submissions gets another key, and the old one back
//	import     a file of questions becomes drafts, beside COPY of the very same rows;
//	           memory of a preview
//	people     a file of 100,000 users becomes users, in the library beside COPY of the very
//	           same rows, over HTTP and on the command line; lists and searches among them;
//	           a rule that turns a group of half of them round, beside SQL by hand
//	hostile    saves of candidates while twelve clients send bodies that are made to cost much,
//	           beside the same saves without them
//	dsar       what is held about a person with ten attempts is exported, and about one with
//	           ten thousand
//	compliance a person with 200 submissions is forgotten, among those of others
//	residue    10,000,000 rows are searched for a person, beside COPY into grep -i
//	sweep      1,000,000 submissions whose time is over are deleted while candidates save
//	ledger     a ledger of 1,000,000 events goes into its log and is verified, with the database
//	           and offline; proofs of its events, beside those of a tenth of them
//	packs      a pack of 1,841 questions is installed, beside a copy of the same rows by hand;
//	           and what a pack ten times as large costs in memory; who took a pack is read, where
//	           a million submissions were taken with it and where ten were
//	exceptions the first page of the exceptions queue under each filter, with 50,000 rows among a
//	           million submissions and among a tenth
//	tightened  a policy is made stricter and as it was, among 200,000 submissions of which it
//	           concerns half
//	skills     1,000,000 item attempts become facts and figures by 500 rules, beside one statement that writes
//	           the facts; submissions are projected with the rules and without; profiles, and overviews
//	           of 100,000 people, beside those of a tenth of the attempts
//	cluster    starts, saves, submits and whole attempts over HTTP on a coordinator and two workers with Citus,
//	           beside the same on one PostgreSQL; only where it is asked for by name
//
// The exit code is 0 whatever the figures are: a shared machine must not fail a build.
package main
