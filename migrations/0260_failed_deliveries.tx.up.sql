-- A list of deliveries that failed reads these, and not all that arrived.
create index webhook_deliveries_failed on webhook_deliveries (tenant_id, endpoint_id, created_at desc, id desc) where state = 'failed';
