-- Which gaps of an answer are right, their ids joined by '+'; null where none is, or where a question has none. Scoring alone can tell of a
-- text whether it is, and reports count it.
alter table submission_items add column right_parts text;
alter table item_scores add column right_parts text;
