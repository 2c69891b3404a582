-- Everything that the attempts of "picked" count for in report_question_choice_day, a select for each
-- kind. Options are those of every choice question, parts those of an order, which option stood at which place ("B=2"), and those of a match, which options were chosen for which prompt
-- ("p1=A+C"); of gaps what was chosen, or whether it is right ("g1=A", "g2=wrong"). The rest
-- concerns questions with several answers. Each select groups for itself: PostgreSQL would sort all of them together.
with several as materialized (select * from picked f where f.qtype in ({{types of patterns}}))
select {{cell of f}}, 'option' as kind, f.selected_option as code, count(*) as n
from picked f where f.qtype in ({{types of one option}}) and f.score_status = 'SCORED' group by 1, 2, 3, 4, 5, 7
union all
select {{cell of f}}, 'option', o as code, count(*)
from several f, unnest(f.choice_ids) o where f.qtype in ({{types of several options}}) and f.score_status = 'SCORED' group by 1, 2, 3, 4, 5, 7
union all
select {{cell of f}}, 'part', o.id || '=' || o.place as code, count(*)
from several f, unnest(f.choice_ids) with ordinality o (id, place)
where f.qtype in ({{types of an order}}) and f.score_status = 'SCORED' group by 1, 2, 3, 4, 5, 7
union all
select {{cell of f}}, 'part', p.id || '=' || p.chosen as code, count(*)
from several f, lateral (
	select split_part(e, '=', 1) as id, string_agg(split_part(e, '=', 2), '+' order by e collate "C") as chosen
	from unnest(f.choice_ids) e group by 1) p
where f.qtype in ({{types of pairs}}) and f.score_status = 'SCORED' group by 1, 2, 3, 4, 5, 7
union all
select {{cell of f}}, 'part', e as code, count(*)
from several f, unnest(f.choice_ids) e
where f.qtype in ({{types of gaps}}) and f.score_status = 'SCORED' group by 1, 2, 3, 4, 5, 7
union all
select {{cell of f}}, 'pattern', array_to_string(f.choice_ids, '+') as code, count(*)
from several f where f.score_status = 'SCORED' group by 1, 2, 3, 4, 5, 7
union all
select {{cell of f}}, 'credit', least(greatest(floor(f.score_awarded / f.max_score * 10), 0), 10)::int::text as code, count(*)
from several f where f.score_status = 'SCORED' and f.max_score > 0 group by 1, 2, 3, 4, 5, 7
union all
select {{cell of f}}, 'error', e.code, count(*)
from several f
join report_item_attempt_choice c on c.tenant_id = $1 and c.submission_id = f.submission_id and c.submission_item_id = f.submission_item_id,
	lateral (values
		('missed_correct', c.correct_selected < c.total_correct),
		('selected_incorrect', c.incorrect_selected > 0),
		('both', c.correct_selected < c.total_correct and c.incorrect_selected > 0)
	) e (code, applies)
where f.qtype in ({{types of several options}}) and f.score_status = 'SCORED' and e.applies group by 1, 2, 3, 4, 5, 7
union all
select {{cell of f}}, 'violation', f.invalid_code as code, count(*)
from several f where f.score_status = 'INVALID' and f.invalid_code is not null group by 1, 2, 3, 4, 5, 7
