-- An event whose cascades were swept but for some is recorded like one that was skipped.
--
-- It counts as handled in the receipt: what did not fail has taken effect.

ALTER TABLE radd.skipped_events DROP CONSTRAINT skipped_phase_is_known;
ALTER TABLE radd.skipped_events ADD CONSTRAINT skipped_phase_is_known
    CHECK (phase IN ('plan', 'deliver', 'quarantine', 'sweep'));

COMMENT ON COLUMN radd.skipped_events.phase IS
    'plan: planning failed and was undone; deliver: planned and committed, and the delivery failed; quarantine: its planning has killed the process too often; sweep: cascades of it failed and were undone, the others stand';
