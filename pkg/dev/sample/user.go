package sample

import (
	"testing"

	"assess/pkg/kernel/db"
	"assess/pkg/people/people"
)

// User makes a user of the transaction's org unit with system roles ("candidate").
func User(t testing.TB, tx *db.Tx, roles ...string) people.User {
	t.Helper()
	user, err := people.CreateUser(t.Context(), tx, people.UserInput{
		Email: word("user") + "@example.test", Name: "Sample User", Roles: roles,
	})
	if err != nil {
		t.Fatal(err)
	}
	return user
}
