package cli

import (
	"context"
	"crypto/ed25519"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"assess/pkg/author/media"
	"assess/pkg/author/pack"
	"assess/pkg/kernel/db"
	"assess/pkg/people/access"
	"assess/pkg/surface/op"
	"assess/pkg/trust/signer"
)

// signing signs with the tenant's key (package signer); message is made for the key in use.
func signing(secret string) pack.Signer {
	return func(ctx context.Context, tx *db.Tx, message func(ed25519.PublicKey) ([]byte, error)) ([]byte, []byte, error) {
		_, key, err := signer.Current(ctx, tx, secret)
		if err != nil {
			return nil, nil, err
		}
		text, err := message(key)
		if err != nil {
			return nil, nil, err
		}
		signature, err := signer.Sign(ctx, tx, secret, text)
		return text, signature.Bytes, err
	}
}

// mediaFiles opens the blob store; close ends its use.
func (s *Shell) mediaFiles(ctx context.Context) (*media.Files, func(), error) {
	c, err := s.Config()
	if err != nil {
		return nil, nil, err
	}
	store, _, err := s.scoped(ctx)
	if err != nil {
		return nil, nil, err
	}
	blobs, err := openBlobs(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	return media.NewFiles(store, blobs), func() { blobs.Close() }, nil //nolint:errcheck // whatever was put has ended
}

func newPackExport(s *Shell) *cobra.Command {
	var revision string
	cmd := &cobra.Command{
		Use:   "export LIBRARY FILE",
		Short: "Write a revision as a signed file for another tenant or installation",
		Long:  "Write a revision as a signed ZIP archive, which pack import reads in another tenant or\ninstallation. It holds the right answers: treat it as you treat an exam.",
		RunE: func(cmd *cobra.Command, args []string) error {
			done, err := exportPack(s, cmd, args[0], revision, args[1])
			if err != nil {
				return err
			}
			return PrintOne(s, done, exportedColumns...)
		},
	}
	cmd.Flags().StringVar(&revision, "revision", "", "number or id of the revision (default: the newest)")
	return cmd
}

// exportPack writes a file next to the target and then renames it, so that the target is complete or does not exist.
func exportPack(s *Shell, cmd *cobra.Command, library, revision, path string) (pack.Exported, error) {
	var done pack.Exported
	c, err := s.Config()
	if err != nil {
		return done, err
	}
	auth, err := access.WithKeySecret(c)
	if err != nil {
		return done, err
	}
	files, end, err := s.mediaFiles(cmd.Context())
	if err != nil {
		return done, err
	}
	defer end()
	part, err := os.CreateTemp(filepath.Dir(path), ".pack-*")
	if err != nil {
		return done, Usage("cannot write %s: %w", path, errors.Unwrap(err))
	}
	defer os.Remove(part.Name()) //nolint:errcheck // it is gone once it has its name
	defer part.Close()           //nolint:errcheck // closed below, where that can fail
	store, scope, err := s.scoped(cmd.Context())
	if err != nil {
		return done, err
	}
	err = store.Write(cmd.Context(), scope, func(tx *db.Tx) error {
		_, err := part.Seek(0, 0) // a transaction may run again
		if err == nil {
			err = part.Truncate(0)
		}
		if err != nil {
			return err
		}
		var of pack.RevisionInput
		of.LibraryID, err = op.FindLibrary(cmd.Context(), tx, library)
		if err == nil {
			of.RevisionID, err = op.FindRevision(cmd.Context(), tx, revision, of.LibraryID)
		}
		if err != nil {
			return err
		}
		done, err = pack.Export(cmd.Context(), tx, of, part, files, signing(auth.KeySecret))
		return err
	})
	if err == nil {
		err = part.Close()
	}
	if err == nil {
		err = os.Rename(part.Name(), path)
	}
	return done, err
}

func newPackImport(s *Shell) *cobra.Command {
	var trust string
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Make a library of a signed file",
		Long: "Make a library of a file that pack export wrote, after every hash and the signature were checked.\n\n" +
			"A file is taken from a key that the tenant trusts. Of another key the call prints the public\nkey and is refused: ask whoever sent the file whether it is theirs, and say it with --trust,\nwhich is remembered.",
		RunE: func(cmd *cobra.Command, args []string) error {
			done, err := importPack(s, cmd, args[0], trust)
			if err != nil {
				return err
			}
			return PrintOne(s, done, importedColumns...)
		},
	}
	cmd.Flags().StringVar(&trust, "trust", "", "public key that signs the file, in hexadecimal; it is trusted from now on")
	return s.changes(cmd)
}

func importPack(s *Shell, cmd *cobra.Command, path, trust string) (pack.Imported, error) {
	none, ctx := pack.Imported{}, cmd.Context()
	c, err := s.Config()
	if err != nil {
		return none, err
	}
	from, err := os.Open(path)
	if err != nil {
		return none, Usage("%w", err)
	}
	defer from.Close() //nolint:errcheck // only read from
	info, err := from.Stat()
	if err != nil {
		return none, Usage("%w", err)
	}
	f, err := pack.OpenFile(from, info.Size(), int64(c.HTTP.UploadLimit))
	if err != nil {
		return none, err
	}
	if trust != f.PublicKey {
		_, err = readBy(ctx, s, (*db.Store).Read, func(tx *db.Tx) (bool, error) { return true, pack.Trusted(ctx, tx, f.PublicKey) })
		if err != nil {
			return none, err
		}
	}
	err = f.Verify()
	if err != nil {
		return none, err
	}
	if !s.dryRun {
		files, end, err := s.mediaFiles(ctx)
		if err != nil {
			return none, err
		}
		defer end()
		_, scope, err := s.scoped(ctx)
		if err != nil {
			return none, err
		}
		err = f.Keep(ctx, scope, files)
		if err != nil {
			return none, err
		}
	}
	return write(s, cmd, f.ManifestHash, func(tx *db.Tx) (pack.Imported, error) {
		if trust == f.PublicKey {
			_, err := pack.Trust(ctx, tx, trust, f.Name)
			if err != nil {
				return none, err
			}
		}
		if s.dryRun {
			err := f.Claim(ctx, tx)
			if err != nil {
				return none, err
			}
		}
		return pack.Import(ctx, tx, f)
	})
}

func newPackKey(s *Shell) *cobra.Command {
	var page db.Page
	var name string
	trust := newAct(s, "trust PUBLIC-KEY --name NAME", "Take packs that were signed with a key", func(ctx context.Context, tx *db.Tx, args []string) (pack.Key, error) {
		return pack.Trust(ctx, tx, args[0], name)
	}, fields(packKeyColumns))
	trust.Flags().StringVar(&name, "name", "", "whose key it is")
	return group("key", "Say whose packs the tenant takes",
		newList(s, "list", "List the keys that the tenant trusts", &page, with(&page, pack.ListKeys), packKeyColumns), trust,
		newAct(s, "remove PUBLIC-KEY", "Take no more packs that were signed with a key", func(ctx context.Context, tx *db.Tx, args []string) (pack.Key, error) {
			return pack.Distrust(ctx, tx, args[0])
		}, fields(packKeyColumns)))
}
