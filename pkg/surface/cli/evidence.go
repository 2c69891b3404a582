package cli

import (
	"context"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func newEvidence(s *Shell) *cobra.Command {
	return group("evidence", "Add, list, read, verify and void evidence of submissions",
		s.operations("evidence", newEvidenceAdd(s), newEvidenceGet(s), newEvidenceVerify(s))...)
}

// subjectFlags name the subject of evidence and findings.
func subjectFlags(cmd *cobra.Command, submission *ids.ID, item **ids.ID) {
	idFlag(cmd, submission, "submission", "id of the submission (required)")
	optionalIDFlag(cmd, item, "item", "id of one of its items; without it the whole submission")
	required(cmd, "submission")
}

func newEvidenceAdd(s *Shell) *cobra.Command {
	var in evidence.AttachInput
	cmd := s.changes(&cobra.Command{
		Use:   "add FILE --submission ID",
		Short: "Attach a file to a submission, or to one of its items",
		Long:  "Attach a file to a submission, or to one of its items.\n\nWhat a file is, its bytes tell; blob.evidence_types says what is taken. Its name is not kept,\nbecause such names hold names of people.",
		RunE: func(cmd *cobra.Command, args []string) error {
			made, err := attachFile(s, cmd, args[0], in)
			if err != nil {
				return err
			}
			return PrintOne(s, made, evidenceFields...)
		},
	})
	subjectFlags(cmd, &in.SubmissionID, &in.ItemID)
	cmd.Flags().StringVar(&in.Kind, "kind", "other", "screen_recording, camera_recording, audio_recording, screenshot, photo, document, log or other")
	return cmd
}

// attachFile stores the file and then records it. A dry run stores nothing: it claims the
// file within the transaction that is undone.
func attachFile(s *Shell, cmd *cobra.Command, path string, in evidence.AttachInput) (evidence.Evidence, error) {
	content, err := s.keepEvidence(cmd.Context(), path, in)
	if err != nil {
		return evidence.Evidence{}, err
	}
	keyed := struct {
		In     evidence.AttachInput
		SHA256 string
	}{in, content.SHA256}
	return write(s, cmd, keyed, func(tx *db.Tx) (evidence.Evidence, error) {
		if s.dryRun {
			err := evidence.ClaimFile(cmd.Context(), tx, content)
			if err != nil {
				return evidence.Evidence{}, err
			}
		}
		return evidence.Attach(cmd.Context(), tx, in, content)
	})
}

func (s *Shell) keepEvidence(ctx context.Context, path string, in evidence.AttachInput) (evidence.Content, error) {
	f, err := os.Open(path)
	if err != nil {
		return evidence.Content{}, Usage("%w", err)
	}
	defer f.Close() //nolint:errcheck // only read from
	files, scope, done, err := s.evidenceFiles(ctx)
	if err != nil {
		return evidence.Content{}, err
	}
	defer done()
	file, err := blob.Receive(f, files.Limit())
	if err != nil {
		return evidence.Content{}, err
	}
	defer file.Close() //nolint:errcheck // only read from since it was complete
	if s.dryRun {
		return files.Inspect(file, "")
	}
	return files.Keep(ctx, scope, in, file, "")
}

// evidenceFiles opens the file store; done closes it.
func (s *Shell) evidenceFiles(ctx context.Context) (*evidence.Files, db.Scope, func(), error) {
	c, err := s.Config()
	if err != nil {
		return nil, db.Scope{}, nil, err
	}
	store, scope, err := s.scoped(ctx)
	if err != nil {
		return nil, scope, nil, err
	}
	blobs, err := openBlobs(ctx, c)
	if err != nil {
		return nil, scope, nil, err
	}
	// All writes to it have been settled before.
	return evidence.NewFiles(store, blobs, c.Blob), scope, func() { _ = blobs.Close() }, nil
}

var evidenceColumns = columns[evidence.Evidence](`ID, Kind, MediaType = Type, SizeBytes = Bytes, Scope, Status, Integrity,
	CreatedAt = Added (UTC)*`)

var evidenceFields = append(slices.Clip(evidenceColumns),
	columns[evidence.Evidence]("SubmissionID, SHA256 = SHA-256, StorageTier = Tier, CheckedAt, AddedBy")...)
