#!/bin/sh
# What the image of PostgreSQL runs when its volume is new: the roles of deploy/roles.sql.
exec psql -v ON_ERROR_STOP=1 -U postgres -d assess \
	-v login_password="$LOGIN_PASSWORD" -v owner_password="$POSTGRES_PASSWORD" -f /roles.sql
