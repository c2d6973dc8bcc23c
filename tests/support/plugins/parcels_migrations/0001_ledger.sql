-- One row for each event that was read.

CREATE SCHEMA parcels;

CREATE TABLE parcels.ledger (
    event_id bigint PRIMARY KEY,
    shelf    text   NOT NULL,
    "row"    bigint NOT NULL
);
