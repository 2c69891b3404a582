package sample

import (
	"bytes"
	"image"
	"image/png"
	"math/rand/v2"
	"testing"

	"assess/pkg/author/media"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
)

// PNG makes a picture of noise, so that no two are alike.
func PNG(width, height int) []byte {
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range picture.Pix {
		picture.Pix[i] = byte(rand.Uint32())
	}
	var out bytes.Buffer
	err := png.Encode(&out, picture)
	if err != nil {
		panic(err)
	}
	return out.Bytes()
}

// Image makes an asset that is a small picture.
func Image(t testing.TB, tx *db.Tx, files *media.Files) media.Asset {
	t.Helper()
	received, err := blob.Receive(bytes.NewReader(PNG(8, 8)), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer received.Close() //nolint:errcheck // only read from
	kept, err := files.Keep(t.Context(), tx.Scope(), received, "image/png")
	if err != nil {
		t.Fatal(err)
	}
	asset, err := media.CreateAsset(t.Context(), tx, word("image")+".png", kept)
	if err != nil {
		t.Fatal(err)
	}
	return asset
}
