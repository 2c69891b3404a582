package cli

import (
	"net/url"
	"slices"

	"assess/config"
)

// examineApp checks whether a browser lets the application of candidates and staff call the interface.
func examineApp(c config.Config, d *Diagnosis) {
	if c.Auth.AppURL == "" {
		return
	}
	origin := originOf(c.Auth.AppURL)
	if origin == originOf(c.HTTP.BaseURL) || slices.Contains(c.HTTP.CORSOrigins, origin) || slices.Contains(c.HTTP.CORSOrigins, "*") {
		d.ok("application", origin+" may call the interface")
		return
	}
	d.warn("application", "browsers keep "+origin+", the origin of auth.app_url, from calling the interface", "add it to http.cors_origins")
}

// originOf is scheme, host and port of an address that the settings have checked (RFC 6454, section 4).
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
