package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/itchyny/gojq"

	"assess/pkg/kernel/wire"
)

// useJQ compiles the filter of --jq, which works on the result as -o json would print it.
func (s *Shell) useJQ(ctx context.Context, filter string, formatGiven bool) error {
	if filter == "" {
		return nil
	}
	if formatGiven && s.Format != FormatJSON {
		return Usage("--jq filters JSON: leave out -o %s", s.Format)
	}
	query, err := gojq.Parse(filter)
	if err != nil {
		return Usage("--jq: %w", err)
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return Usage("--jq: %w", err)
	}
	s.jq = func(value any) gojq.Iter { return code.RunWithContext(ctx, value) }
	s.Format = FormatJSON
	return nil
}

// json writes a value, or the results of --jq for it: a line each, texts without their quotes.
func (s *Shell) json(value any) error {
	if s.jq == nil {
		return writeJSON(s.Screen, value)
	}
	body, err := wire.Marshal(value)
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var input any
	err = d.Decode(&input)
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	results := s.jq(input)
	for {
		result, more := results.Next()
		if !more {
			return nil
		}
		if err, failed := result.(error); failed {
			var halt *gojq.HaltError
			if errors.As(err, &halt) && halt.Value() == nil {
				return nil
			}
			if errors.Is(err, context.Canceled) {
				return err
			}
			return Usage("--jq: %w", err)
		}
		line, plain := result.(string)
		if !plain {
			encoded, err := gojq.Marshal(result)
			if err != nil {
				return fmt.Errorf("write JSON: %w", err)
			}
			line = string(encoded)
		}
		_, err := fmt.Fprintln(s.Screen, line)
		if err != nil {
			return fmt.Errorf("write JSON: %w", err)
		}
	}
}
