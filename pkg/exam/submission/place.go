package submission

import (
	"assess/pkg/author/authoring"
	"assess/pkg/kernel/ids"
)

// place says of each item where it is in the snapshot and in which order the person saw its
// options, which the seed gives.
func (s *Submission) place(seed int64, snapshot *authoring.Snapshot) {
	at := map[ids.ID]*ItemDetail{}
	for i := range s.Items {
		at[s.Items[i].ItemID] = &s.Items[i]
	}
	for _, section := range snapshot.Sections {
		for _, item := range section.Items {
			detail, shown := at[item.ItemID]
			if !shown {
				continue // a draw left it out
			}
			detail.SectionID, detail.GroupID = section.ID, item.GroupID
			detail.OptionOrder = optionOrder(seed, item, snapshot)
		}
	}
}

func optionOrder(seed int64, item authoring.SnapshotItem, snapshot *authoring.Snapshot) []string {
	var order []string
	for _, o := range authoring.ShownOptions(snapshot.Settings, seed, item.ItemID, snapshot.Questions[item.QuestionVersionID.String()]) {
		order = append(order, o.ID)
	}
	return order
}
