// Package app wires assessd: one ordered function, Serve, to be read from top to bottom.
package app
