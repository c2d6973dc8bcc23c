CREATE INDEX digests_by_time ON notify.digests (created_at);
COMMENT ON INDEX notify.digests_by_time IS 'What is removed next';
