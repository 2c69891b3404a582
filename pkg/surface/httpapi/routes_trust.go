package httpapi

import (
	"time"

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

func (s *Server) complianceRoutes() []route {
	reads, manages := needs(capability.ComplianceRead, capability.ComplianceManage), needs(capability.ComplianceManage)
	return []route{
		get("/compliance/jobs", "listComplianceJobs", reads, "List jobs about the data of people, newest first", s.listComplianceJobs),
		proven(rehearsed(write(post, "/compliance/jobs", "createComplianceJob", taken, manages, "Start a job about the data of a person; forgetting needs a step-up proof", s.createComplianceJob))),
		get("/compliance/jobs/{id}", "getComplianceJob", reads, "Read a job and its progress", s.getComplianceJob),
		own(viewed("/compliance/jobs/{id}/artifacts/{name}", "getComplianceArtifact", nil, "Read a file that a job made; the ledger says who did", s.findArtifact)),
		get("/compliance/ledger", "listComplianceLedger", reads, "List what was done about the data of people, newest first", listComplianceLedger),
		proven(rehearsed(write(post, "/compliance/forget", "forgetPerson", taken, manages, "Erase what is kept about a person, but for scores and figures; needs a step-up proof", s.forgetPerson))),
		rehearsed(quick("/compliance/dsar-export", "exportPerson", created, manages, "Export what is held about a person; the answer waits up to two seconds for it", s.exportPerson)),
		rehearsed(write(post, "/compliance/privacy-pack", "packPerson", taken, manages, "Gather what shows how a person's data were treated", s.packPerson)),
		rehearsed(write(post, "/compliance/unlink", "unlinkPerson", taken, manages, "Take a person out of an org unit, or of all; the record stays", s.unlinkPerson)),
		rehearsed(write(post, "/compliance/restrict", "restrictPerson", taken, manages, "Place or lift a hold or a restriction of processing", s.restrictPerson)),
		get("/compliance/holds", "listHolds", needs(capability.ComplianceRead), "List holds and restrictions of processing, newest first", listHolds),
		rehearsed(write(post, "/compliance/retention/sweep", "sweepRetention", taken, manages, "Carry out what the retention policies say", s.sweepRetention)),
		together(limited(3, 2*time.Second, get("/compliance/retention/incidents", "listRetentionIncidents", needs(capability.ComplianceRead), "List what sweeps could not erase", listIncidents))),
	}
}
