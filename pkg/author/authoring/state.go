package authoring

import (
	"assess/models"
	"assess/pkg/kernel/errs"
)

// checkChangeable refuses a change of an archived record.
func checkChangeable(status string) error {
	if status == models.AuthoringArchived {
		return errs.New(errs.Archived, "It is archived; restore it first.")
	}
	return nil
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func reference(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
