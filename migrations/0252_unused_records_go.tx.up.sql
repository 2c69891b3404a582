-- Subjects, engagements and programme requirements that nothing refers to may be deleted.
grant delete on subjects, engagements, programme_requirements to assess_app;
