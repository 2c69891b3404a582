package apptest_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// reported is what the reports say about a submission.
type reported struct {
	Score, Max float64
	Outcome    string
	FocusLost  int
	Items      [6]string
}

// reports is what the model expects the reports to have: nothing of voided submissions.
func (m *model) reports() map[string]reported {
	all := map[string]reported{}
	for name, s := range m.sessions {
		if s.status() != "completed" {
			continue
		}
		r := reported{FocusLost: s.focusLost}
		_, err := fmt.Sscanf(total(s.scores), "%g of %g, %s", &r.Score, &r.Max, &r.Outcome)
		if err != nil {
			r.Outcome = err.Error()
		}
		for i, w := range s.scores {
			if s.answers[i].word == "" {
				w.status = "EXEMPT" // Nobody answered, whatever was given for it.
			}
			r.Items[i] = w.String()
		}
		all[name] = r
	}
	return all
}

// readReports reads the reporting tables.
func (s *service) readReports(ctx context.Context) (map[string]reported, error) {
	all := map[string]reported{}
	err := s.Store.Report(ctx, s.Scope, func(tx *db.Tx) error {
		rows, err := tx.Query(ctx, `
			select r.submission_id, r.score::float8, r.max_score::float8, r.outcome_code, r.focus_lost_n,
				array_agg(f.score_status || ' ' || f.score_awarded::float8 || ' of ' || f.max_score::float8
					order by i.position)
			from report_submissions r
			join report_item_attempts_flat f on f.tenant_id = r.tenant_id and f.submission_id = r.submission_id
			join submission_items i on i.tenant_id = f.tenant_id and i.submission_id = f.submission_id and i.id = f.submission_item_id
			where r.tenant_id = $1 group by r.tenant_id, r.submission_id`, tx.Tenant())
		if err != nil {
			return err
		}
		for rows.Next() {
			var id ids.ID
			var r reported
			var items []string
			err := rows.Scan(&id, &r.Score, &r.Max, &r.Outcome, &r.FocusLost, &items)
			if err != nil {
				return err
			}
			copy(r.Items[:], items)
			all[s.nameOf(id)] = r
		}
		return rows.Err()
	})
	return all, err
}

// figures are the attempts at each question of each exam, by status.
func (m *model) figures() map[string]figure {
	all := map[string]figure{}
	for name, r := range m.reports() {
		for i, item := range r.Items {
			at := fmt.Sprintf("%s %d", m.sessions[name].exam, i)
			f := all[at]
			f.Attempts++
			switch status, _, _ := strings.Cut(item, " "); status {
			case "SCORED":
				f.Scored++
			case "PENDING":
				f.Pending++
			case "EXEMPT":
				f.Exempt++
			}
			all[at] = f
		}
	}
	return all
}

type figure struct{ Attempts, Scored, Pending, Exempt int }

// readFigures reads the figures of the questions; each exam has its own.
func (s *service) readFigures(ctx context.Context) (map[string]figure, error) {
	places := map[ids.ID]string{}
	for exam, snapshot := range s.exams {
		for i, item := range snapshot.Sections[0].Items {
			places[item.QuestionVersionID] = fmt.Sprintf("%s %d", exam, i)
		}
	}
	all := map[string]figure{}
	err := s.Store.Report(ctx, s.Scope, func(tx *db.Tx) error {
		rows, err := tx.Query(ctx, `select question_version_id, attempts_n, scored_n, pending_n, exempt_n
			from report_question_health_rollup where tenant_id = $1`, tx.Tenant())
		if err != nil {
			return err
		}
		for rows.Next() {
			var id ids.ID
			var f figure
			err := rows.Scan(&id, &f.Attempts, &f.Scored, &f.Pending, &f.Exempt)
			if err != nil {
				return err
			}
			all[places[id]] = f
		}
		return rows.Err()
	})
	return all, err
}

// readLedger counts the events of each type about sessions, submissions and remediations.
func (s *service) readLedger(ctx context.Context) (map[string]int, error) {
	all := map[string]int{}
	err := s.Store.Read(ctx, s.Scope, func(tx *db.Tx) error {
		rows, err := tx.Query(ctx, `select event_type, count(*) from ledger_events
			where tenant_id = $1 and subject_type in ('session', 'submission', 'remediation') group by 1`, tx.Tenant())
		if err != nil {
			return err
		}
		for rows.Next() {
			var kind string
			var n int
			err := rows.Scan(&kind, &n)
			if err != nil {
				return err
			}
			all[kind] = n
		}
		return rows.Err()
	})
	return all, err
}

// lists are the submissions of each exam, and the ones among them that wait for their essay to be
// marked.
func (m *model) lists() map[string][]string {
	all := map[string][]string{}
	for exam := range m.items {
		for name, s := range m.sessions {
			if s.exam != exam || s.scores == nil {
				continue
			}
			all[exam] = append(all[exam], name)
			if s.awaits && !s.voided {
				all[exam+" awaits=marking"] = append(all[exam+" awaits=marking"], name)
			}
		}
	}
	for _, names := range all {
		slices.Sort(names)
	}
	return all
}

// readLists reads the lists of submissions, by exam and filter.
func (s *service) readLists(ctx context.Context) (map[string][]string, error) {
	all := map[string][]string{}
	for exam, snapshot := range s.exams {
		for suffix, filter := range map[string]string{"": "", " awaits=marking": "&awaits=marking"} {
			var list struct{ Items []struct{ ID ids.ID } }
			_, err := s.get(ctx, "staff", "/evaluations/"+snapshot.EvaluationID.String()+"/submissions?limit=100"+filter, &list)
			if err != nil {
				return nil, err
			}
			for _, one := range list.Items {
				all[exam+suffix] = append(all[exam+suffix], s.nameOf(one.ID))
			}
			slices.Sort(all[exam+suffix])
		}
	}
	return all, nil
}
