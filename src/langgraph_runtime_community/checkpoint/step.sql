-- name: save
-- A super-step: its checkpoint with blobs, and pending writes.
SELECT server.save_step(
    :run, :epoch, :idle, :thread, :ns,
    :channels::text[], :versions::text[], :types::text[], :blobs::bytea[],
    :checkpoint, :parent, :content, :metadata,
    :w_ns::text[], :w_checkpoint::text[], :w_task::text[], :w_path::text[], :w_index::integer[],
    :w_channel::text[], :w_type::text[], :w_blob::bytea[], :w_replace::boolean[]
);
