//go:build !reporting

package httpapi

func reportingRoutes() []route { return nil }
