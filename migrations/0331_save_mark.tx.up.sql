-- The statements of a save travel together. The second writes answers only where the first has left its mark, a number by chance.
alter table sessions add column save_mark bigint;
