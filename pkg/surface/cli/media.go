package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"assess/config"
	"assess/pkg/author/media"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func newMedia(s *Shell) *cobra.Command {
	return group("media", "Upload, list and delete managed assets", s.operations("media", newMediaUpload(s))...)
}

// uploadInput identifies an upload, for the hash of an idempotency key.
type uploadInput struct{ Name, Asset, SHA256 string }

func newMediaUpload(s *Shell) *cobra.Command {
	var in uploadInput
	cmd := &cobra.Command{
		Use:   "upload FILE",
		Short: "Upload a file as a new asset, or as the newest version of one",
		Long:  "Upload a file as a new asset, or with --asset as the newest version of one.\n\nTaken are PNG, JPEG, GIF, WebP, MP3, WAV, Ogg audio, MP4, WebM and PDF; what a file is, its\nbytes tell.",
		RunE: func(cmd *cobra.Command, args []string) error {
			asset, err := uploadFile(s, cmd, args[0], in)
			if err != nil {
				return err
			}
			return PrintOne(s, asset, ofAsset(assetColumns)...)
		},
	}
	cmd.Flags().StringVar(&in.Name, "name", "", "name of the asset (default: that of the file)")
	cmd.Flags().StringVar(&in.Asset, "asset", "", "id of the asset that gets a new version")
	cmd.MarkFlagsMutuallyExclusive("name", "asset")
	return s.changes(cmd)
}

// uploadFile stores the file and then records it. A dry run stores nothing: it claims the
// file within the transaction that is undone.
func uploadFile(s *Shell, cmd *cobra.Command, path string, in uploadInput) (media.Asset, error) {
	var asset ids.ID
	if in.Asset != "" {
		var err error
		asset, err = ids.Parse("asset", in.Asset)
		if err != nil {
			return media.Asset{}, err
		}
	}
	content, err := s.keepFile(cmd.Context(), path)
	if err != nil {
		return media.Asset{}, err
	}
	if in.Name == "" && asset == ids.None {
		in.Name = filepath.Base(path)
	}
	in.SHA256 = content.SHA256
	return write(s, cmd, in, func(tx *db.Tx) (media.Asset, error) {
		if s.dryRun {
			err := media.Claim(cmd.Context(), tx, content)
			if err != nil {
				return media.Asset{}, err
			}
		}
		if asset != ids.None {
			return media.AddVersion(cmd.Context(), tx, asset, content)
		}
		return media.CreateAsset(cmd.Context(), tx, in.Name, content)
	})
}

func (s *Shell) keepFile(ctx context.Context, path string) (media.Content, error) {
	c, err := s.Config()
	if err != nil {
		return media.Content{}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return media.Content{}, Usage("%w", err)
	}
	defer f.Close() //nolint:errcheck // only read from
	file, err := blob.Receive(f, int64(c.HTTP.UploadLimit))
	if err != nil {
		return media.Content{}, err
	}
	defer file.Close() //nolint:errcheck // only read from since it was complete
	if s.dryRun {
		return media.Inspect(file, "")
	}
	return s.storeFile(ctx, c, file)
}

func (s *Shell) storeFile(ctx context.Context, c config.Config, file *blob.File) (media.Content, error) {
	store, scope, err := s.scoped(ctx)
	if err != nil {
		return media.Content{}, err
	}
	blobs, err := openBlobs(ctx, c)
	if err != nil {
		return media.Content{}, err
	}
	defer blobs.Close() //nolint:errcheck // Put has ended
	return media.NewFiles(store, blobs).Keep(ctx, scope, file, "")
}

func drawAsset(screen *Screen, asset media.Asset) error {
	err := writeFields(screen, asset, ofAsset(assetColumns))
	if err != nil {
		return err
	}
	fmt.Fprintln(screen)
	return Table(screen, asset.Versions, versionColumns...)
}

var assetColumns = columns(`Name, MediaType = Type, Current.Number = Version, Current.SizeBytes = Bytes, Pixels,
	UpdatedAt = Changed (UTC), ID*`,
	Column[media.AssetSummary]{Header: "Pixels", Cell: func(a media.AssetSummary) string { return pixels(a.Current) }},
)

var versionColumns = columns("Number = Version, SizeBytes = Bytes, Pixels, CreatedAt = Uploaded (UTC), SHA-256, ID*",
	Column[media.Version]{Header: "Pixels", Cell: pixels},
	Column[media.Version]{Header: "SHA-256", Cell: func(v media.Version) string { return v.SHA256[:12] }},
)

// ofAsset shows the columns of a list for one asset.
func ofAsset(columns []Column[media.AssetSummary]) []Column[media.Asset] {
	var out []Column[media.Asset]
	for _, c := range columns {
		out = append(out, Column[media.Asset]{Header: c.Header, Cell: func(a media.Asset) string { return c.Cell(a.AssetSummary) }, Align: c.Align})
	}
	return out
}

func pixels(v media.Version) string {
	if v.Width == nil || v.Height == nil {
		return none
	}
	return fmt.Sprintf("%d × %d", *v.Width, *v.Height)
}
