package people

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// JoinToken lets people into a group. It is shown once and stored as a hash.
type JoinToken struct {
	GroupID   ids.ID `json:"group_id"`
	JoinToken string `json:"join_token" doc:"Shown once; POST /groups/join/{token} takes it"`
}

// RotateJoinToken gives a group a new join token, which ends the one before. It needs
// groups.manage. Errors: not_found, group_is_dynamic.
func RotateJoinToken(ctx context.Context, tx *db.Tx, id ids.ID) (JoinToken, error) {
	token := newToken()
	err := setJoinToken(ctx, tx, id, "group.join_token_rotated", tokenHash(token))
	return JoinToken{GroupID: id, JoinToken: token}, err
}

// DropJoinToken ends the join token of a group, if it has one. It needs groups.manage.
// Errors: not_found, group_is_dynamic.
func DropJoinToken(ctx context.Context, tx *db.Tx, id ids.ID) error {
	return setJoinToken(ctx, tx, id, "group.join_token_dropped", nil)
}

func setJoinToken(ctx context.Context, tx *db.Tx, id ids.ID, what string, hash []byte) error {
	err := tx.Require(capability.GroupsManage)
	if err != nil {
		return err
	}
	group, err := findGroup(ctx, tx, id, "no key update")
	if err != nil {
		return err
	}
	err = requireManual(group)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "update groups set join_token = $3, updated_at = $4 where tenant_id = $1 and id = $2", tx.Tenant(), id, hash, tx.ChangedAt(group.UpdatedAt))
	if err != nil {
		return fmt.Errorf("set join token: %w", err)
	}
	return ledger.Append(ctx, tx, groupEvent(what, group, nil))
}

// newToken has 256 random bits, in letters that a path may hold.
func newToken() string {
	var bits [32]byte
	rand.Read(bits[:]) //nolint:errcheck // never fails
	return base64.RawURLEncoding.EncodeToString(bits[:])
}

func tokenHash(token string) []byte {
	hash := sha256.Sum256([]byte(token))
	return hash[:]
}

// Joined tells a user who joins about the group.
type Joined struct {
	GroupID ids.ID    `json:"group_id"`
	Name    string    `json:"name"`
	UserID  ids.ID    `json:"user_id"`
	AddedAt time.Time `json:"added_at"`
}

// JoinGroup makes the caller a member of the group that a join token opens (specification, section 4.11). It
// needs groups.join. Errors: forbidden for a caller who is no user; not_found when the token opens no group in
// the caller's scope; domain_not_allowed; org_unit_mismatch; already_enrolled; subject_erased. The membership
// says who joined and when; being taken out by hand and leaving the org unit write that into the ledger.
// Joining is no event of its own: the events of a tenant are numbered one after the other, and the members of a
// class that join at once must not wait for one another.
func JoinGroup(ctx context.Context, tx *db.Tx, token string) (Joined, error) {
	err := tx.Require(capability.GroupsJoin)
	if err != nil {
		return Joined{}, err
	}
	user := tx.Actor().ID
	if tx.Actor().Kind != db.UserActor {
		return Joined{}, errs.New(errs.Forbidden, "Only users join groups; operators add members.")
	}
	group, err := groupByToken(ctx, tx, token)
	if err != nil {
		return Joined{}, err
	}
	err = RefuseErased(ctx, tx, user)
	if err != nil {
		return Joined{}, err
	}
	err = requireWelcome(ctx, tx, group, user)
	if err != nil {
		return Joined{}, err
	}
	fresh, err := insertMembers(ctx, tx, group, []ids.ID{user})
	if err != nil {
		return Joined{}, err
	}
	if len(fresh) == 0 {
		return Joined{}, errs.New(errs.AlreadyEnrolled, "You are in this group already.")
	}
	return Joined{GroupID: group.ID, Name: group.Name, UserID: user, AddedAt: tx.Now()}, nil
}

// groupByToken keeps the group as it is until the join commits: a token that is rotated at the
// same time either let the user in before, or no longer opens anything. The org unit is left to
// the policy: if the query named it too, PostgreSQL could take the index of an org unit's groups
// for as good.
func groupByToken(ctx context.Context, tx *db.Tx, token string) (models.Group, error) {
	var rows []models.Group
	err := tx.NewSelect().Model(&rows).Where("tenant_id = ? and join_token = ?", tx.Tenant(), tokenHash(token)).For("share").Scan(ctx)
	if err != nil {
		return models.Group{}, fmt.Errorf("find group by token: %w", err)
	}
	if len(rows) == 0 {
		return models.Group{}, noSuchGroup()
	}
	return rows[0], nil
}

// requireWelcome checks the domain of the user's address, then the org unit. A user who
// leaves the org unit at the same moment is refused by the foreign key of the membership.
func requireWelcome(ctx context.Context, tx *db.Tx, group models.Group, user ids.ID) error {
	var key string
	var belongs bool
	err := tx.QueryRow(ctx, `
		select coalesce(email_key, ''), exists (select from user_org_units where tenant_id = $1 and user_id = $2 and org_unit_id = $3)
		from users where tenant_id = $1 and id = $2`, tx.Tenant(), user, group.OrgUnitID).Scan(&key, &belongs)
	if err != nil {
		return fmt.Errorf("read address and org unit of user: %w", err)
	}
	domain := key[strings.LastIndexByte(key, '@')+1:]
	if len(group.AllowedDomains) > 0 && !slices.Contains(group.AllowedDomains, domain) {
		return errs.New(errs.DomainNotAllowed, "The group takes addresses of certain domains only, and yours is not one of them.")
	}
	if !belongs {
		return errs.New(errs.OrgUnitMismatch, "The group belongs to an org unit that you do not belong to.")
	}
	return nil
}
