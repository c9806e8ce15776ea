-- name: note_report(thread_id, worker, about, report)!
-- Notes that a worker made this report on a thread; the same one again is no other.
insert into workshop.reports (thread_id, worker, about, report)
values (:thread_id, :worker, :about, :report)
on conflict do nothing;

-- name: noted_reports(thread_id, reports)
-- Which of these reports were made on the thread, by whom and about what.
select worker, about, report from workshop.reports where thread_id = :thread_id and report = any(:reports);

-- name: was_reviewed(thread_id, about)^
-- Whether the thread's reviewer has looked at this before.
select 1 as yes from workshop.reports where thread_id = :thread_id and worker = 'reviewer' and about = :about limit 1;
