package app

import (
	"io"
	"log/slog"

	"assess/config"
)

func newLogger(c config.Log, to io.Writer) *slog.Logger {
	var level slog.Level
	err := level.UnmarshalText([]byte(c.Level))
	if err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if c.Format == config.LogText {
		return slog.New(slog.NewTextHandler(to, options))
	}
	return slog.New(slog.NewJSONHandler(to, options))
}
