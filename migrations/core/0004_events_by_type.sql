-- Events of one type: WHERE event_type = … ORDER BY id. Rare types are what people look for, and
-- without it each question reads the whole stream: 0.1 s a million rows.
--
-- What it costs who emits, measured on 100 000 rows in one statement over 200 000: 12 % more time
-- and 80 bytes more WAL a row, about a microsecond; within the noise for single transactions. A
-- second index on actor_id would have cost 40 % and 150 bytes more, so there is none: questions
-- by actor, project or time are answered over a bounded stretch of ids at a time instead.
--
-- While it is built, on a stream that is there already, emitters wait: about a second a million.
CREATE INDEX events_of_type ON radd.events (event_type, id);
COMMENT ON INDEX radd.events_of_type IS 'Events of one type, in order';
