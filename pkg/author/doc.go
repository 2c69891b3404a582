// Package author is the room of content: terms, media, and questions, passages and evaluations with
// their versions and snapshots.
//
// What may come in: what authors write and publish. Nothing here knows a session or a submission.
package author
