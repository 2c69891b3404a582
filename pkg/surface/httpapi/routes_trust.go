package httpapi

import (
	"assess/pkg/kernel/capability"
)

func ledgerRoutes() []route {
	reads := needs(capability.ComplianceRead)
	return []route{
		own(streamed(noteFile, "/ledger/checkpoint", "ledgerCheckpoint", nil, "Read the newest checkpoint of the tenant's log", ledgerCheckpoint)),
		own(get("/ledger/keys", "listLedgerKeys", nil, "List the public keys that checkpoints, receipts and manifests are checked with", listLedgerKeys)),
		get("/ledger/events/{seq}/proof", "proveEvent", reads, "Prove that an event is in the log", proveEvent),
		report("/ledger/consistency", "proveConsistency", reads, "Prove that the log of one size begins with the log of another", proveConsistency),
		get("/submissions/{id}/proof", "proveSubmission", needs(capability.SubmissionsRead), "Prove which state of a submission the log has", proveSubmission),
	}
}
