-- name: find_rate(country)^
-- The rate of a country; for one that has none, the rate of all others.
select country, name, percent, note
from helpdesk.vat_rates
where country in (:country, '*')
order by country = '*'
limit 1;
