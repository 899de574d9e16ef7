-- Seats in a theatre: held for a while, then booked.

CREATE TYPE seat_state AS ENUM ('free', 'held', 'booked');

CREATE TABLE performance (
    id    bigint PRIMARY KEY,
    limit_per_customer int NOT NULL DEFAULT 2
);

CREATE TABLE seat (
    performance_id bigint REFERENCES performance (id),
    number         int,
    state          seat_state NOT NULL DEFAULT 'free',
    customer_id    bigint,
    PRIMARY KEY (performance_id, number),
    CONSTRAINT free_seats_are_nobodys CHECK ((state = 'free') = (customer_id IS NULL))
);

INSERT INTO performance (id) VALUES (1);
INSERT INTO seat (performance_id, number) VALUES (1, 1), (1, 2), (1, 3);

-- The seat is free or not when it is taken. How many seats the customer has is counted before:
-- two requests of the same customer may both find one place left.
CREATE FUNCTION hold_seat(p_performance bigint, p_number int, p_customer bigint)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    v_count int;
    v_limit int;
BEGIN
    SELECT count(*) INTO v_count
    FROM seat AS s WHERE s.performance_id = p_performance AND s.customer_id = p_customer;
    SELECT limit_per_customer INTO v_limit FROM performance WHERE id = p_performance;
    IF v_count >= v_limit THEN
        RAISE EXCEPTION 'customer % has % seats', p_customer, v_count;
    END IF;
    UPDATE seat SET state = 'held', customer_id = p_customer
    WHERE performance_id = p_performance AND number = p_number AND state = 'free';
    RETURN FOUND;
END
$$;

-- Books everything that a customer holds; says how many seats.
CREATE FUNCTION book(p_performance bigint, p_customer bigint) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    v_count int;
BEGIN
    UPDATE seat SET state = 'booked'
    WHERE performance_id = p_performance AND customer_id = p_customer AND state = 'held';
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END
$$;

CREATE FUNCTION release_seat(p_performance bigint, p_number int, p_customer bigint)
RETURNS void LANGUAGE sql AS $$
    UPDATE seat SET state = 'free', customer_id = NULL
    WHERE performance_id = p_performance AND number = p_number
      AND customer_id = p_customer AND state = 'held';
$$;

CREATE FUNCTION free_seats(p_performance bigint) RETURNS SETOF int LANGUAGE sql STABLE AS $$
    SELECT number FROM seat WHERE performance_id = p_performance AND state = 'free'
    ORDER BY number;
$$;
