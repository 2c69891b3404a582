package op

import (
	"context"

	"assess/pkg/author/pack"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
)

// Packs are the operations on content packs. Exporting to a file, importing one and trusting keys are commands by
// hand: they read and write files.
func Packs() []Line {
	readers, managers := needs(capability.EvaluationsRead), needs(capability.PacksManage)
	return []Line{
		read("GET /libraries", "listLibraries", "pack list", readers, "List libraries: one's own and those that are offered", pack.ListLibraries),
		write("POST /libraries", "createLibrary", "pack create NAME", managers, "Create a library", pack.CreateLibrary).creates(),
		read("GET /libraries/{id}", "getLibrary", "pack show LIBRARY", readers, "Read a library with its items", pack.GetLibrary),
		write("PATCH /libraries/{id}", "updateLibrary", "pack update LIBRARY", managers, "Change a library, the order of its items, or whether it is offered", pack.UpdateLibrary),
		write("DELETE /libraries/{id}", "deleteLibrary", "pack delete LIBRARY", managers, "Delete a library that was never published; archive it otherwise", pack.DeleteLibrary).asks("Delete the library %s?"),
		write("POST /libraries/{id}/items", "addLibraryItem", "pack add LIBRARY EVALUATION", managers, "Add a published evaluation to a library", pack.AddItem).creates(),
		write("PATCH /libraries/{id}/items/{itemId}", "updateLibraryItem", "pack item LIBRARY ITEM", managers, "Change the version, place or metadata of an item", pack.UpdateItem),
		write("DELETE /libraries/{id}/items/{itemId}", "removeLibraryItem", "pack remove LIBRARY ITEM", managers, "Take an item out of a library", pack.RemoveItem),
		write("POST /libraries/{id}/publish", "publishLibrary", "pack publish LIBRARY", managers, "Publish a library as a revision that never changes", pack.Publish).creates(),
		read("GET /libraries/{id}/revisions", "listRevisions", "pack revisions LIBRARY", readers, "List the revisions of a library, newest first", pack.ListRevisions),
		read("GET /libraries/{id}/revisions/{revisionId}", "getRevision", "pack revision LIBRARY [REVISION]", readers, "Read a revision with its items", pack.GetRevision),
		read("GET /libraries/{id}/revisions/{revisionId}/diff", "diffRevisions", "pack diff LIBRARY [REVISION]", readers, "List what differs between two revisions", pack.Diff),
		write("POST /libraries/{id}/revisions/{revisionId}/install", "installRevision", "pack install LIBRARY [REVISION]", managers, "Install a revision into an org unit, or bring what is installed to it; over HTTP it needs a step-up proof", pack.Install).rehearsed().proven(),
		write("POST /libraries/{id}/uninstall", "uninstallLibrary", "pack uninstall LIBRARY", managers, "Archive what an org unit has of a library", uninstall).asks("Archive what is installed of the library %s?"),
		read("GET /content-packs/{id}/revisions/{revisionId}/lineage", "getLineage", "pack lineage LIBRARY [REVISION]", readers, "Say where a revision is installed, and how many submissions were taken with it", pack.GetLineage),
	}
}

// uninstall archives evaluations as the inventory does, which package pack does not know.
func uninstall(ctx context.Context, tx *db.Tx, input pack.UninstallInput) (pack.Uninstallation, error) {
	return pack.Uninstall(ctx, tx, input, inventory.ArchiveEvaluations)
}
