-- The highest token that has written, one row for each kind of work.
CREATE TABLE fence (work text PRIMARY KEY, token bigint NOT NULL DEFAULT 0);
INSERT INTO fence (work) VALUES ('report');

-- Call this first in each transaction that writes: it raises the token, or fails. The row stays
-- locked until the end of the transaction, so no other writer comes between check and commit. A
-- writer that stalls there would block all others: the server ends its transaction after 2 s.
CREATE FUNCTION fenced(work text, token bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	UPDATE fence SET token = fenced.token
		WHERE fence.work = fenced.work AND fence.token <= fenced.token;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'token % is too old for %', token, work USING ERRCODE = 'FENCE';
	END IF;
	PERFORM set_config('idle_in_transaction_session_timeout', '2s', true);
END
$$;

-- The fenced table of this example.
CREATE TABLE report (number bigserial PRIMARY KEY, token bigint NOT NULL, line text NOT NULL);
