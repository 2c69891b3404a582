package inventory

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"assess/models"
	"assess/pkg/kernel/ids"
)

// View is a saved view (specification, section 2.7).
type View struct {
	ID         ids.ID    `json:"id"`
	Name       string    `json:"name" example:"Unused drafts on cells"`
	Visibility string    `json:"visibility" enum:"personal,shared" doc:"A personal view is its owner's alone"`
	Filter     Filter    `json:"filter"`
	CreatedAt  time.Time `json:"createdAt"`
	UpdatedAt  time.Time `json:"updatedAt"`
}

// ViewInput describes a view.
type ViewInput struct {
	Name       string      `json:"name" maxLength:"200" doc:"Unique among the owner's views or the shared ones of the org unit" example:"Unused drafts on cells"`
	Visibility string      `json:"visibility,omitempty" enum:"personal,shared" doc:"Default personal"`
	Filter     FilterInput `json:"filter" shape:"filter" doc:"The keys of the canonical filter; terms_any, terms_all, include_descendants and contributes_to_score are taken for theirs"`
}

// ViewPatch changes what it names; a filter is replaced as a whole.
type ViewPatch struct {
	UpdatedAt  *time.Time  `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	Name       *string     `json:"name,omitempty" maxLength:"200"`
	Visibility *string     `json:"visibility,omitempty" enum:"personal,shared"`
	Filter     FilterInput `json:"filter,omitempty" shape:"filter"`
}

const maxName = 200

func viewOf(row models.InventoryView) (View, error) {
	v := View{ID: row.ID, Name: row.Name, Visibility: row.Visibility, CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC()}
	err := json.Unmarshal(row.Filter, &v.Filter)
	if err != nil {
		return View{}, fmt.Errorf("read filter of view %s: %w", row.ID, err)
	}
	return v, nil
}

func (p *problems) name(name string) {
	p.addIf(strings.TrimSpace(name) == "", "name", "required", "give the view a name")
	p.text("name", name, maxName)
}

func (p *problems) visibility(visibility string) {
	p.addIf(visibility != models.ViewPersonal && visibility != models.ViewShared, "visibility", "not_allowed", "expected personal or shared")
}
