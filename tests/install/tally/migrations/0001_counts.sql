CREATE SCHEMA tally;
CREATE TABLE tally.counts (
    event_type text PRIMARY KEY,
    events     bigint NOT NULL
);
