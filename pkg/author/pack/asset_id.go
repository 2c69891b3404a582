package pack

import (
	"encoding/hex"
	"encoding/json"
	"fmt"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/ids"
)

// assetID is the id under which bodies of packs show a file: made from its SHA-256 (RFC 9562, version
// 8), so that the same content has the same hash wherever it is published.
func assetID(sha256 string) (ids.ID, error) {
	var id ids.ID
	raw, err := hex.DecodeString(sha256)
	if err != nil || len(raw) != 32 {
		return id, fmt.Errorf("%q is no SHA-256", sha256)
	}
	copy(id[:], raw)
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return id, nil
}

// withAssets gives a body with other ids of assets, in its canonical form. An id without
// a replacement is an error.
func withAssets(body json.RawMessage, others map[ids.ID]ids.ID) ([]byte, error) {
	var value any
	err := json.Unmarshal(body, &value)
	if err == nil {
		err = replaceAssets(value, others)
	}
	if err != nil {
		return nil, fmt.Errorf("rename the images of a body: %w", err)
	}
	return content.Canonical(value)
}

func replaceAssets(value any, others map[ids.ID]ids.ID) error {
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			if err := replaceAssets(v, others); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, v := range value {
			said, isText := v.(string)
			if name != "assetId" || !isText {
				if err := replaceAssets(v, others); err != nil {
					return err
				}
				continue
			}
			id, err := ids.Parse(name, said)
			if err != nil {
				return err
			}
			other, known := others[id]
			if !known {
				return fmt.Errorf("no file is known for the image %s", id)
			}
			value[name] = other.String()
		}
	}
	return nil
}
