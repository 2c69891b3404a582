package taxonomy

import (
	"database/sql"
	"errors"
	"fmt"

	"assess/pkg/kernel/errs"
)

// found turns a missing row into not_found, naming the noun.
func found(noun string, err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return errs.New(errs.NotFound, "There is no such %s.", noun)
	}
	if err != nil {
		return fmt.Errorf("find %s: %w", noun, err)
	}
	return nil
}
