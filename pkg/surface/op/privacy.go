package op

import (
	"assess/pkg/kernel/capability"
	"assess/pkg/people/hold"
	"assess/pkg/trust/erasure"
	"assess/pkg/trust/processing"
	"assess/pkg/trust/requests"
	"assess/pkg/trust/retention"
)

// Letters are the letters about requests. Reading one as it would go out is by hand: it names where the service is.
func Letters() []Line {
	reads, manages := needs(capability.ComplianceRead, capability.ComplianceManage), needs(capability.ComplianceManage)
	return []Line{
		read("GET /compliance/letter-templates", "listLetterTemplates", "compliance letter templates", reads, "List the templates of letters that are in force; version 0 is built in", alone(requests.ListTemplates)),
		write("POST /compliance/letter-templates", "setLetterTemplate", "compliance letter set LETTER LOCALE", manages, "Set what a letter says from now on; without words the tenant has no such template any more", requests.SetTemplate).
			says("LETTER is received, identity_needed, extended, refused, ready or done. Subject and text may name {name}, {tenant}, {article}, {received}, {due},\n{reason}, {number} and {link}. --word has the template for one kind of request, or one reason, alone."),
		write("POST /compliance/requests/{id}/letters", "sendLetter", "compliance letter send REQUEST LETTER", manages, "Send a letter about a request by hand", ofOne(requests.SendLetter)).accepted(),
	}
}

// Recipients are the operations on others who have data of people, and on their tasks.
func Recipients() []Line {
	reads, manages := needs(capability.ComplianceRead, capability.ComplianceManage), needs(capability.ComplianceManage)
	return []Line{
		read("GET /compliance/recipients", "listRecipients", "compliance recipients", reads, "List who gets data of people from the tenant", requests.ListRecipients),
		write("POST /compliance/recipients", "createRecipient", "compliance recipient create NAME", manages, "Enter a processor or recipient of data in the register", requests.CreateRecipient).creates(),
		read("GET /compliance/recipients/{id}", "getRecipient", "compliance recipient show RECIPIENT", reads, "Read a recipient", one(requests.GetRecipient)),
		write("PUT /compliance/recipients/{id}", "updateRecipient", "compliance recipient update RECIPIENT", manages, "Replace what the register says of a recipient", ofOne(requests.UpdateRecipient)),
		write("POST /compliance/recipients/{id}/end", "endRecipient", "compliance recipient end RECIPIENT", manages, "Say that a recipient gets nothing more; tasks that are open stay", one(requests.EndRecipient)).
			asks("Say that %[1]s gets nothing more?"),
		read("GET /compliance/recipient-tasks", "listRecipientTasks", "compliance tasks", reads, "List what recipients are to do, the newest first", requests.ListTasks),
		write("POST /compliance/recipient-tasks/{id}/acknowledge", "acknowledgeTask", "compliance task acknowledge TASK", manages, "Say that a recipient has done what it was told", one(requests.Acknowledge)),
		write("POST /compliance/recipient-tasks/{id}/remind", "remindRecipient", "compliance task remind TASK", manages, "Tell a recipient once more, or say that it was told by hand", one(requests.Remind)),
		write("POST /compliance/recipient-tasks/{id}/give-up", "giveUpTask", "compliance task give-up TASK REASON-CODE", manages, "Say that nobody waits for a recipient any more", ofOne(requests.GiveUp)).
			says("REASON-CODE is one of" + requests.Explained(requests.GivenUp)),
	}
}

// Holds are the operations on many holds; placing and lifting a single one is a job.
func Holds() []Line {
	manages := needs(capability.ComplianceManage)
	return []Line{
		write("POST /compliance/holds", "placeHolds", "compliance hold place REASON-CODE SUBJECT-IDS...", manages, "Hold several people for one reason and matter, and name those who could not be held", hold.PlaceMany),
		write("POST /compliance/holds/lift", "liftHolds", "compliance hold lift MATTER", manages, "Lift all holds of a matter, or those of some people", hold.LiftMany).asks("Lift the holds of %[1]s?"),
		write("PATCH /compliance/holds/{id}", "reviewHold", "compliance hold review HOLD REVIEW-AT", manages, "Say that a hold is still needed, and when somebody looks again", ofOne(hold.Review)),
	}
}

// Residue are the operations on traces that searches found of forgotten people, and on the decisions about them.
func Residue() []Line {
	reads, manages := needs(capability.ComplianceRead, capability.ComplianceManage), needs(capability.ComplianceManage)
	return []Line{
		read("GET /compliance/residue-findings", "listResidueFindings", "compliance residue list", reads, "List what searches for residue found of people who were forgotten", erasure.ListFindings),
		write("POST /compliance/residue-findings/{id}/decide", "decideResidueFinding", "compliance residue decide FINDING DECISION", manages, "Erase what was found, say that somebody changed it, or why it is kept", ofOne(erasure.DecideFinding)).
			says("DECISION is erased, changed or kept. erased takes away the whole text that it stands in. --reason-code, for kept, is one of" + erasure.ExplainedKeeping()),
	}
}

// Processing is the record of processing. Reading it is by hand: it is a page and a file, too.
func Processing() []Line {
	return []Line{
		write("PUT /compliance/record-of-processing", "setLegalBasis", "compliance legal-basis PURPOSE LEGAL-BASIS", needs(capability.ComplianceManage), "Say the legal basis of a purpose (GDPR, article 6(1))", processing.SetBasis),
	}
}

// Forecasts are the operations that tell the future effect of retention policies.
func Forecasts() []Line {
	return []Line{
		line(Reports, "GET /retention-policies/forecast", "forecastRetention", "policy retention forecast", needs(capability.PoliciesManage, capability.ComplianceRead),
			"Say what sweeps would erase in the next twelve months, by month", alone(retention.LookAhead)),
	}
}
