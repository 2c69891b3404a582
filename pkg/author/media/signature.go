package media

import (
	"bytes"
	"slices"
	"strings"
)

// mpegAudio knows a stream of MPEG layer III frames without an ID3 tag (ISO/IEC 11172-3):
// eleven set bits, the layer, and a bit rate and sampling rate that exist.
func mpegAudio(head []byte) bool {
	if len(head) < 4 || head[0] != 0xff || head[1]&0xe0 != 0xe0 {
		return false
	}
	version, layer := head[1]>>3&3, head[1]>>1&3
	bitRate, samplingRate := head[2]>>4, head[2]>>2&3
	return version != 1 && layer == 1 && bitRate != 0 && bitRate != 15 && samplingRate != 3
}

// oggAudio knows the audio codecs by the first packet of an Ogg stream (RFC 3533), which
// begins after the page's header of 27 bytes and its table of segments.
func oggAudio(head []byte) bool {
	if len(head) < 28 || string(head[:4]) != "OggS" {
		return false
	}
	packet := head[min(27+int(head[26]), len(head)):]
	return slices.ContainsFunc([]string{"\x01vorbis", "OpusHead", "\x7fFLAC", "Speex   "},
		func(codec string) bool { return bytes.HasPrefix(packet, []byte(codec)) })
}

// mp4Brands are the brands of ISO base media files that hold a video for the web; M4A,
// HEIC, AVIF and QuickTime have others.
var mp4Brands = strings.Fields("isom iso2 iso3 iso4 iso5 iso6 mp41 mp42 avc1 dash M4V mmp4 MSNV f4v")

// mp4Video reads the file type box (ISO/IEC 14496-12): a length, "ftyp", the major brand.
func mp4Video(head []byte) bool {
	return len(head) >= 16 && string(head[4:8]) == "ftyp" &&
		slices.Contains(mp4Brands, strings.TrimSpace(string(head[8:12])))
}

// webm tells WebM from other Matroska files by the document type in the EBML header
// (RFC 8794): element 0x4282, its length, the word.
func webm(head []byte) bool {
	const within = 64
	return bytes.HasPrefix(head, []byte("\x1a\x45\xdf\xa3")) && bytes.Contains(head[:min(within, len(head))], []byte("\x42\x82\x84webm"))
}
