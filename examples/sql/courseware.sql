-- A university: students register for courses that have a limited number of places, and courses are
-- only offered as long as somebody is interested. (After the courseware application in the
-- literature on weak consistency: Gotsman, Yang, Ferreira, Najafzadeh and Shapiro, 2016.)

CREATE TABLE student (
    id   bigint PRIMARY KEY,
    name text NOT NULL
);

CREATE TABLE course (
    id       bigint PRIMARY KEY,
    capacity int NOT NULL CHECK (capacity >= 0),
    is_open  boolean NOT NULL DEFAULT true
);

CREATE TABLE enrolment (
    student_id bigint REFERENCES student (id) ON DELETE CASCADE,
    course_id  bigint REFERENCES course (id),
    PRIMARY KEY (student_id, course_id)
);

INSERT INTO student (id, name) VALUES (1, 'ada'), (2, 'bo');
INSERT INTO course (id, capacity) VALUES (1, 1);

CREATE FUNCTION add_course(p_course bigint, p_capacity int) RETURNS void LANGUAGE sql AS $$
    INSERT INTO course (id, capacity) VALUES (p_course, p_capacity);
$$;

CREATE FUNCTION register(p_student bigint, p_name text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO student (id, name) VALUES (p_student, p_name)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name;
$$;

-- There are never more students than places: unless two count at the same time.
CREATE FUNCTION enrol(p_student bigint, p_course bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_course course%ROWTYPE;
    v_taken  int;
BEGIN
    SELECT * INTO STRICT v_course FROM course WHERE id = p_course;
    SELECT count(*) INTO v_taken FROM enrolment AS e WHERE e.course_id = p_course;
    IF NOT v_course.is_open OR v_taken >= v_course.capacity THEN
        RAISE EXCEPTION 'course % has no place', p_course;
    END IF;
    INSERT INTO enrolment (student_id, course_id) VALUES (p_student, p_course);
END
$$;

-- A course that nobody takes can be closed: unless somebody enrols at the same time.
CREATE FUNCTION close_course(p_course bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM enrolment AS e WHERE e.course_id = p_course) THEN
        RAISE EXCEPTION 'course % has students', p_course;
    END IF;
    UPDATE course SET is_open = false WHERE id = p_course;
END
$$;

CREATE FUNCTION leave_university(p_student bigint) RETURNS void LANGUAGE sql AS $$
    DELETE FROM student WHERE id = p_student;
$$;

CREATE FUNCTION courses_of(p_student bigint) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT e.course_id
    FROM enrolment AS e JOIN course AS c ON c.id = e.course_id
    WHERE e.student_id = p_student AND c.is_open
    ORDER BY e.course_id;
$$;
