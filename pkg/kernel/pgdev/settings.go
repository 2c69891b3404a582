package pgdev

import (
	"maps"
	"slices"
)

// arguments gives postgres its settings on the command line, so that each start applies
// its caller's settings and nothing is edited in the cluster.
func arguments(f folders, opts Options) []string {
	args := []string{"-D", f.data}
	all := settings(f, opts)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		args = append(args, "-c", name+"="+all[name])
	}
	return args
}

func settings(f folders, opts Options) map[string]string {
	all := map[string]string{
		"listen_addresses":        "",
		"unix_socket_directories": f.socket,
		"unix_socket_permissions": "0700",
		"port":                    "5432",
		"max_connections":         "200",
		"timezone":                "UTC",
		"log_timezone":            "UTC",

		// Short statements gain nothing from compilation, and it costs tens of milliseconds.
		"jit": "off",
		// Solid-state disks read at random nearly as fast as in order.
		"random_page_cost": "1.1",

		// The log must hold no personal data: level log leaves out failed statements, terse
		// leaves out details such as the key of a duplicate.
		"log_min_messages":        "log",
		"log_min_error_statement": "panic",
		"log_error_verbosity":     "terse",
		"log_line_prefix":         "%m [%p] ",
	}
	if opts.Durable {
		maps.Copy(all, durableSettings)
	} else {
		maps.Copy(all, volatileSettings)
	}
	maps.Copy(all, opts.Settings)
	if all["shared_preload_libraries"] == "citus" {
		all["citus.local_hostname"] = f.socket // a node that splits shards asks itself
	}
	return all
}

var durableSettings = map[string]string{
	"shared_buffers":     "256MB",
	"fsync":              "on",
	"synchronous_commit": "on",
	"full_page_writes":   "on",
	"wal_level":          "replica",
	"max_wal_size":       "2GB",
}

// volatileSettings trade the cluster's life in a power cut for speed.
var volatileSettings = map[string]string{
	"shared_buffers":     "128MB",
	"fsync":              "off",
	"synchronous_commit": "off",
	"full_page_writes":   "off",
	"wal_level":          "minimal",
	"max_wal_senders":    "0",
	"max_wal_size":       "1GB",
	"checkpoint_timeout": "15min",
}
