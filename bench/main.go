package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// measurement is one part of the bench.
type measurement struct {
	name string
	run  func(context.Context, *house) ([]result, error)
}

var measurements = []measurement{
	{"submit", measureSubmit},
	{"save", measureSave},
	{"start", measureStart},
	{"content", measureContent},
	{"spike", measureSpike},
	{"cost", measureCost},
	{"projection", measureProjection},
	{"lag", measureLag},
	{"reports", measureReports},
	{"versions", measureVersions},
	{"health", measureHealth},
	{"rebuild", measureRebuild},
	{"remediation", measureRemediation},
	{"inventory", measureInventory},
	{"import", measureImport},
	{"people", measurePeople},
	{"hostile", measureHostile},
	{"dsar", measureDSAR},
	{"compliance", measureCompliance},
	{"residue", measureResidue},
	{"sweep", measureSweep},
	{"ledger", measureLedger},
	{"webhooks", measureWebhooks},
	{"packs", measurePacks},
	{"exceptions", measureExceptions},
	{"tightened", measureTightened},
	{"skills", measureSkills},
	{"exam", measureExam},
	{"cluster", measureCluster},
}

// byNameAlone are measurements that run only by name: they take half an hour, or need more than a machine has
// after make setup: Citus.
var byNameAlone = []string{"exam", "cluster"}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == serveCommand {
		return serve(ctx, args[1:])
	}
	if len(args) > 0 && args[0] == neighbourCommand {
		return serveByHand(ctx, args[1:])
	}
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	short := flags.Bool("short", false, "take seconds instead of minutes, with less certain figures")
	only := flags.String("only", "", "measure only these, joined by commas: "+strings.Join(names(), ", "))
	attempts := flags.Int("attempts", 0, "attempts of the large reports: 100000 unless given; 1000000 takes about 20 minutes with -only reports")
	scanned := flags.Int("scanned", 0, "rows that are searched for a person: 10000000 unless given")
	expired := flags.Int("expired", 0, "submissions that are swept: 1000000 unless given, which takes about an hour with -only sweep")
	out := flags.String("out", "bench/results.json", "file with the newest results of each measurement, as JSON")
	profile := flags.String("profile", "", "folder for processor profiles of bench and server")
	err := flags.Parse(args)
	if err != nil {
		return err
	}
	chosen, err := choose(*only)
	if err != nil {
		return err
	}
	size := long
	if *short {
		size = brief
	}
	for _, given := range []struct{ of, wanted *int }{{&size.many, attempts}, {&size.scanned, scanned}, {&size.expired, expired}} {
		if *given.wanted > 0 {
			*given.of = *given.wanted
		}
	}
	return measure(ctx, chosen, size, *profile, *out)
}

func measure(ctx context.Context, chosen []measurement, size size, profile, out string) error {
	stopProfile, err := startProfile(profile, "bench")
	if err != nil {
		return err
	}
	defer stopProfile()
	h, err := openHouse(ctx, size, profile)
	if err != nil {
		return err
	}
	defer h.close()
	about, err := h.about(ctx)
	if err != nil {
		return err
	}
	all := map[string]report{}
	for _, m := range chosen {
		fmt.Fprintf(os.Stderr, "measuring %s\n", m.name)
		found, err := m.run(ctx, h)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		all[m.name] = report{Machine: about, Clients: clients, Results: found}
	}
	return publish(os.Stdout, out, all)
}

func names() []string {
	var all []string
	for _, m := range measurements {
		all = append(all, m.name)
	}
	return all
}

func choose(only string) ([]measurement, error) {
	if only == "" {
		return slices.DeleteFunc(slices.Clone(measurements), func(m measurement) bool { return slices.Contains(byNameAlone, m.name) }), nil
	}
	var chosen []measurement
	for _, name := range strings.Split(only, ",") {
		i := slices.Index(names(), name)
		if i < 0 {
			return nil, fmt.Errorf("there is no measurement %q; there are: %s", name, strings.Join(names(), ", "))
		}
		chosen = append(chosen, measurements[i])
	}
	return chosen, nil
}
