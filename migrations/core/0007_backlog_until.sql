-- A consumer that acts on news must know what is none: what was there at its first start, and what
-- a seek brings back.

ALTER TABLE radd.consumers ADD COLUMN backlog_until bigint;

COMMENT ON COLUMN radd.consumers.backlog_until IS
    'Events up to this id are no news to the consumer: there at its first start, or passed before a seek. Null: it does not tell them apart';
