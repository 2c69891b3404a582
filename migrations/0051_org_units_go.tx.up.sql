-- An org unit that was made by mistake can go; foreign keys hold every other.
grant delete on org_units to assess_app;
