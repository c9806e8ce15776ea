-- How often at the most, whatever a run's context says: that comes with the run, and the pace is everybody's.
alter table helpdesk.paces add column most_per_minute integer not null default 600 check (most_per_minute > 0);
