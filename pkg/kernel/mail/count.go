package mail

import (
	"context"
	"errors"
	"time"

	"assess/pkg/kernel/metric"
	"assess/pkg/kernel/trace"
)

// counted counts and traces what a sender hands over.
type counted struct{ Sender }

func (c counted) Send(ctx context.Context, m Message) error {
	start := time.Now()
	ctx, span := trace.Mail(ctx)
	err := c.Sender.Send(ctx, m)
	span.End(err)
	metric.MailSeconds.Observe(time.Since(start).Seconds())
	metric.Mails.WithLabelValues(resultOf(err)).Inc()
	return err
}

func resultOf(err error) string {
	switch {
	case err == nil:
		return metric.MailSent
	case errors.Is(err, ErrUncertain):
		return metric.MailUncertain
	}
	return metric.MailFailed
}
