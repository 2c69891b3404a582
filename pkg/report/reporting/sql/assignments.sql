{{/* How the evaluation is assigned, by key. */}}
select {{.Key "a"}}::text, sum(user_id_n)::bigint, sum(email_n)::bigint, sum(group_id_n)::bigint, sum(public_link_n)::bigint, sum(invitees_n)::bigint
from report_access_points a where {{.OfAssignments}} group by 1
