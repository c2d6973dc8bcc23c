-- One row each time a chore was done, so that one done twice is seen.

CREATE SCHEMA chores;

CREATE TABLE chores.done (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_id bigint NOT NULL
);
