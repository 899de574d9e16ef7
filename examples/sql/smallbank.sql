-- SmallBank: a small bank whose transactions are a common test for isolation levels
-- (Alomari, Cahill, Fekete and Röhm, 2008). Every customer has a savings and a checking account.
--
-- Under SERIALIZABLE, nothing can go wrong. Under REPEATABLE READ, WriteCheck charges a penalty for
-- an overdraft, or does not, by two balances of which one may be changed at the same time.

CREATE TABLE account (
    name        text PRIMARY KEY,
    customer_id bigint NOT NULL UNIQUE
);

CREATE TABLE savings (
    customer_id bigint PRIMARY KEY,
    balance     numeric(12, 2) NOT NULL
);

CREATE TABLE checking (
    customer_id bigint PRIMARY KEY,
    balance     numeric(12, 2) NOT NULL
);

INSERT INTO account (name, customer_id) VALUES ('ann', 1), ('bob', 2);
INSERT INTO savings (customer_id, balance) VALUES (1, 100), (2, 100);
INSERT INTO checking (customer_id, balance) VALUES (1, 100), (2, 100);

-- The sum of both accounts.
CREATE FUNCTION balance(p_name text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    v_id       bigint;
    v_savings  numeric;
    v_checking numeric;
BEGIN
    SELECT customer_id INTO v_id FROM account WHERE name = p_name;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no customer %', p_name;
    END IF;
    SELECT balance INTO v_savings FROM savings WHERE customer_id = v_id;
    SELECT balance INTO v_checking FROM checking WHERE customer_id = v_id;
    RETURN v_savings + v_checking;
END
$$;

-- Puts money into the checking account.
CREATE FUNCTION deposit_checking(p_name text, p_amount numeric) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_id bigint;
BEGIN
    IF p_amount < 0 THEN
        RAISE EXCEPTION 'a deposit cannot be negative';
    END IF;
    SELECT customer_id INTO v_id FROM account WHERE name = p_name;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no customer %', p_name;
    END IF;
    UPDATE checking SET balance = balance + p_amount WHERE customer_id = v_id;
END
$$;

-- Puts money into the savings account, or takes it, if there is enough.
CREATE FUNCTION transact_savings(p_name text, p_amount numeric) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_id      bigint;
    v_balance numeric;
BEGIN
    SELECT customer_id INTO v_id FROM account WHERE name = p_name;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no customer %', p_name;
    END IF;
    UPDATE savings SET balance = balance + p_amount WHERE customer_id = v_id
        RETURNING balance INTO v_balance;
    IF v_balance < 0 THEN
        RAISE EXCEPTION 'not enough savings';
    END IF;
END
$$;

-- Moves all that one customer has to the checking account of another one. What is read is what
-- is replaced: with `FOR UPDATE`, reading and writing a balance are one operation, as in the
-- literature on this bank. Without, READ COMMITTED loses deposits in between.
CREATE FUNCTION amalgamate(p_from text, p_to text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_from     bigint;
    v_to       bigint;
    v_savings  numeric;
    v_checking numeric;
BEGIN
    SELECT customer_id INTO v_from FROM account WHERE name = p_from;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no customer %', p_from;
    END IF;
    SELECT customer_id INTO v_to FROM account WHERE name = p_to;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no customer %', p_to;
    END IF;
    SELECT balance INTO v_savings FROM savings WHERE customer_id = v_from FOR UPDATE;
    SELECT balance INTO v_checking FROM checking WHERE customer_id = v_from FOR UPDATE;
    UPDATE savings SET balance = 0 WHERE customer_id = v_from;
    UPDATE checking SET balance = 0 WHERE customer_id = v_from;
    UPDATE checking SET balance = balance + v_savings + v_checking WHERE customer_id = v_to;
END
$$;

-- Takes money from the checking account; whoever has less than that in both pays a penalty.
CREATE FUNCTION write_check(p_name text, p_amount numeric) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_id       bigint;
    v_savings  numeric;
    v_checking numeric;
BEGIN
    SELECT customer_id INTO v_id FROM account WHERE name = p_name;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no customer %', p_name;
    END IF;
    SELECT balance INTO v_savings FROM savings WHERE customer_id = v_id;
    SELECT balance INTO v_checking FROM checking WHERE customer_id = v_id;
    IF v_savings + v_checking < p_amount THEN
        UPDATE checking SET balance = balance - (p_amount + 1) WHERE customer_id = v_id;
    ELSE
        UPDATE checking SET balance = balance - p_amount WHERE customer_id = v_id;
    END IF;
END
$$;
