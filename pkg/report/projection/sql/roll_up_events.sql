-- Rolls raw events up and deletes them (decisions, section 4). Events that come after a first projection
-- add to the summary that is there.
with gone as (
	delete from session_events e using {{submissions}} s
	where e.tenant_id = $1 and e.session_id = any($2) and s.id = e.session_id
	returning e.tenant_id, s.org_unit_id, e.session_id, e.event_type, e.occurred_at
)
insert into submission_telemetry_summary as t (tenant_id, org_unit_id, submission_id, events_n, focus_lost_n,
	fullscreen_exit_n, copy_n, paste_n, network_lost_n, heartbeat_n, last_activity_at)
select tenant_id, org_unit_id, session_id, count(*),
	count(*) filter (where event_type = 'focus_lost'), count(*) filter (where event_type = 'fullscreen_exit'),
	count(*) filter (where event_type = 'copy'), count(*) filter (where event_type = 'paste'),
	count(*) filter (where event_type = 'network_lost'), count(*) filter (where event_type = 'heartbeat'),
	max(occurred_at)
from gone group by tenant_id, org_unit_id, session_id
on conflict (tenant_id, submission_id) do update set
	events_n = t.events_n + excluded.events_n,
	focus_lost_n = t.focus_lost_n + excluded.focus_lost_n,
	fullscreen_exit_n = t.fullscreen_exit_n + excluded.fullscreen_exit_n,
	copy_n = t.copy_n + excluded.copy_n,
	paste_n = t.paste_n + excluded.paste_n,
	network_lost_n = t.network_lost_n + excluded.network_lost_n,
	heartbeat_n = t.heartbeat_n + excluded.heartbeat_n,
	last_activity_at = greatest(t.last_activity_at, excluded.last_activity_at)
