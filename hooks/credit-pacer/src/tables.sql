-- All times are whole seconds since the epoch.
CREATE TABLE usage_snapshots (
    timestamp           INTEGER NOT NULL,
    observed_at         INTEGER,
    five_hour_util      REAL,
    five_hour_resets_at INTEGER,
    seven_day_util      REAL,
    seven_day_resets_at INTEGER,
    session_id          TEXT,
    source              TEXT
);
CREATE TABLE pacing_decisions (
    timestamp       INTEGER NOT NULL,
    should_throttle INTEGER,
    delay_seconds   INTEGER,
    session_id      TEXT,
    "window"        TEXT,
    used            REAL,
    safe            REAL,
    strategy        TEXT
);
CREATE INDEX usage_snapshots_by_time ON usage_snapshots (timestamp);
CREATE INDEX pacing_decisions_by_time ON pacing_decisions (timestamp);
