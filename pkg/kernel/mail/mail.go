// Package mail sends messages by SMTP, or puts them into a folder, where a developer, a
// test or a demonstration reads them.
package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"assess/config"
	"assess/pkg/kernel/ids"
)

// Message is a plain-text message to one person.
type Message struct {
	To, Subject, Text string
	// ID is the left side of the Message-ID (RFC 5322, section 3.6.4), for mail that must
	// not be delivered twice; a random one when it is empty. Of mail to a user it has ".<user id>" in it,
	// by which Erase finds it.
	ID string
}

// ErrUncertain says that the connection broke after the message was handed over: it may
// have been delivered.
var ErrUncertain = errors.New("the mail server did not confirm the message")

// Sender sends a message or says why it could not; it never repeats the address in the
// error.
type Sender interface {
	Send(ctx context.Context, m Message) error
}

// New makes the sender that the settings choose.
func New(c config.Mail) (Sender, error) {
	switch c.Mode {
	case "smtp":
		return counted{smtp{c}}, nil
	case "folder":
		err := os.MkdirAll(c.Folder, 0o700)
		if err != nil {
			return nil, fmt.Errorf("mail folder: %w", err)
		}
		return counted{folder{c}}, nil
	}
	return nil, fmt.Errorf("mail.mode %q is neither smtp nor folder", c.Mode)
}

func compose(from string, m Message, encoding gomail.Encoding) (*gomail.Msg, error) {
	msg := gomail.NewMsg(gomail.WithEncoding(encoding))
	err := msg.From(from)
	if err != nil {
		return nil, errors.New("mail.from is not an address")
	}
	err = msg.To(m.To)
	if err != nil {
		return nil, errors.New("the recipient's address cannot be used")
	}
	msg.Subject(m.Subject)
	msg.SetDate()
	msg.SetMessageID()
	if m.ID != "" {
		msg.SetMessageIDWithValue(m.ID + "@" + domainOf(from))
	}
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	return msg, nil
}

// domainOf gives the domain of the sender's address.
func domainOf(from string) string {
	address, err := netmail.ParseAddress(from)
	if err != nil {
		return "localhost"
	}
	return address.Address[strings.LastIndexByte(address.Address, '@')+1:]
}

// folder writes each message into a file of its own, newest last by name.
type folder struct{ config config.Mail }

func (f folder) Send(_ context.Context, m Message) error {
	// As it is, so that a link can be copied out of the file.
	msg, err := compose(f.config.From, m, gomail.NoEncoding)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%s-%s.eml", time.Now().UTC().Format("20060102T150405.000"), ids.New())
	file, err := os.OpenFile(filepath.Join(f.config.Folder, name+".part"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("mail folder: %w", err)
	}
	_, err = msg.WriteTo(file)
	err = errors.Join(err, file.Close())
	if err != nil {
		return fmt.Errorf("mail folder: %w", err)
	}
	// The rename lets a watcher of *.eml see whole messages only.
	return os.Rename(file.Name(), filepath.Join(f.config.Folder, name))
}

type smtp struct{ config config.Mail }

func (s smtp) Send(ctx context.Context, m Message) error {
	msg, err := compose(s.config.From, m, gomail.EncodingQP)
	if err != nil {
		return err
	}
	c := s.config.SMTP
	options := []gomail.Option{gomail.WithPort(c.Port), gomail.WithTimeout(20 * time.Second)}
	switch c.TLS {
	case "none":
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	case "tls":
		options = append(options, gomail.WithSSL())
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	options = append(options, gomail.WithTLSConfig(&tls.Config{ServerName: c.Host, MinVersion: tls.VersionTLS12}))
	if c.Username != "" {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover),
			gomail.WithUsername(c.Username), gomail.WithPassword(c.Password))
	}
	client, err := gomail.NewClient(c.Host, options...)
	if err != nil {
		return fmt.Errorf("mail server settings: %w", err)
	}
	err = client.DialAndSendWithContext(ctx, msg)
	if err != nil && !msg.IsDelivered() {
		var refused *gomail.SendError
		if errors.As(err, &refused) && refused.Reason == gomail.ErrSMTPDataClose && refused.ErrorCode() == 0 {
			return ErrUncertain
		}
		if errors.As(err, &refused) {
			return fmt.Errorf("the mail server refused the message (reason %d)", refused.Reason)
		}
		return errors.New("the mail server cannot be reached")
	}
	return nil
}
