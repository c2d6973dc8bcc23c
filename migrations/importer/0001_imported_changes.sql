-- Which entries of a foreign history have been told already, so that a second import of the same
-- file tells nothing twice.

CREATE SCHEMA importer;

CREATE TABLE importer.imported_changes (
    source      text NOT NULL,
    source_id   text NOT NULL,
    imported_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (source, source_id)
);
