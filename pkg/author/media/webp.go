package media

import (
	"encoding/binary"
	"errors"
	"image"
	"io"
)

var errWebP = errors.New("the header of the WebP file cannot be read")

// webpSize reads width and height of a WebP image from its first chunk (RFC 9649, section
// 2): lossy, lossless or extended.
func webpSize(r io.Reader) (image.Config, error) {
	var h [30]byte
	_, err := io.ReadFull(r, h[:])
	if err != nil {
		return image.Config{}, errWebP
	}
	body := h[20:]
	switch string(h[12:16]) {
	case "VP8 ":
		// A frame tag of three bytes, a start code, then fourteen bits each.
		if string(body[3:6]) != "\x9d\x01\x2a" {
			return image.Config{}, errWebP
		}
		return image.Config{Width: int(binary.LittleEndian.Uint16(body[6:]) & 0x3fff), Height: int(binary.LittleEndian.Uint16(body[8:]) & 0x3fff)}, nil
	case "VP8L":
		if body[0] != 0x2f {
			return image.Config{}, errWebP
		}
		bits := binary.LittleEndian.Uint32(body[1:])
		return image.Config{Width: int(bits&0x3fff) + 1, Height: int(bits>>14&0x3fff) + 1}, nil
	case "VP8X":
		return image.Config{Width: int(uint24(body[4:])) + 1, Height: int(uint24(body[7:])) + 1}, nil
	}
	return image.Config{}, errWebP
}

func uint24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }
