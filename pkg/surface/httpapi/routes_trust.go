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
		get("/compliance/jobs", "listComplianceJobs", reads, "List jobs about the data of people, newest first", listComplianceJobs),
		proven(rehearsed(write(post, "/compliance/jobs", "createComplianceJob", taken, manages, "Start a job about the data of a person; it needs a step-up proof where the route of its type does", s.createComplianceJob))),
		get("/compliance/jobs/{id}", "getComplianceJob", reads, "Read a job and its progress", s.getComplianceJob),
		own(viewed("/compliance/jobs/{id}/artifacts/{name}", "getComplianceArtifact", nil, "Read a file that a job made; the ledger says who did", s.findArtifact)),
		get("/compliance/ledger", "listComplianceLedger", reads, "List what was done about the data of people, newest first", listComplianceLedger),
		proven(rehearsed(write(post, "/compliance/forget", "forgetPerson", taken, manages, "Erase what is kept about a person, but for scores and figures; needs a step-up proof", s.forgetPerson))),
		rehearsed(quick("/compliance/dsar-export", "exportPerson", created, manages, "Export what is held about a person; the answer waits up to two seconds for it", s.exportPerson)),
		rehearsed(write(post, "/compliance/privacy-pack", "packPerson", taken, manages, "Gather what shows how a person's data were treated", s.packPerson)),
		proven(rehearsed(write(post, "/compliance/unlink", "unlinkPerson", taken, manages, "Take a person out of an org unit, or of all; the record stays; for an administrator it needs a step-up proof", s.unlinkPerson))),
		rehearsed(write(post, "/compliance/restrict", "restrictPerson", taken, manages, "Place or lift a hold or a restriction of processing", s.restrictPerson)),
		get("/compliance/holds", "listHolds", needs(capability.ComplianceRead), "List holds and restrictions of processing, newest first", listHolds),
		proven(rehearsed(write(post, "/compliance/retention/sweep", "sweepRetention", taken, manages, "Carry out what the retention policies say; needs a step-up proof", s.sweepRetention))),
		together(limited(3, 2*time.Second, get("/compliance/retention/incidents", "listRetentionIncidents", needs(capability.ComplianceRead), "List what sweeps could not erase", listIncidents))),
	}
}

func (s *Server) glassBoxRoutes() []route {
	hands := needs(capability.ExceptionsTriage)
	routes := []route{
		secret(write(post, "/submissions/{id}/glass-box-links", "createGlassBoxLink", created, hands, "Make a link by which somebody without an account reads the submission; its secrets are shown once", s.createGlassBoxLink)),
		get("/submissions/{id}/glass-box-links", "listGlassBoxLinks", needs(capability.ExceptionsRead), "List the links to a submission and their uses, newest first", listGlassBoxLinks),
		write(remove, "/submissions/{id}/glass-box-links", "revokeGlassBoxLinks", gone, hands, "End all links to a submission, at once", revokeGlassBoxLinks),
		write(remove, "/submissions/{id}/glass-box-links/{linkId}", "revokeGlassBoxLink", gone, hands, "End a link, at once", revokeGlassBoxLink),
	}
	for _, at := range []struct{ path, suffix string }{{"/glassbox", ""}, {"/glass-box", "Alias"}} {
		routes = append(routes,
			linked(witnessed(at.path+"/submissions/{id}", "viewGlassBox"+at.suffix, nil, "Read what a link shows of a submission; the ledger says that it was read", viewGlassBox)),
			linked(witnessedFile(boxFile, at.path+"/submissions/{id}/bundle", "exportGlassBox"+at.suffix, nil, "Take the glass box along, signed and with its proof, for assessctl ledger verify", s.exportGlassBox)),
			linked(viewed(at.path+"/submissions/{id}/evidence/{evidenceId}", "readGlassBoxFile"+at.suffix, nil, "Read the bytes of evidence, where the link shows files", s.findGlassBoxFile)))
	}
	return routes
}
