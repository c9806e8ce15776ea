-- The filters that auth handlers return, judged where the rows are.

-- What is no object counts as an empty one.
CREATE FUNCTION server.object(value jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN jsonb_typeof(value) = 'object' THEN value ELSE '{}'::jsonb END
$$;

-- Whether metadata passes a filter: {"owner": "ann"}, {"owner": {"$eq": ..}}, {"tags": {"$contains": ..}},
-- {"$or": [..]}, {"$and": [..]}; all keys must hold. An operator that is not known lets nothing pass.
CREATE FUNCTION server.passes(metadata jsonb, filter jsonb) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    field text;
    wanted jsonb;
    part jsonb;
    one_holds boolean;
BEGIN
    IF filter IS NULL THEN
        RETURN true;
    END IF;
    FOR field, wanted IN SELECT key, value FROM jsonb_each(filter) LOOP
        IF field = '$or' THEN
            one_holds := false;
            FOR part IN SELECT value FROM jsonb_array_elements(wanted) LOOP
                one_holds := one_holds OR server.passes(metadata, part);
            END LOOP;
            IF NOT one_holds THEN
                RETURN false;
            END IF;
        ELSIF field = '$and' THEN
            FOR part IN SELECT value FROM jsonb_array_elements(wanted) LOOP
                IF NOT server.passes(metadata, part) THEN
                    RETURN false;
                END IF;
            END LOOP;
        ELSIF jsonb_typeof(wanted) = 'object' AND wanted ? '$contains' THEN
            part := wanted -> '$contains';
            IF jsonb_typeof(part) <> 'array' THEN
                part := jsonb_build_array(part);
            END IF;
            IF jsonb_typeof(metadata -> field) IS DISTINCT FROM 'array' OR NOT (metadata -> field) @> part THEN
                RETURN false;
            END IF;
        ELSE
            IF jsonb_typeof(wanted) = 'object' AND wanted ? '$eq' THEN
                wanted := wanted -> '$eq';
            END IF;
            IF (metadata -> field) IS DISTINCT FROM wanted THEN
                RETURN false;
            END IF;
        END IF;
    END LOOP;
    RETURN true;
END $$;
