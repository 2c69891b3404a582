package evidence_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/config"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func TestEvidenceIsReadAsItWasAttached(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	content := sample.PNG(3, 2)
	sum := sha256.Sum256(content)
	made := r.attach(evidence.AttachInput{SubmissionID: r.submission, ItemID: &r.item, Kind: "screenshot"}, content)
	want := evidence.Evidence{ID: made.ID, SubmissionID: r.submission, Scope: "item", ItemID: &r.item, Kind: "screenshot",
		MediaType: "image/png", SizeBytes: int64(len(content)), SHA256: hex.EncodeToString(sum[:]), StorageTier: "HOT", Status: "active",
		Integrity: "unchecked", AddedBy: r.proctor.Actor.String(), CreatedAt: made.CreatedAt}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("attached (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(made, r.get(made.ID)); diff != "" {
		t.Errorf("read (-attached +read):\n%s", diff)
	}
	viewed := must(r, r.reviewer, func(tx *db.Tx) (evidence.Evidence, error) { return evidence.View(t.Context(), tx, made.ID) })
	file, err := r.files.Open(t.Context(), r.operator.Tenant, viewed, true)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	got, err := io.ReadAll(file)
	if err != nil || string(got) != string(content) {
		t.Errorf("got %d bytes and error %v", len(got), err)
	}
	about := map[string]any{"submissionId": r.submission.String(), "scope": "item", "itemId": r.item.String()}
	with := func(more map[string]any) map[string]any {
		for k, v := range about {
			more[k] = v
		}
		return more
	}
	wantEvents := []logged{
		{"evidence.file.attached", r.proctor.Actor.String(), with(map[string]any{"kind": "screenshot", "mediaType": "image/png",
			"sizeBytes": float64(len(content)), "sha256": made.SHA256, "storageTier": "HOT"})},
		{"evidence.viewed", r.reviewer.Actor.String(), with(map[string]any{"sha256": made.SHA256, "visibilityType": "internal", "visibilityChannel": "api"})},
	}
	if diff := cmp.Diff(wantEvents, r.events(made.ID)); diff != "" {
		t.Errorf("ledger (-want +got):\n%s", diff)
	}
}

func TestTypesAreToldFromBytes(t *testing.T) {
	t.Parallel()
	all := config.Default().Blob
	all.EvidenceTypes = config.EvidenceTypes
	every, few := evidence.NewFiles(nil, nil, all), evidence.NewFiles(nil, nil, config.Default().Blob)
	text := strings.Repeat("x", 4095) + "ä"
	for _, tt := range []struct {
		name, content, claimed string
		files                  *evidence.Files
		want                   string
		code                   errs.Code
	}{
		{"png", string(sample.PNG(1, 1)), "image/png", few, "image/png", ""},
		{"png, nothing claimed", string(sample.PNG(1, 1)), "", few, "image/png", ""},
		{"png, bytes claimed", string(sample.PNG(1, 1)), "application/octet-stream", few, "image/png", ""},
		{"png that claims to be a jpeg", string(sample.PNG(1, 1)), "image/jpeg", few, "", errs.UnsupportedMediaType},
		{"jpeg by its other name", "\xff\xd8\xff\xe0", "image/jpg", few, "image/jpeg", ""},
		{"mp4", "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00", "video/mp4", few, "video/mp4", ""},
		{"webm", "\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm", "", few, "video/webm", ""},
		{"pdf", "%PDF-1.7\n", "application/pdf", few, "application/pdf", ""},
		{"text", "started\nstopped\n", "text/plain; charset=utf-8", few, "text/plain", ""},
		{"json is text", `{"a":1}`, "application/json", few, "text/plain", ""},
		{"a letter cut off at the end of the look", text, "", few, "text/plain", ""},
		{"html that says so", "<!doctype html><p>x", "text/html", few, "", errs.UnsupportedMediaType},
		{"svg that says so", "<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml", few, "", errs.UnsupportedMediaType},
		{"text that claims to be a png", "hello", "image/png", few, "", errs.UnsupportedMediaType},
		{"a control character", "a\x00b", "", few, "", errs.UnsupportedMediaType},
		{"no utf-8", "a\xff\xfeb", "", few, "", errs.UnsupportedMediaType},
		{"a program", "\x7fELF\x02\x01\x01\x00", "", few, "", errs.UnsupportedMediaType},
		{"zip, not taken by default", "PK\x03\x04\x14\x00\x00\x00", "application/zip", few, "", errs.UnsupportedMediaType},
		{"zip, chosen", "PK\x03\x04\x14\x00\x00\x00", "application/zip", every, "application/zip", ""},
		{"nothing", "", "image/png", few, "", errs.ValidationFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file, err := blob.Receive(strings.NewReader(tt.content), 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			got, err := tt.files.Inspect(file, tt.claimed)
			wantCode(t, err, tt.code)
			if got.MediaType != tt.want {
				t.Errorf("got %q, want %q", got.MediaType, tt.want)
			}
		})
	}
}

// Every type that can be chosen can be recognised, and named for a download.
func TestEveryTypeCanBeTold(t *testing.T) {
	t.Parallel()
	beginnings := map[string]string{
		"image/png": string(sample.PNG(1, 1)), "image/jpeg": "\xff\xd8\xff\xe0", "image/gif": "GIF89a", "image/webp": "RIFF\x00\x00\x00\x00WEBP",
		"audio/mpeg": "ID3\x04", "audio/wav": "RIFF\x00\x00\x00\x00WAVE", "audio/ogg": "OggS" + strings.Repeat("\x00", 22) + "\x01\x13OpusHead",
		"video/mp4": "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00", "video/webm": "\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm",
		"application/pdf": "%PDF-1.7\n", "text/plain": "started\n", "application/zip": "PK\x03\x04\x14\x00",
	}
	settings := config.Default().Blob
	settings.EvidenceTypes = config.EvidenceTypes
	files := evidence.NewFiles(nil, nil, settings)
	for _, name := range config.EvidenceTypes {
		file, err := blob.Receive(strings.NewReader(beginnings[name]), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		told, err := files.Inspect(file, "")
		file.Close()
		if err != nil || told.MediaType != name {
			t.Errorf("%s is taken for %q, error %v", name, told.MediaType, err)
		}
		if extension := path.Ext(evidence.Evidence{MediaType: name}.FileName()); len(extension) < 2 {
			t.Errorf("%s has no extension", name)
		}
	}
}

func TestAttachRefuses(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	other, otherItem := r.submit()
	elsewhere := newRoom(t)
	for _, tt := range []struct {
		name  string
		in    evidence.AttachInput
		check func(t *testing.T, err error)
	}{
		{"unknown submission", evidence.AttachInput{SubmissionID: ids.New()}, func(t *testing.T, err error) { wantCode(t, err, errs.NotFound) }},
		{"another tenant's", evidence.AttachInput{SubmissionID: elsewhere.submission}, func(t *testing.T, err error) { wantCode(t, err, errs.NotFound) }},
		{"item of another submission", evidence.AttachInput{SubmissionID: r.submission, ItemID: &otherItem}, func(t *testing.T, err error) { wantField(t, err, "itemId", "unknown_item") }},
		{"unknown kind", evidence.AttachInput{SubmissionID: other, Kind: "selfie"}, func(t *testing.T, err error) { wantField(t, err, "kind", "unknown_value") }},
	} {
		_, err := r.keep(tt.in, sample.PNG(1, 1))
		t.Run(tt.name, func(t *testing.T) { tt.check(t, err) })
	}
	if _, err := os.Stat(r.folder + "/" + r.operator.Tenant.String()); !os.IsNotExist(err) {
		t.Errorf("what was refused was stored: %v", err)
	}
}

func TestVoidedEvidenceStays(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	kept, gone := r.picture(), r.picture()
	_, err := try(r, r.proctor, func(tx *db.Tx) (evidence.Evidence, error) {
		return evidence.Void(t.Context(), tx, evidence.VoidInput{ID: gone.ID, Reason: "  "})
	})
	wantField(t, err, "reason", "required")
	got, err := r.void(gone.ID)
	if err != nil || got.Status != "voided" || got.VoidReason != "the wrong person" || got.VoidedBy != r.proctor.Actor.String() {
		t.Fatalf("got %+v and error %v", got, err)
	}
	_, err = r.void(gone.ID)
	wantCode(t, err, errs.EvidenceVoided)
	if diff := cmp.Diff(got, r.get(gone.ID)); diff != "" {
		t.Error(diff)
	}
	if checked, err := r.verify(gone.ID); err != nil || checked.Integrity != "ok" || checked.Status != "voided" {
		t.Errorf("its file: got %+v and error %v", checked, err)
	}
	for status, want := range map[string][]ids.ID{"": {gone.ID, kept.ID}, "active": {kept.ID}, "voided": {gone.ID}} {
		list := must(r, r.reviewer, func(tx *db.Tx) (db.List[evidence.Evidence], error) {
			return evidence.List(t.Context(), tx, r.submission, evidence.Filter{Status: status})
		})
		if diff := cmp.Diff(want, idsOf(list.Items)); diff != "" || list.Total != len(want) {
			t.Errorf("status %q: total %d, %s", status, list.Total, diff)
		}
	}
	events := r.events(gone.ID)
	want := logged{"evidence.voided", r.proctor.Actor.String(), map[string]any{"submissionId": r.submission.String(), "scope": "submission"}}
	if diff := cmp.Diff(want, events[1]); diff != "" {
		t.Errorf("ledger (-want +got):\n%s", diff)
	}
}

func idsOf(all []evidence.Evidence) []ids.ID {
	var out []ids.ID
	for _, e := range all {
		out = append(out, e.ID)
	}
	return out
}

func TestListNarrows(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	whole := r.picture()
	ofItem := r.attach(evidence.AttachInput{SubmissionID: r.submission, ItemID: &r.item, Kind: "log"}, []byte("started\n"))
	other, _ := r.submit()
	r.attach(evidence.AttachInput{SubmissionID: other}, []byte("other\n"))
	for name, tt := range map[string]struct {
		filter evidence.Filter
		want   []ids.ID
	}{
		"all":         {evidence.Filter{}, []ids.ID{ofItem.ID, whole.ID}},
		"item":        {evidence.Filter{ItemID: &r.item}, []ids.ID{ofItem.ID}},
		"kind":        {evidence.Filter{Kind: "photo"}, []ids.ID{whole.ID}},
		"second page": {evidence.Filter{Page: db.Page{Page: 2, Limit: 1}}, []ids.ID{whole.ID}},
		"nothing":     {evidence.Filter{Kind: "document"}, nil},
	} {
		list := must(r, r.reviewer, func(tx *db.Tx) (db.List[evidence.Evidence], error) {
			return evidence.List(t.Context(), tx, r.submission, tt.filter)
		})
		if diff := cmp.Diff(tt.want, idsOf(list.Items)); diff != "" || list.Items == nil {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestTierChangesOnce(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	e := r.picture()
	set := func(tier string) (evidence.Evidence, error) {
		return try(r, r.proctor, func(tx *db.Tx) (evidence.Evidence, error) {
			return evidence.SetTier(t.Context(), tx, evidence.TierInput{ID: e.ID, StorageTier: tier})
		})
	}
	for _, tier := range []string{"WARM", "WARM", "COLD", "HOT"} {
		if got, err := set(tier); err != nil || got.StorageTier != tier {
			t.Errorf("got %s and error %v, want %s", got.StorageTier, err, tier)
		}
	}
	_, err := set("FROZEN")
	wantField(t, err, "storageTier", "unknown_value")
	events := r.events(e.ID)
	changed := []string{"evidence.file.attached", "evidence.tier.changed", "evidence.tier.changed", "evidence.tier.changed"}
	if diff := cmp.Diff(changed, types(events)); diff != "" {
		t.Error(diff)
	}
	if events[1].Payload["from"] != "HOT" || events[1].Payload["to"] != "WARM" {
		t.Errorf("got %v", events[1].Payload)
	}
}

// Each operation obeys a capability, on the command line as well.
func TestWhoMay(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	e := r.picture()
	kept, err := r.keep(evidence.AttachInput{SubmissionID: r.submission}, sample.PNG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	finding := must(r, r.proctor, func(tx *db.Tx) (evidence.Finding, error) { return sample.Finding(t, tx, r.submission), nil })
	in := evidence.AttachInput{SubmissionID: r.submission}
	read, manage := capability.EvidenceRead, capability.EvidenceManage
	review, take := capability.SubmissionsReview, capability.SessionsTake
	for name, tt := range map[string]struct {
		may []capability.Capability
		do  func(tx *db.Tx) error
	}{
		"attach": {[]capability.Capability{manage}, func(tx *db.Tx) error { _, err := evidence.Attach(t.Context(), tx, in, kept); return err }},
		"claim file": {[]capability.Capability{manage}, func(tx *db.Tx) error {
			return evidence.ClaimFile(t.Context(), tx, kept)
		}},
		"list": {[]capability.Capability{read, manage}, func(tx *db.Tx) error {
			_, err := evidence.List(t.Context(), tx, r.submission, evidence.Filter{})
			return err
		}},
		"get":  {[]capability.Capability{read, manage}, func(tx *db.Tx) error { _, err := evidence.Get(t.Context(), tx, e.ID); return err }},
		"view": {[]capability.Capability{read}, func(tx *db.Tx) error { _, err := evidence.View(t.Context(), tx, e.ID); return err }},
		"record": {[]capability.Capability{read, manage}, func(tx *db.Tx) error {
			_, err := evidence.RecordChecks(t.Context(), tx, evidence.Check{ID: e.ID, Result: "ok"})
			return err
		}},
		"void": {[]capability.Capability{manage}, func(tx *db.Tx) error {
			_, err := evidence.Void(t.Context(), tx, evidence.VoidInput{ID: e.ID, Reason: "x"})
			return err
		}},
		"tier": {[]capability.Capability{manage}, func(tx *db.Tx) error {
			_, err := evidence.SetTier(t.Context(), tx, evidence.TierInput{ID: e.ID, StorageTier: "COLD"})
			return err
		}},
		"detect": {[]capability.Capability{manage}, func(tx *db.Tx) error {
			_, err := evidence.Detect(t.Context(), tx, evidence.FindingInput{SubmissionID: r.submission, Code: "X", Severity: "info"})
			return err
		}},
		"findings": {[]capability.Capability{read, manage}, func(tx *db.Tx) error {
			_, err := evidence.ListFindings(t.Context(), tx, r.submission, evidence.FindingFilter{})
			return err
		}},
		"finding": {[]capability.Capability{read, manage}, func(tx *db.Tx) error { _, err := evidence.GetFinding(t.Context(), tx, finding.ID); return err }},
		"claim": {[]capability.Capability{manage}, func(tx *db.Tx) error {
			_, err := evidence.Raise(t.Context(), tx, evidence.Claims, evidence.RaiseInput{SubmissionID: r.submission, Statement: "x", FindingIDs: []ids.ID{finding.ID}})
			return err
		}},
		"claims": {[]capability.Capability{read, manage, review}, func(tx *db.Tx) error {
			_, err := evidence.ListCases(t.Context(), tx, evidence.Claims, r.submission, evidence.CaseFilter{})
			return err
		}},
		// The candidate of the submission reads them, too; this is somebody else.
		"disputes": {[]capability.Capability{read, manage, review}, func(tx *db.Tx) error {
			_, err := evidence.ListCases(t.Context(), tx, evidence.Disputes, r.submission, evidence.CaseFilter{})
			return err
		}},
	} {
		for _, c := range []capability.Capability{read, manage, review, take, capability.SubmissionsRead, capability.ReportingView} {
			err := r.store.DryRun(t.Context(), sample.As(r.operator, ids.New(), c), tt.do)
			if may := slices.Contains(tt.may, c); may != (err == nil) {
				t.Errorf("%s with %s: %v", name, c, err)
			}
		}
	}
}

// Another org unit of the same tenant sees nothing of it.
func TestOrgUnitsAreKeptApart(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	e := r.picture()
	next := r.reviewer
	r.write(r.operator, func(tx *db.Tx) error { next.OrgUnit = sample.OrgUnit(t, tx, "next").ID; return nil })
	_, err := try(r, next, func(tx *db.Tx) (evidence.Evidence, error) { return evidence.Get(t.Context(), tx, e.ID) })
	wantCode(t, err, errs.NotFound)
	_, err = r.files.Check(t.Context(), next, e.ID)
	wantCode(t, err, errs.NotFound)
	report, err := r.files.CheckAll(t.Context(), next, evidence.CheckFilter{}, r.store.Write, func(int64, int64) {})
	if err != nil || report.Checked != 0 {
		t.Errorf("got %+v and error %v", report, err)
	}
}

// Of two at once one voids, and the other is refused.
func TestVoidingAtOnce(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	e := r.picture()
	var all sync.WaitGroup
	failed := make(chan error, 4)
	for range cap(failed) {
		all.Go(func() {
			_, err := r.void(e.ID)
			failed <- err
		})
	}
	all.Wait()
	close(failed)
	won := 0
	for err := range failed {
		if err == nil {
			won++
			continue
		}
		wantCode(t, err, errs.EvidenceVoided)
	}
	if won != 1 {
		t.Errorf("%d voided it", won)
	}
}
