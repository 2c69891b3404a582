package cli

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"assess/config"
)

// examineMail checks whether a sign-in link would arrive. It sends none.
func examineMail(ctx context.Context, c config.Config, d *Diagnosis) {
	if c.Mail.Mode == config.MailSMTP {
		examineSMTP(ctx, c.Mail.SMTP, d)
		return
	}
	err := writable(c.Mail.Folder)
	switch {
	case err != nil:
		d.problem("mail", "the folder "+c.Mail.Folder+" cannot be written: "+err.Error(), "correct mail.folder or its permissions")
	case !c.HTTP.IsLocal():
		d.warn("mail", "mail goes into the folder "+c.Mail.Folder+", where people out in the world do not find it", "set mail.mode to smtp, and mail.smtp")
	default:
		d.ok("mail", "mail goes into the folder "+c.Mail.Folder)
	}
}

func examineSMTP(ctx context.Context, c config.SMTP, d *Diagnosis) {
	address := net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
	dialer := net.Dialer{Timeout: patience}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		d.problem("mail", "the mail server does not answer: "+err.Error(), "check mail.smtp.host, mail.smtp.port and the firewall")
		return
	}
	conn.Close() //nolint:errcheck // nothing was written
	if c.TLS == config.TLSNone && c.Username != "" {
		d.warn("mail", "the password for "+address+" travels in the clear", "set mail.smtp.tls to starttls or tls")
		return
	}
	d.ok("mail", address+" answers")
}

// writable tries the folder, or the nearest one above it that exists.
func writable(folder string) error {
	for {
		_, err := os.Stat(folder)
		if err == nil || folder == filepath.Dir(folder) {
			break
		}
		folder = filepath.Dir(folder)
	}
	f, err := os.CreateTemp(folder, ".assess-doctor-*")
	if err != nil {
		return err
	}
	f.Close() //nolint:errcheck // nothing was written
	return os.Remove(f.Name())
}
