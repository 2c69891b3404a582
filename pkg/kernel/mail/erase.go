package mail

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"

	"assess/config"
	"assess/pkg/kernel/ids"
)

// Erase deletes the messages to a user from the mail folder, and returns how many: the messages to the addresses, in upper or lower case, and
// the messages whose Message-ID names the user, since nobody keeps all the addresses that somebody had. What went out by SMTP is no longer here.
func Erase(c config.Mail, user ids.ID, addresses []string) (int64, error) {
	if c.Mode != config.MailFolder {
		return 0, nil
	}
	files, err := filepath.Glob(filepath.Join(c.Folder, "*.eml*"))
	if err != nil {
		return 0, fmt.Errorf("mail folder: %w", err)
	}
	var n int64
	for _, file := range files {
		theirs, err := isTo(file, user, addresses)
		if err == nil && theirs {
			err = os.Remove(file)
			n++
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return n, fmt.Errorf("mail folder: %w", err)
		}
	}
	return n, nil
}

// maxHead bounds how much of a message is read: its head has the address.
const maxHead = 16 << 10

func isTo(file string, user ids.ID, addresses []string) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close() //nolint:errcheck // only read from
	head, err := io.ReadAll(io.LimitReader(f, maxHead))
	if err != nil {
		return false, err
	}
	message, err := netmail.ReadMessage(bytes.NewReader(head))
	if err != nil {
		return false, nil // not one of ours
	}
	if strings.Contains(message.Header.Get("Message-ID"), "."+user.String()) {
		return true, nil
	}
	to, err := message.Header.AddressList("To")
	if err != nil {
		return false, nil
	}
	for _, a := range to {
		for _, address := range addresses {
			if strings.EqualFold(a.Address, address) {
				return true, nil
			}
		}
	}
	return false, nil
}
