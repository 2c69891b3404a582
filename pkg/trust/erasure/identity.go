package erasure

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/wire"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
	"assess/pkg/trust/compliance"
)

// identity holds the names of a person. It waits in the row of the job, sealed, while the steps need it, because
// the record is erased by then, and goes with the end of the job; if the job failed, with the end of the next one.
type identity struct {
	Names    []string         `json:"names"`
	Emails   []string         `json:"emails"`
	Metadata []map[string]any `json:"metadata"`
}

// identify reads who the person is. A person who was forgotten before is nobody any more.
func identify(ctx context.Context, tx *db.Tx, user ids.ID) (identity, error) {
	record, err := people.Record(ctx, tx, user)
	if err != nil {
		return identity{}, err
	}
	var who identity
	if !strings.HasSuffix(record.Email, people.ErasedDomain) {
		who.Names, who.Metadata = append(who.Names, record.Name), append(who.Metadata, record.Metadata)
		if record.Email != "" {
			who.Emails = append(who.Emails, record.Email)
		}
		if key, ok := people.EmailKey(record.Email); ok && key != record.Email {
			who.Emails = append(who.Emails, key)
		}
	}
	former, err := people.FormerAddresses(ctx, tx, user)
	who.Emails = append(who.Emails, former...)
	return who, err
}

// recall adds what jobs about the person keep that failed: they may have erased the record and not searched.
func (who identity) recall(ctx context.Context, tx *db.Tx, r *compliance.Run) (identity, error) {
	failed, err := compliance.Unfinished(ctx, tx, compliance.Forget, r.Person())
	if err != nil {
		return who, err
	}
	for _, row := range failed {
		before, err := unseal(r.Secret, row)
		if err != nil {
			return who, err
		}
		who.Names, who.Emails = append(who.Names, before.Names...), append(who.Emails, before.Emails...)
		who.Metadata = append(who.Metadata, before.Metadata...)
	}
	return who, nil
}

func sealedAs(row models.ComplianceJob) string {
	return "forget/" + row.TenantID.String() + "/" + row.ID.String()
}

func (who identity) seal(r *compliance.Run) error {
	plain, err := json.Marshal(who)
	if err != nil {
		return fmt.Errorf("encode the identifiers of a person: %w", err)
	}
	r.Job.Sealed, err = access.Seal(r.Secret, sealedAs(r.Job), plain)
	return err
}

func unseal(secret string, row models.ComplianceJob) (identity, error) {
	var who identity
	plain, err := access.Unseal(secret, sealedAs(row), row.Sealed)
	if err == nil {
		err = json.Unmarshal(plain, &who)
	}
	if err != nil {
		return who, fmt.Errorf("open the identifiers of a person: %w", err)
	}
	return who, nil
}

// leastText is the length of the shortest text that is looked for in stored answers to others, in bytes.
const leastText = 4

// texts are what stored answers are searched for: the id, name, addresses, and texts in metadata, as they are and as
// JSON has them.
func (who identity) texts(user ids.ID) ([]string, error) {
	all := []string{user.String()}
	named := slices.Concat(who.Names, who.Emails)
	for _, record := range who.Metadata {
		named = append(named, stringsIn(record)...)
	}
	for _, text := range named {
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
