package erasure

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/wire"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
	"assess/pkg/trust/compliance"
)

// identity is what names a person. It waits in the row of the job, sealed, while the steps need it, because
// the record is erased by then, and goes with the end of the job.
type identity struct {
	Name     string         `json:"name"`
	Emails   []string       `json:"emails"`
	Metadata map[string]any `json:"metadata"`
}

// erasedDomain is that of the addresses that erased records have.
const erasedDomain = "@erased.invalid"

// identify reads who the person is. Who was forgotten before is nobody any more.
func identify(ctx context.Context, tx *db.Tx, user ids.ID) (identity, error) {
	record, err := people.Record(ctx, tx, user)
	if err != nil {
		return identity{}, err
	}
	who := identity{Name: record.Name, Metadata: record.Metadata}
	if !strings.HasSuffix(record.Email, erasedDomain) {
		who.Emails = append(who.Emails, record.Email)
		if key, ok := people.EmailKey(record.Email); ok && key != record.Email {
			who.Emails = append(who.Emails, key)
		}
	}
	former, err := people.FormerAddresses(ctx, tx, user)
	who.Emails = append(who.Emails, former...)
	return who, err
}

func sealedAs(r *compliance.Run) string {
	return "forget/" + r.Job.TenantID.String() + "/" + r.Job.ID.String()
}

func (who identity) seal(r *compliance.Run) error {
	plain, err := json.Marshal(who)
	if err != nil {
		return fmt.Errorf("encode the identifiers of a person: %w", err)
	}
	r.Job.Sealed, err = access.Seal(r.Secret, sealedAs(r), plain)
	return err
}

func unseal(r *compliance.Run) (identity, error) {
	var who identity
	plain, err := access.Unseal(r.Secret, sealedAs(r), r.Job.Sealed)
	if err == nil {
		err = json.Unmarshal(plain, &who)
	}
	if err != nil {
		return who, fmt.Errorf("open the identifiers of a person: %w", err)
	}
	return who, nil
}

// leastText is the length of the shortest text that is looked for in what others were answered, in bytes.
const leastText = 4

// texts are what stored answers are searched for: the id, name, addresses, and texts in metadata, as they are and as
// JSON has them.
func (who identity) texts(user ids.ID) ([]string, error) {
	all := []string{user.String()}
	for _, text := range append(append([]string{who.Name}, who.Emails...), stringsIn(who.Metadata)...) {
		if len(text) < leastText {
			continue
		}
		quoted, err := wire.Marshal(text)
		if err != nil {
			return nil, fmt.Errorf("quote an identifier: %w", err)
		}
		all = append(all, text, string(quoted[1:len(quoted)-1]))
	}
	return all, nil
}

// leastMetadata is the length of the shortest text of metadata that names somebody (decisions, section 10).
const leastMetadata = 8

func stringsIn(value any) []string {
	var all []string
	switch v := value.(type) {
	case string:
		if len([]rune(v)) >= leastMetadata {
			all = append(all, v)
		}
	case map[string]any:
		for _, inner := range v {
			all = append(all, stringsIn(inner)...)
		}
	case []any:
		for _, inner := range v {
			all = append(all, stringsIn(inner)...)
		}
	}
	return all
}
