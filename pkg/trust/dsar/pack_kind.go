package dsar

import (
	"context"
	"errors"
	"io"
	"slices"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/hold"
	"assess/pkg/trust/archive"
	"assess/pkg/trust/compliance"
)

// PackKind is the kind of job that gathers what shows how a person's data were treated. It is for the
// people who answer for that: the events in it say who acted, so the person does not get it from here.
func (e Exporter) PackKind() compliance.Kind {
	return compliance.Kind{Type: compliance.PrivacyPack, Subject: true, Artifact: PackName, Steps: []compliance.Step{
		{Name: "export", Do: e.ensureExport}, {Name: "pack", Do: e.doPack}}}
}

// restricted says whether the data of the person may not be used: then a pack, which is not for the person, has
// no export of them.
func restricted(ctx context.Context, tx *db.Tx, person ids.ID) (bool, error) {
	err := hold.Use(ctx, tx, person)
	if errors.Is(err, errs.ProcessingRestricted) {
		return true, nil
	}
	return false, err
}

// ensureExport makes an export where none is kept.
func (e Exporter) ensureExport(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
	without, err := restricted(ctx, tx, r.Person())
	if err != nil || without {
		return true, err
	}
	kept, err := compliance.ArtifactsAbout(ctx, tx, r.Person())
	if err != nil {
		return false, err
	}
	for _, k := range kept {
		if k.Name == ExportName {
			return true, nil
		}
	}
	return e.do(ctx, tx, r)
}

// doPack writes the pack into the store.
func (e Exporter) doPack(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
	kept, err := compliance.ArtifactsAbout(ctx, tx, r.Person())
	if err != nil {
		return false, err
	}
	without, err := restricted(ctx, tx, r.Person())
	if err != nil {
		return false, err
	}
	if without {
		kept = slices.DeleteFunc(kept, func(a compliance.AboutArtifact) bool { return a.Name == ExportName })
		r.Job.Partial = true
	}
	var counts map[string]int64
	var receipt archive.Receipt
	_, err = r.Artifact(ctx, tx, compliance.Artifact{Name: PackName, MediaType: "application/zip", Lifetime: e.Lifetime, Write: func(to io.Writer) error {
		var err error
		receipt, counts, err = e.writePack(ctx, r, orderOf(r, tx.Now()), chosen(r, kept), to)
		return err
	}})
	if err != nil {
		return false, err
	}
	for what, n := range counts {
		r.Count(what, n)
	}
	return true, r.Result(receipt)
}

// chosen are the newest export and the receipts, which come the newest first.
func chosen(r *compliance.Run, kept []compliance.AboutArtifact) []included {
	var all []included
	export := false
	for _, k := range kept {
		if k.Name == PackName || k.Name == ExportName && export {
			continue
		}
		export = export || k.Name == ExportName
		all = append(all, included{archive.Artifact{Name: "artifacts/" + k.JobType + "-" + k.JobID.String() + "/" + k.Name, Kind: k.JobType, JobID: k.JobID,
			SHA256: k.SHA256, CreatedAt: k.CreatedAt.UTC()}, func(ctx context.Context) (io.ReadCloser, error) {
			return r.Files.Open(ctx, r.Job.TenantID, models.ComplianceArtifact{SHA256: k.SHA256}, true)
		}})
	}
	return all
}

func (e Exporter) writePack(ctx context.Context, r *compliance.Run, o Order, artifacts []included, to io.Writer) (archive.Receipt, map[string]int64, error) {
	w := archive.New(to)
	var p *pack
	err := e.Store.Read(ctx, db.System(o.Tenant, compliance.PrivacyPack), func(tx *db.Tx) error {
		p = newPack(tx, o.Subject, w)
		return p.fill(ctx, artifacts)
	})
	if err != nil {
		return archive.Receipt{}, nil, err
	}
	m := archive.Manifest{Kind: compliance.PrivacyPack, SubjectID: o.Subject, DataMapVersion: mapVersion, Counts: p.counts}
	for _, a := range artifacts {
		m.Artifacts = append(m.Artifacts, a.Artifact)
	}
	receipt, err := w.Close(m, o.receipt(), e.signsFor(ctx, r))
	return receipt, p.counts, err
}
