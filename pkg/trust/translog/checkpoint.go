package translog

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/note"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/signer"
)

// Checkpoint is what a tenant signed about its log at one moment (C2SP, tlog-checkpoint).
type Checkpoint struct {
	// Origin names the log; the key has the same name.
	Origin string
	// Size is the number of events.
	Size int64
	// Root is the Merkle root over them, 32 bytes.
	Root []byte
}

// text is the text that is signed.
func (c Checkpoint) text() string {
	return fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, base64.StdEncoding.EncodeToString(c.Root))
}

// parseCheckpoint reads the text of a note. Lines that extensions add after the root are allowed.
func parseCheckpoint(text string) (Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) < 4 || lines[0] == "" {
		return Checkpoint{}, errors.New("a checkpoint has three lines: origin, size and root")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 0 || strconv.FormatInt(size, 10) != lines[1] {
		return Checkpoint{}, fmt.Errorf("%q is not the size of a log", lines[1])
	}
	root, err := base64.StdEncoding.Strict().DecodeString(lines[2])
	if err != nil || len(root) != hashSize {
		return Checkpoint{}, fmt.Errorf("%q is not a root hash", lines[2])
	}
	return Checkpoint{lines[0], size, root}, nil
}

// noteKey signs notes with the key of a tenant.
type noteKey struct {
	note.Verifier
	sign func(message []byte) ([]byte, error)
}

func (k noteKey) Sign(message []byte) ([]byte, error) { return k.sign(message) }

// errRewritten says that the stored tree is not the one that was signed last.
var errRewritten = errors.New("the stored log differs from its last checkpoint, so no further one is signed: assessctl ledger verify says where")

// sign signs a checkpoint over everything in the log, unless there is one. The tree must still
// be the one that was signed before, so that nobody gets a rewritten past signed.
func (s *Service) sign(ctx context.Context, tx *db.Tx, h *head, done *Done) (bool, error) {
	if h.size == h.signed {
		return false, nil
	}
	err := unchanged(ctx, tx, h.signed)
	if err != nil {
		return false, err
	}
	root, err := storedRoot(ctx, tx, h.size)
	if err != nil {
		return false, err
	}
	key, public, err := signer.Current(ctx, tx, s.Secret)
	if err != nil {
		return false, err
	}
	verifier, err := verifierOf(h.origin, public)
	if err != nil {
		return false, err
	}
	signed, err := note.Sign(&note.Note{Text: Checkpoint{h.origin, h.size, root}.text()}, noteKey{verifier, func(message []byte) ([]byte, error) {
		signature, err := signer.Sign(ctx, tx, s.Secret, message)
		return signature.Bytes, err
	}})
	if err != nil {
		return false, fmt.Errorf("sign a checkpoint: %w", err)
	}
	_, err = tx.Exec(ctx, "insert into ledger_checkpoints (tenant_id, size, root, key_id, note, created_at) values ($1, $2, $3, $4, $5, $6)",
		tx.Tenant(), h.size, root, key, string(signed), tx.Now())
	if err != nil {
		return false, fmt.Errorf("store a checkpoint: %w", err)
	}
	h.signed, done.Signed = h.size, true
	return false, nil
}

func unchanged(ctx context.Context, tx *db.Tx, signed int64) error {
	if signed == 0 {
		return nil
	}
	var known []byte
	err := tx.QueryRow(ctx, "select root from ledger_checkpoints where tenant_id = $1 and size = $2", tx.Tenant(), signed).Scan(&known)
	if errors.Is(err, pgx.ErrNoRows) {
		return errRewritten
	}
	if err != nil {
		return fmt.Errorf("read the last checkpoint: %w", err)
	}
	root, err := storedRoot(ctx, tx, signed)
	if err == nil && !bytes.Equal(root, known) {
		err = errRewritten
	}
	return err
}

// Signed is a checkpoint as it is kept.
type Signed struct {
	Size      int64     `json:"size" doc:"Events that it covers"`
	Root      string    `json:"root" doc:"Merkle root over them, base64"`
	Origin    string    `json:"origin" doc:"Name of the log and of the key"`
	KeyID     ids.ID    `json:"keyId"`
	CreatedAt time.Time `json:"createdAt"`
	Note      string    `json:"note" doc:"The signed note (C2SP, tlog-checkpoint)"`
}

var errNoCheckpoint = errs.New(errs.NotFound, "The log has no checkpoint yet: the first follows the first event within a minute.")

// NewestCheckpoint gives the newest checkpoint of the tenant. Everybody of the tenant may see it: it
// shows nothing but a number and a hash. Errors: not_found before the first.
func NewestCheckpoint(ctx context.Context, tx *db.Tx) (Signed, error) {
	var c Signed
	var root []byte
	err := tx.QueryRow(ctx, `select size, root, key_id, created_at, note from ledger_checkpoints where tenant_id = $1
		order by size desc limit 1`, tx.Tenant()).Scan(&c.Size, &root, &c.KeyID, &c.CreatedAt, &c.Note)
	if errors.Is(err, pgx.ErrNoRows) {
		return c, errNoCheckpoint
	}
	if err != nil {
		return c, fmt.Errorf("read the newest checkpoint: %w", err)
	}
	c.Root, c.CreatedAt = base64.StdEncoding.EncodeToString(root), c.CreatedAt.UTC()
	c.Origin, _, _ = strings.Cut(c.Note, "\n")
	return c, nil
}
