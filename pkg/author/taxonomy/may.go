package taxonomy

import (
	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
)

// manages is the capability that changes a domain. The words of the domain skills belong to those who
// keep skills (specification, section 5).
func manages(domain string) capability.Capability {
	if domain == models.DomainSkills {
		return capability.SkillsTaxonomy
	}
	return capability.TaxonomyManage
}

// mayRead lets in who reads facets and terms: whoever changes those of skills may read, too.
func mayRead(tx *db.Tx) error {
	if tx.Can(capability.SkillsTaxonomy) {
		return nil
	}
	return tx.Require(capability.TaxonomyRead)
}

// mayChangeSome lets in who changes facets and terms of some domain. Of which one a record is shows when
// it is locked.
func mayChangeSome(tx *db.Tx) error {
	if tx.Can(capability.SkillsTaxonomy) {
		return nil
	}
	return tx.Require(capability.TaxonomyManage)
}

// mayImport asks for the capability of each domain that a file names. A domain that does not exist is told
// with what else is wrong.
func mayImport(tx *db.Tx, in []ImportedTerm) error {
	err := mayChangeSome(tx)
	for _, term := range in {
		if err == nil {
			err = tx.Require(manages(term.facetKey().domain))
		}
	}
	return err
}
