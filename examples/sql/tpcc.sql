-- TPC-C: a wholesale supplier, with the five transactions of the benchmark's specification.
--
-- Every order has two lines here, in place of five to fifteen. Columns that nobody looks at,
-- such as addresses, are left out.

CREATE TABLE warehouse (
    w_id   int PRIMARY KEY,
    w_name varchar(10) NOT NULL,
    w_tax  numeric(4, 4) NOT NULL,
    w_ytd  numeric(12, 2) NOT NULL
);

CREATE TABLE district (
    d_w_id      int REFERENCES warehouse (w_id),
    d_id        int,
    d_name      varchar(10) NOT NULL,
    d_tax       numeric(4, 4) NOT NULL,
    d_ytd       numeric(12, 2) NOT NULL,
    d_next_o_id int NOT NULL,
    PRIMARY KEY (d_w_id, d_id)
);

CREATE TABLE customer (
    c_w_id         int,
    c_d_id         int,
    c_id           int,
    c_first        varchar(16) NOT NULL,
    c_last         varchar(16) NOT NULL,
    c_credit       char(2) NOT NULL,
    c_discount     numeric(4, 4) NOT NULL,
    c_balance      numeric(12, 2) NOT NULL,
    c_ytd_payment  numeric(12, 2) NOT NULL,
    c_payment_cnt  int NOT NULL,
    c_delivery_cnt int NOT NULL,
    c_data         text NOT NULL,
    PRIMARY KEY (c_w_id, c_d_id, c_id),
    FOREIGN KEY (c_w_id, c_d_id) REFERENCES district (d_w_id, d_id)
);

CREATE INDEX customer_by_name ON customer (c_w_id, c_d_id, c_last, c_first);

CREATE TABLE history (
    h_c_w_id int NOT NULL,
    h_c_d_id int NOT NULL,
    h_c_id   int NOT NULL,
    h_w_id   int NOT NULL,
    h_d_id   int NOT NULL,
    h_date   timestamp NOT NULL,
    h_amount numeric(6, 2) NOT NULL,
    h_data   varchar(24) NOT NULL
);

CREATE TABLE item (
    i_id    int PRIMARY KEY,
    i_name  varchar(24) NOT NULL,
    i_price numeric(5, 2) NOT NULL
);

CREATE TABLE stock (
    s_w_id       int REFERENCES warehouse (w_id),
    s_i_id       int REFERENCES item (i_id),
    s_quantity   int NOT NULL,
    s_ytd        int NOT NULL,
    s_order_cnt  int NOT NULL,
    s_remote_cnt int NOT NULL,
    PRIMARY KEY (s_w_id, s_i_id)
);

CREATE TABLE orders (
    o_w_id       int,
    o_d_id       int,
    o_id         int,
    o_c_id       int NOT NULL,
    o_entry_d    timestamp NOT NULL,
    o_carrier_id int,
    o_ol_cnt     int NOT NULL,
    o_all_local  boolean NOT NULL,
    PRIMARY KEY (o_w_id, o_d_id, o_id),
    FOREIGN KEY (o_w_id, o_d_id, o_c_id) REFERENCES customer (c_w_id, c_d_id, c_id)
);

CREATE TABLE new_order (
    no_w_id int,
    no_d_id int,
    no_o_id int,
    PRIMARY KEY (no_w_id, no_d_id, no_o_id),
    FOREIGN KEY (no_w_id, no_d_id, no_o_id) REFERENCES orders (o_w_id, o_d_id, o_id)
);

CREATE TABLE order_line (
    ol_w_id        int,
    ol_d_id        int,
    ol_o_id        int,
    ol_number      int,
    ol_i_id        int NOT NULL,
    ol_supply_w_id int NOT NULL,
    ol_delivery_d  timestamp,
    ol_quantity    int NOT NULL,
    ol_amount      numeric(6, 2) NOT NULL,
    PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number),
    FOREIGN KEY (ol_w_id, ol_d_id, ol_o_id) REFERENCES orders (o_w_id, o_d_id, o_id),
    FOREIGN KEY (ol_supply_w_id, ol_i_id) REFERENCES stock (s_w_id, s_i_id)
);

INSERT INTO warehouse VALUES (1, 'north', 0.1, 0);
INSERT INTO district VALUES (1, 1, 'one', 0.1, 0, 1);
INSERT INTO customer VALUES (1, 1, 1, 'Ada', 'BAROUGHT', 'GC', 0.1, 0, 0, 0, 0, '');
INSERT INTO item VALUES (1, 'bolt', 1.50), (2, 'nut', 0.50);
INSERT INTO stock VALUES (1, 1, 20, 0, 0, 0), (1, 2, 20, 0, 0, 0);

-- Puts in an order; says what it costs.
CREATE FUNCTION new_order(
    p_w int, p_d int, p_c int,
    p_item_1 int, p_supplier_1 int, p_quantity_1 int,
    p_item_2 int, p_supplier_2 int, p_quantity_2 int
) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    v_w_tax    numeric;
    v_d_tax    numeric;
    v_discount numeric;
    v_order    int;
    v_item     int;
    v_supplier int;
    v_quantity int;
    v_price    numeric;
    v_stock    int;
    v_total    numeric := 0;
BEGIN
    SELECT w_tax INTO STRICT v_w_tax FROM warehouse WHERE w_id = p_w;
    UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = p_w AND d_id = p_d
        RETURNING d_next_o_id - 1, d_tax INTO STRICT v_order, v_d_tax;
    SELECT c_discount INTO STRICT v_discount
    FROM customer WHERE c_w_id = p_w AND c_d_id = p_d AND c_id = p_c;
    INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)
    VALUES (p_w, p_d, v_order, p_c, now(), 2, p_supplier_1 = p_w AND p_supplier_2 = p_w);
    INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (p_w, p_d, v_order);
    FOR v_line IN 1..2 LOOP
        v_item := CASE v_line WHEN 1 THEN p_item_1 ELSE p_item_2 END;
        v_supplier := CASE v_line WHEN 1 THEN p_supplier_1 ELSE p_supplier_2 END;
        v_quantity := CASE v_line WHEN 1 THEN p_quantity_1 ELSE p_quantity_2 END;
        SELECT i_price INTO v_price FROM item WHERE i_id = v_item;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'there is no item %', v_item;
        END IF;
        SELECT s_quantity INTO STRICT v_stock
        FROM stock WHERE s_w_id = v_supplier AND s_i_id = v_item FOR UPDATE;
        IF v_stock >= v_quantity + 10 THEN
            v_stock := v_stock - v_quantity;
        ELSE
            v_stock := v_stock - v_quantity + 91;
        END IF;
        UPDATE stock
        SET s_quantity = v_stock,
            s_ytd = s_ytd + v_quantity,
            s_order_cnt = s_order_cnt + 1,
            s_remote_cnt = s_remote_cnt + CASE WHEN v_supplier = p_w THEN 0 ELSE 1 END
        WHERE s_w_id = v_supplier AND s_i_id = v_item;
        INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id,
                                ol_quantity, ol_amount)
        VALUES (p_w, p_d, v_order, v_line, v_item, v_supplier, v_quantity, v_quantity * v_price);
        v_total := v_total + v_quantity * v_price;
    END LOOP;
    RETURN v_total * (1 - v_discount) * (1 + v_w_tax + v_d_tax);
END
$$;

-- A customer pays. Who is not known by number is known by name: of several, the one in the middle.
CREATE FUNCTION payment(
    p_w int, p_d int, p_customer_w int, p_customer_d int, p_customer int, p_last text,
    p_amount numeric
) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    v_c       int := p_customer;
    v_w_name  text;
    v_d_name  text;
    v_count   bigint;
    v_balance numeric;
    v_credit  text;
BEGIN
    UPDATE warehouse SET w_ytd = w_ytd + p_amount WHERE w_id = p_w
        RETURNING w_name INTO STRICT v_w_name;
    UPDATE district SET d_ytd = d_ytd + p_amount WHERE d_w_id = p_w AND d_id = p_d
        RETURNING d_name INTO STRICT v_d_name;
    IF v_c IS NULL THEN
        SELECT count(*) INTO v_count FROM customer
        WHERE c_w_id = p_customer_w AND c_d_id = p_customer_d AND c_last = p_last;
        SELECT c_id INTO STRICT v_c FROM customer
        WHERE c_w_id = p_customer_w AND c_d_id = p_customer_d AND c_last = p_last
        ORDER BY c_first, c_id LIMIT 1 OFFSET v_count / 2;
    END IF;
    UPDATE customer
    SET c_balance = c_balance - p_amount,
        c_ytd_payment = c_ytd_payment + p_amount,
        c_payment_cnt = c_payment_cnt + 1
    WHERE c_w_id = p_customer_w AND c_d_id = p_customer_d AND c_id = v_c
    RETURNING c_balance, c_credit INTO STRICT v_balance, v_credit;
    IF v_credit = 'BC' THEN
        UPDATE customer SET c_data = p_amount || ' ' || c_data
        WHERE c_w_id = p_customer_w AND c_d_id = p_customer_d AND c_id = v_c;
    END IF;
    INSERT INTO history (h_c_w_id, h_c_d_id, h_c_id, h_w_id, h_d_id, h_date, h_amount, h_data)
    VALUES (p_customer_w, p_customer_d, v_c, p_w, p_d, now(), p_amount,
            v_w_name || ' ' || v_d_name);
    RETURN v_balance;
END
$$;

-- The lines of a customer's last order.
CREATE FUNCTION order_status(p_w int, p_d int, p_customer int, p_last text)
RETURNS TABLE (item_id int, supplier int, quantity int, amount numeric, delivered timestamp)
LANGUAGE plpgsql AS $$
DECLARE
    v_c     int := p_customer;
    v_count bigint;
    v_order int;
BEGIN
    IF v_c IS NULL THEN
        SELECT count(*) INTO v_count FROM customer
        WHERE c_w_id = p_w AND c_d_id = p_d AND c_last = p_last;
        SELECT c_id INTO STRICT v_c FROM customer
        WHERE c_w_id = p_w AND c_d_id = p_d AND c_last = p_last
        ORDER BY c_first, c_id LIMIT 1 OFFSET v_count / 2;
    END IF;
    SELECT o_id INTO v_order FROM orders
    WHERE o_w_id = p_w AND o_d_id = p_d AND o_c_id = v_c
    ORDER BY o_id DESC LIMIT 1;
    RETURN QUERY
    SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line
    WHERE ol_w_id = p_w AND ol_d_id = p_d AND ol_o_id = v_order
    ORDER BY ol_number;
END
$$;

-- Delivers the oldest order of each district that has one; says how many.
CREATE FUNCTION delivery(p_w int, p_carrier int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    v_order    int;
    v_customer int;
    v_amount   numeric;
    v_count    int := 0;
BEGIN
    FOR v_d IN 1..10 LOOP
        SELECT min(no_o_id) INTO v_order FROM new_order WHERE no_w_id = p_w AND no_d_id = v_d;
        CONTINUE WHEN v_order IS NULL;
        DELETE FROM new_order WHERE no_w_id = p_w AND no_d_id = v_d AND no_o_id = v_order;
        UPDATE orders SET o_carrier_id = p_carrier
        WHERE o_w_id = p_w AND o_d_id = v_d AND o_id = v_order
        RETURNING o_c_id INTO STRICT v_customer;
        UPDATE order_line SET ol_delivery_d = now()
        WHERE ol_w_id = p_w AND ol_d_id = v_d AND ol_o_id = v_order;
        SELECT sum(ol_amount) INTO v_amount FROM order_line
        WHERE ol_w_id = p_w AND ol_d_id = v_d AND ol_o_id = v_order;
        UPDATE customer
        SET c_balance = c_balance + v_amount, c_delivery_cnt = c_delivery_cnt + 1
        WHERE c_w_id = p_w AND c_d_id = v_d AND c_id = v_customer;
        v_count := v_count + 1;
    END LOOP;
    RETURN v_count;
END
$$;

-- How many of the items that were sold last are nearly out of stock.
CREATE FUNCTION stock_level(p_w int, p_d int, p_threshold int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    v_next  int;
    v_count bigint;
BEGIN
    SELECT d_next_o_id INTO STRICT v_next FROM district WHERE d_w_id = p_w AND d_id = p_d;
    SELECT count(DISTINCT s_i_id) INTO v_count
    FROM order_line
    JOIN stock ON s_w_id = ol_w_id AND s_i_id = ol_i_id
    WHERE ol_w_id = p_w AND ol_d_id = p_d
      AND ol_o_id >= v_next - 20 AND ol_o_id < v_next
      AND s_quantity < p_threshold;
    RETURN v_count;
END
$$;
