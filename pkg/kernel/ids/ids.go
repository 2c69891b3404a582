// Package ids makes the identifiers of the service: UUIDv7 (RFC 9562), made by the
// application, so that keys grow with time and indexes stay dense.
package ids

import (
	"github.com/google/uuid"

	"assess/pkg/kernel/errs"
)

// ID is a UUID. The zero value means "none".
type ID = uuid.UUID

// None is the absent id.
var None ID

// New makes a UUIDv7. It panics only when the system has no randomness left.
func New() ID { return uuid.Must(uuid.NewV7()) }

// Parse reads an id in canonical form; path names the field in the error
// (validation_failed).
func Parse(path, s string) (ID, error) {
	if len(s) != 36 {
		return None, invalid(path)
	}
	id, err := uuid.Parse(s)
	if err != nil {
		return None, invalid(path)
	}
	return id, nil
}

func invalid(path string) error {
	return errs.Invalid(errs.Field{Path: path, Code: "invalid_id", Message: "expected a UUID"})
}

// Ref gives a pointer to an id, nil for none: how an optional id goes to the database.
func Ref(id ID) *ID {
	if id == None {
		return nil
	}
	return &id
}
