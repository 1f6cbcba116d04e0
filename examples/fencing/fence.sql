-- The highest token that has written, a row for each kind of work.
CREATE TABLE fence (work text PRIMARY KEY, token bigint NOT NULL DEFAULT 0);
INSERT INTO fence (work) VALUES ('report');

-- First in each transaction that writes: raises the token, or ends the transaction with an error.
-- The row stays locked until the end: nobody with another token comes between check and commit. One
-- who stalls there would hold up all others, so he has 2 s, in which the server hears nothing of him.
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

-- What is fenced, here.
CREATE TABLE report (number bigserial PRIMARY KEY, token bigint NOT NULL, line text NOT NULL);
