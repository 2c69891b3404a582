package main

import "time"

// clients is how many work at once.
const clients = 8

// items is how many questions the evaluation has.
const items = 20

// size says how much work the measurements do.
type size struct {
	rounds int
	// submits and saves are the work of one contender in one round.
	submits, saves int
	attempts       int
	// spike is how many candidates start within a few seconds, answered how many items each of
	// them answers.
	spike, answered int
	// projected submissions, in projectionRounds rounds.
	projected, projectionRounds int
	// many is the number of attempts of the large reports, which are compared with reports of a tenth;
	// reads is how often each report is read. exported is the number of questions of an export,
	// compared in the same way.
	many, reads, exported int
	// groups is how many groups the evaluation of the reports is assigned to, in each of runs. A list
	// of groups adds up a row for each group and day, so there are so few that a tenth of the attempts
	// has one on every day of each group: else the list is compared with one of empty days.
	groups int
	// lagSeconds is how long candidates submit at half of their maximum.
	lagSeconds float64
	// imported is how many questions one import brings.
	imported int
	// users is how many people one import brings, in userRounds rounds.
	users, userRounds int
	// fewQuestions and manyQuestions are the banks between which the inventory is compared.
	fewQuestions, manyQuestions int
	// events is how many events a ledger has that is sequenced and verified.
	events int
	// crowd is how many take an exam at once, and crowdTime how long.
	crowd     int
	crowdTime time.Duration
	// toldEvents are told to the receivers of webhooks.
	toldEvents int
	// skilled is the number of submissions that become facts about skills.
	skilled int
	// scanned rows are searched for a person; expired submissions are swept.
	scanned, expired int
}

var (
	long = size{rounds: 7, submits: 1200, saves: 3000, attempts: 800, spike: 2000, answered: items, projected: 5000, projectionRounds: 5,
		many: 100_000, groups: 40, reads: 300, exported: 10_000, lagSeconds: 15, imported: 20_000, users: 100_000, userRounds: 1,
		fewQuestions: 1000, manyQuestions: 100_000, events: 1_000_000, crowd: 10_000, crowdTime: 10 * time.Minute, toldEvents: 20_000, skilled: 50_000, scanned: 10_000_000, expired: 1_000_000}
	brief = size{rounds: 3, submits: 400, saves: 800, attempts: 160, spike: 2000, answered: 2, projected: 1000, projectionRounds: 3,
		many: 10_000, groups: 8, reads: 100, exported: 2_000, lagSeconds: 4, imported: 5_000, users: 10_000, userRounds: 1,
		fewQuestions: 1000, manyQuestions: 20_000, events: 200_000, crowd: 1_000, crowdTime: time.Minute, toldEvents: 1_000, skilled: 5_000, scanned: 500_000, expired: 20_000}
)
