-- Since when the Agent Server answers and an answer can't be delivered all the same: what the service gives up is counted
-- from here, for a server that is merely away is waited for without end. Null while it is away.
alter table reviews.reviews add column answering_since timestamptz;
update reviews.reviews set answering_since = failing_since where phase = 'moving' and failing_since is not null;
