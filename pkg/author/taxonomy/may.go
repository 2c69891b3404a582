package taxonomy

import (
	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
)

// manages is the capability that changes a domain. The terms of the domain skills belong to the
// people who keep skills (specification, section 5).
func manages(domain string) capability.Capability {
	if domain == models.DomainSkills {
		return capability.SkillsTaxonomy
	}
	return capability.TaxonomyManage
}

// mayRead admits users who read facets and terms: anyone who may change the terms of skills may read, too.
func mayRead(tx *db.Tx) error {
	if tx.Can(capability.SkillsTaxonomy) {
		return nil
	}
	return tx.Require(capability.TaxonomyRead)
}

// mayChangeSome admits users who may change facets and terms of some domain. The domain of a record is
// known once it is locked.
func mayChangeSome(tx *db.Tx) error {
	if tx.Can(capability.SkillsTaxonomy) {
		return nil
	}
	return tx.Require(capability.TaxonomyManage)
}

// mayImport requires the capability of each domain that a file names. A domain that does not exist is
// reported with the other problems.
func mayImport(tx *db.Tx, in []ImportedTerm) error {
	err := mayChangeSome(tx)
	for _, term := range in {
		if err == nil {
			err = tx.Require(manages(term.facetKey().domain))
		}
	}
	return err
}
