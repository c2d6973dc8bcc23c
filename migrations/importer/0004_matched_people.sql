-- Whom a foreign user was found to be, by the address both had then. Kept, so that a later import
-- finds the same person whatever has become of the addresses since.

CREATE TABLE importer.matched_people (
    source     text NOT NULL,
    source_id  text NOT NULL,
    person_id  uuid NOT NULL,  -- No foreign key: another plugin's table, which deletes nobody.
    matched_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (source, source_id)
);
