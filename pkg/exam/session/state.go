package session

import "assess/models"

// What ends a session. Nothing leads out of an ended one.
var (
	submitting = models.Transition{From: models.SessionOpen, By: "submit", To: models.SessionSubmitted}
	expiring   = models.Transition{From: models.SessionOpen, By: "time limit passes", To: models.SessionExpired}
	closing    = models.Transition{From: models.SessionOpen, By: "proctor closes", To: models.SessionClosed}
	archiving  = models.Transition{From: models.SessionOpen, By: "evaluation is archived", To: models.SessionClosed}
	forgetting = models.Transition{From: models.SessionOpen, By: "person is forgotten", To: models.SessionClosed}
	abandoning = models.Transition{From: models.SessionOpen, By: "idle without a deadline", To: models.SessionAbandoned}
)

// Transitions are all transitions of a session.
var Transitions = []models.Transition{{By: "start", To: models.SessionOpen}, submitting, expiring, closing, archiving, forgetting, abandoning}
