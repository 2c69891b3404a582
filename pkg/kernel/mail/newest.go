package mail

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	netmail "net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Received is a message of the mail folder, as people read it.
type Received struct {
	To, Subject, Text string
	Date              time.Time
}

// maxShown bounds how much of one message is read.
const maxShown = 64 << 10

// Newest gives the newest messages of a mail folder, at most so many, newest first. Files that are
// no messages are left out.
func Newest(folder string, most int) ([]Received, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.eml"))
	if err != nil {
		return nil, fmt.Errorf("mail folder: %w", err)
	}
	slices.Sort(files) // names begin with the time
	slices.Reverse(files)
	var all []Received
	for _, file := range files {
		if len(all) == most {
			break
		}
		m, err := open(file)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNoMessage) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("mail folder: %w", err)
		}
		all = append(all, m)
	}
	return all, nil
}

var errNoMessage = errors.New("not a message")

func open(file string) (Received, error) {
	f, err := os.Open(file)
	if err != nil {
		return Received{}, err
	}
	defer f.Close() //nolint:errcheck // only read from
	message, err := netmail.ReadMessage(io.LimitReader(f, maxShown))
	if err != nil {
		return Received{}, errNoMessage
	}
	text, err := io.ReadAll(message.Body)
	if err != nil {
		return Received{}, err
	}
	m := Received{To: message.Header.Get("To"), Text: strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))}
	words := mime.WordDecoder{}
	m.Subject, err = words.DecodeHeader(message.Header.Get("Subject"))
	if err != nil {
		m.Subject = message.Header.Get("Subject")
	}
	to, err := message.Header.AddressList("To")
	if err == nil && len(to) > 0 {
		m.To = to[0].Address
	}
	m.Date, err = message.Header.Date()
	if err != nil {
		return Received{}, errNoMessage
	}
	return m, nil
}
