-- The role of those who change assistants: product managers. It answers no reviews.
alter table reviews.users drop constraint users_roles_check;
alter table reviews.users add constraint users_roles_check
    check (roles <@ array['reviewer', 'editor', 'lead', 'admin', 'reader'] and roles <> '{}');
