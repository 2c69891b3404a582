// Package surface is the room of the ways in: HTTP, the command line, files in CSV, the wiring of the
// server, and the demonstration, which is a client like any other.
//
// What may come in: what decodes, calls one operation and encodes. Rules live in the rooms above.
package surface
