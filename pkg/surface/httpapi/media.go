package httpapi

import (
	"context"
	"io"

	"assess/pkg/author/media"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

type uploadAssetInput struct {
	Name        string `query:"name" required:"true" minLength:"1" maxLength:"200" example:"leaf.png"`
	ContentType string `header:"Content-Type" doc:"The type of the file; its bytes must agree. application/octet-stream leaves it to them"`

	content media.Content
}

func (s *Server) keepAsset(ctx context.Context, scope db.Scope, in *uploadAssetInput, file *blob.File) error {
	var err error
	in.content, err = s.files.Keep(ctx, scope, file, in.ContentType)
	return err
}

func createAsset(ctx context.Context, tx *db.Tx, in *uploadAssetInput) (media.Asset, error) {
	return media.CreateAsset(ctx, tx, in.Name, in.content)
}

type uploadAssetVersionInput struct {
	ByID
	ContentType string `header:"Content-Type" doc:"As for a new asset"`

	content media.Content
}

func (s *Server) keepAssetVersion(ctx context.Context, scope db.Scope, in *uploadAssetVersionInput, file *blob.File) error {
	var err error
	in.content, err = s.files.Keep(ctx, scope, file, in.ContentType)
	return err
}

func addAssetVersion(ctx context.Context, tx *db.Tx, in *uploadAssetVersionInput) (media.Asset, error) {
	return media.AddVersion(ctx, tx, in.ID, in.content)
}

type assetContentInput struct {
	ByID
	Version ids.ID `query:"version" doc:"A version; without it the current one"`
}

func (s *Server) findAssetContent(ctx context.Context, tx *db.Tx, in *assetContentInput) (download, error) {
	name, version, err := media.FindVersion(ctx, tx, in.ID, in.Version)
	if err != nil {
		return download{}, err
	}
	d := s.download(tx.Tenant(), name, version)
	d.Immutable = in.Version != ids.None
	return d, nil
}

func (s *Server) download(tenant ids.ID, name string, version media.Version) download {
	return download{Name: name, MediaType: version.MediaType, SHA256: version.SHA256, Modified: version.CreatedAt,
		Open: func(ctx context.Context, verified bool) (io.ReadSeekCloser, error) {
			return s.files.Open(ctx, tenant, version, verified)
		}}
}
