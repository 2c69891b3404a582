package app

// Mailing are the kinds of jobs whose waiting is waiting mail.
var Mailing = mailing
