package trace

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"assess/config"
	"assess/pkg/kernel/build"
	"assess/pkg/kernel/ids"
)

// Open has the spans of this process sent to the collector of the settings, as OTLP over HTTP; to nobody
// if they name none. The standard variables OTEL_EXPORTER_OTLP_* and OTEL_RESOURCE_ATTRIBUTES say what
// the settings do not, such as the headers that a collector requires. Stop sends the rest.
func Open(ctx context.Context, c config.Tracing, log *slog.Logger) (func(context.Context) error, error) {
	if c.Endpoint == "" {
		otel.SetTracerProvider(sdk.NewTracerProvider(sdk.WithSampler(sdk.NeverSample())))
		return func(context.Context) error { return nil }, nil
	}
	to, err := tracesURL(c.Endpoint)
	if err != nil {
		return nil, err
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(to))
	if err != nil {
		return nil, fmt.Errorf("tracing.endpoint: %w", err)
	}
	from, err := resource.New(ctx, resource.WithAttributes(
		attribute.String("service.name", "assessd"), attribute.String("service.version", build.This().Version),
		attribute.String("service.instance.id", ids.New().String())), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("spans could not be sent", "error", err) }))
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(from),
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(c.Share))))
	otel.SetTracerProvider(provider)
	return provider.Shutdown, nil
}

// tracesURL gives the address for traces of a collector that may be named without it.
func tracesURL(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return "", fmt.Errorf("tracing.endpoint: %w", err)
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/v1/traces"
	}
	return u.String(), nil
}
