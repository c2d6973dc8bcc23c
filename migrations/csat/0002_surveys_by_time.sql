-- Surveys are listed by when they were asked for, a page at a time.

CREATE INDEX surveys_by_time ON csat.surveys (requested_at DESC, item_id DESC);
