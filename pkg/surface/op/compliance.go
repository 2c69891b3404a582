package op

import (
	"assess/pkg/kernel/capability"
	"assess/pkg/trust/requests"
)

// Requests are the requests of people about their data. Notes and carrying out are by hand: they need the secret of the
// service, and the command that carries a request out runs its job.
func Requests() []Line {
	reads, manages := needs(capability.ComplianceRead, capability.ComplianceManage), needs(capability.ComplianceManage)
	return []Line{
		read("GET /compliance/request-rules", "getRequestRules", "compliance request rules", reads, "Read what the tenant asks of erasures: two people, and some days", alone(requests.GetRules)),
		write("PUT /compliance/request-rules", "setRequestRules", "compliance request set-rules", manages, "Set the rules for erasures; relaxing them needs a step-up proof", requests.SetRules).proven(),
		read("GET /compliance/requests", "listRequests", "compliance requests", reads, "List what people ask about their data, the newest first; or what is due, the next first", requests.List),
		write("POST /compliance/requests", "recordRequest", "compliance request record KIND CHANNEL", manages, "Record a request that came by letter, mail, phone or in person", requests.Record).creates(),
		read("GET /compliance/requests/{id}", "getRequest", "compliance request show REQUEST", reads, "Read a request with its changes and jobs", one(requests.Get)),
		write("PATCH /compliance/requests/{id}", "nameRequestSubject", "compliance request name REQUEST USER", manages, "Say whom a request is about, until it is verified", ofOne(requests.NameSubject)),
		write("POST /compliance/requests/{id}/identity", "askIdentity", "compliance request ask-identity REQUEST", manages, "Say that the person was asked who they are; the time stands still until they show it", one(requests.AskIdentity)),
		write("POST /compliance/requests/{id}/verify", "verifyRequest", "compliance request verify REQUEST IDENTITY", manages, "Say how the person has shown that the request is theirs; the time goes on", ofOne(requests.Verify)).
			says("IDENTITY is one of" + requests.Explained(requests.Identities)),
		write("POST /compliance/requests/{id}/extend", "extendRequest", "compliance request extend REQUEST REASON-CODE", manages, "Take two months more for the answer, once, before the time is over", ofOne(requests.Extend)).
			says("REASON-CODE is one of" + requests.Explained(requests.Extensions)),
		write("POST /compliance/requests/{id}/decide", "decideRequest", "compliance request decide REQUEST DECISION", manages, "Grant what is asked, grant a part of it, or refuse it with a reason", ofOne(requests.Decide)).
			says("DECISION is granted, partly or refused. --reason-code, for the last two, is one of" + requests.Explained(requests.Refusals)),
		write("POST /compliance/requests/{id}/answer", "answerRequest", "compliance request answer REQUEST", manages, "Say that the person has the answer; notes about the request go", one(requests.Answer)),
		write("POST /compliance/requests/{id}/withdraw", "withdrawRequest", "compliance request withdraw REQUEST", manages, "Say that the person took the request back", one(requests.Withdraw)).
			asks("Withdraw the request %[1]s?"),
	}
}
