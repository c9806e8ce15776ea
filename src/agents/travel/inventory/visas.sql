-- name: rules(passports, destination)
-- What the table says of these passports for a country.
select passport, requirement, max_days, note from travel.visa_rules
where passport = any(:passports) and destination = :destination;
