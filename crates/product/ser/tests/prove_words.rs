//! What `ser prove` and its neighbours say and write, as new users met it: each test is something
//! that was wrong, unclear or lost.

use crate::common::{Output, file, folder, ser, ser_with, text};
use serde_json::{Value, json};

/// What is printed, on one line.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn prove(content: &str) -> Output {
    ser_with(&["prove", "--color", "never", "-"], content.as_bytes(), &[])
}

fn object(content: &str) -> Value {
    let output = ser_with(&["prove", "--format", "json", "-"], content.as_bytes(), &[]);
    serde_json::from_str(output.stdout.trim()).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

/// A ticket lock with nothing but its goal.
const GOAL: &str = "\
var avail: int = 0; var serving: int = 0;
set Threads  process thread for self in Threads {
    var ticket: int = 0;
    loop {
        skip;
        take: atomic { ticket := avail; avail := avail + 1; }
        wait: await serving == ticket;
        skip;
        leave: serving := serving + 1;
    }
}
invariant mutex(i, j): i != j -> !(at(i, leave) && at(j, leave));
";

#[test]
fn a_file_that_somebody_has_gone_on_with_is_not_overwritten() {
    let folder = folder("words-start-proof");
    let program = file(&folder, "a.ser", "request r { X := 1; yield; X }");
    let target = folder.join("a_proof.ser");
    let start = || ser(&["check", "--start-proof", &text(&target), &program]);
    let first = start();
    assert!(first.stderr.contains("a_proof.ser is written; go on with `ser prove "), "{first:?}");
    let again = start();
    assert_eq!(again.code, first.code, "{again:?}");
    assert!(again.stderr.contains("already exists, with the same content"), "{again:?}");
    let edited = std::fs::read_to_string(&target).expect("the file") + "invariant x: true;\n";
    std::fs::write(&target, &edited).expect("written");
    let refused = start();
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("is not overwritten"), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&target).expect("the file"), edited);
    let watched = ser(&["check", "--watch", "--start-proof", &text(&target), &program]);
    assert_eq!(watched.code, Some(2), "{watched:?}");
}

#[test]
fn scripts_of_several_files_do_not_overwrite_each_other() {
    let folder = folder("words-smtlib");
    let content = "var x: int = 0;\nset Threads  process thread for self in Threads { a: x := x + 1; }\ninvariant low: x >= 0;\n";
    let (one, two) = (file(&folder, "one.ser", content), file(&folder, "two.ser", content));
    let scripts = folder.join("scripts");
    let output = ser(&["prove", "--smtlib", &text(&scripts), &one, &two]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let inside = std::fs::read_dir(&scripts).expect("a folder");
    let mut inside: Vec<_> = inside.map(|it| it.expect("an entry").path()).collect();
    inside.sort();
    let names = inside.iter().map(|path| text(path));
    assert!(names.zip(["one.ser.smt2", "two.ser.smt2"]).all(|(name, end)| name.ends_with(end)));
    assert_eq!(inside.len(), 2);
    for path in inside {
        let script = std::fs::read_to_string(path).expect("a script");
        assert!(script.starts_with("(reset)\n(echo \"low_0001\")"), "{script}");
        assert!(script.ends_with("(check-sat)\n"), "{script}");
    }
    let own = ser(&["prove", "--smtlib", &one, &one]);
    assert_eq!(own.code, Some(2), "{own:?}");
    assert_eq!(std::fs::read_to_string(&one).expect("the file"), content);
}

#[test]
fn a_solver_is_named_behind_an_equals_sign_or_by_its_own_option() {
    let folder = folder("words-solver");
    let content = "var x: int = 0;\nset Threads  process thread for self in Threads { a: x := x + 1; }\ninvariant low: x >= 0;\n";
    let path = file(&folder, "low.ser", content);
    for args in [&["--cross-check=no-such-solver"][..], &["--cross-check", "--solver", "no-such"]] {
        let output = ser(&[&["prove"], args, &[&path]].concat());
        assert_eq!(output.code, Some(2), "{output:?}");
        assert!(output.stderr.contains("no SMT solver was found"), "{output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
    }
    let two = ser(&["prove", "--cross-check=z3", "--solver", "cvc5", &path]);
    assert_eq!(two.code, Some(2), "{two:?}");
    assert!(two.stderr.contains("name two solvers"), "{two:?}");
}

#[test]
fn that_no_step_is_an_error_is_something_to_prove() {
    let output =
        prove("set Threads  process thread for self in Threads { a: skip; b: assert false; }");
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(!output.stderr.contains("warning"), "{output:?}");
    let nothing = prove("set Threads  process thread for self in Threads { a: skip; }");
    assert!(nothing.stderr.contains("there is nothing to prove"), "{nothing:?}");
    assert!(!nothing.stderr.contains("warning"), "said once: {nothing:?}");
}

#[test]
fn what_is_proposed_to_begin_with_is_not_refuted_at_once() {
    let folder = folder("words-proposals");
    let tickets = "request enter {
    ticket := Next;
    Next := ticket + 1;
    while (Serving != ticket) { yield };
    Inside := 1;
    yield;
    Inside := 0;
    Serving := ticket + 1
}
";
    let log = "request log {
    x := Count;
    yield;
    Count := x + 1;
    while (Lock == 1) { yield };
    Lock := 1;
    yield;
    Lock := 0;
    x
}
request down { N := N - 1 }
";
    for (name, program, place) in [("tickets", tickets, "enter.line_6"), ("log", log, "log.line_7")]
    {
        let path = file(&folder, &format!("{name}.ser"), program);
        let start = text(&folder.join(format!("{name}_proof.ser")));
        ser(&["check", "--max-states", "500", "--start-proof", &start, &path]);
        let content = std::fs::read_to_string(&start).expect("the file");
        assert!(content.contains(&format!("// invariant alone(i, j): i != j -> !(at(i, {place})")));
        assert!(!content.contains("0 <= N;"), "{content}");
        let claimed = content.replace("// invariant", "invariant");
        let output = prove(&claimed);
        assert!(matches!(output.code, Some(0 | 4)), "{output:?}");
    }
}

#[test]
fn of_a_closed_system_whose_states_were_all_seen_nothing_larger_is_said() {
    let closed = "var n: int = 0;
        set Threads == 2  process thread for self in Threads { a: n := n + 1; b: skip; } invariant k: n <= 2;";
    let output = prove(closed);
    assert_eq!(output.code, Some(4), "{output:?}");
    let told = words(&output.stdout);
    assert!(told.contains("(all 6 states looked at). But that is no proof"), "{told}");
    assert!(!told.contains("more threads") && !told.contains("larger values"), "{told}");
    let open = words(&prove(&closed.replace("set Threads == 2", "set Threads")).stdout);
    assert!(open.contains("violated"), "{open}");
}

#[test]
fn a_program_that_cannot_start_says_so_first() {
    let output = prove(
        "var x: int = 0; assume false; set Threads  process thread for self in Threads { a: skip; } invariant zero: x == 0;",
    );
    assert_eq!(output.code, Some(3), "{output:?}");
    let lines: Vec<&str> = output.stdout.lines().filter(|it| !it.is_empty()).collect();
    assert!(lines[1].contains("There is no state in which the program can start"), "{output:?}");
    assert!(!output.stdout.contains("proved") && !output.stdout.contains("Checked"), "{output:?}");
    assert!(!output.stderr.contains("comes to"), "{output:?}");
}

#[test]
fn an_invariant_about_nobody_is_broken_by_some_thread() {
    let content = "var x: int = 0;\nset Threads  process thread for self in Threads { a: x := x + 1; }\ninvariant small: x <= 7;\n";
    let output = prove(content);
    assert!(output.stdout.contains("a step of some thread may break `small`"), "{output:?}");
    assert!(!output.stdout.contains("another thread"), "{output:?}");
    let conditions =
        ser_with(&["prove", "--conditions", "--color", "never", "-"], content.as_bytes(), &[]);
    let told = words(&conditions.stdout);
    assert!(told.contains("premise line statement shown by with start"), "{told}");
    assert!(told.contains(" any 2 a: x := x + 1 FAILS any 2 end of `thread` "), "{told}");
}

/// Threads that are meant in values only.
const QUEUE: &str = "\
var last: Threads = nobody;
set Threads  process thread for self in Threads {
    var p: Threads = nobody;
    a: atomic { p := last; last := self; }
    b: skip;
}
invariant un(i, j): i != j && at(i, b) && at(j, b) -> p[i] != p[j];
";

#[test]
fn threads_that_only_values_mention_have_names() {
    let output = prove(QUEUE);
    assert!(!output.stdout.contains("= somebody else"), "{output:?}");
    assert!(output.stdout.contains("is somebody else, wherever"), "{output:?}");
    let told = object(QUEUE);
    let model = &told["counter_models"][0];
    let others = model["others"].as_array().expect("a list");
    assert!(!others.is_empty(), "{model:#}");
    let value = |name: &str| {
        let all = model["values"].as_array().expect("values");
        let found = all.iter().find(|it| it["name"] == json!(name)).expect("a value");
        found["before"].clone()
    };
    // That these are the same is why it breaks.
    assert_eq!(value("last"), value("p[j]"), "{model:#}");
    assert!(others.contains(&value("last")), "{model:#}");
}

#[test]
fn an_anchor_is_not_its_own_value() {
    let output = prove(
        "var leader: Threads;
         var x: int = 0;
         set Threads  process thread for self in Threads { a: x := x + 1; b: skip; }
         invariant led: at(leader, b) -> x == 7;",
    );
    assert!(!output.stdout.contains("leader = leader"), "{output:?}");
}

#[test]
fn one_thread_in_two_roles_has_one_name() {
    let content = "var value: int = 0;
set Threads  process thread for self in Threads {
    var mine: int = 1;
    set: value := choose(int) where value != 0;
    fetch: mine := value;
    have: skip;
}
invariant same(i, j): at(i, have) && at(j, have) -> mine[i] == mine[j] + 0 && mine[i] != 0;
";
    // Without the order of steps: what is kept for `i` and `j` alike.
    let content = content.replace("set: value := choose(int) where value != 0;\n", "");
    let output = prove(&content.replace("value: int = 0", "value: int"));
    let told = words(&output.stdout);
    assert!(!told.contains("[i = j]") && !told.contains("`i = j`"), "{told}");
    let model = object(
        "var v: int = 1;
         set Threads  process thread for self in Threads { var m: int = 1; f: m := v; h: skip; }
         invariant same(i, j): at(i, h) && at(j, h) -> m[i] != 0 && m[j] != 0;",
    );
    let model = &model["counter_models"][0];
    assert_eq!(model["threads"][0]["name"], json!("i"), "{model:#}");
    let same = model["threads"][0]["also"] == json!(["j"]);
    let message = model["message"].as_str().expect("words");
    assert_eq!(message.contains("if `i` and `j` are the same thread"), same, "{model:#}");
}

#[test]
fn the_same_step_is_told_once() {
    let output = prove(
        "var v: int = 1;
         set Threads  process thread for self in Threads { var m: int = 1; f: m := v; h: skip; }
         invariant same(i, j): at(i, h) && at(j, h) -> m[i] + m[j] != 0;",
    );
    assert!(!output.stdout.contains("The same step of `i`"), "{output:?}");
}

#[test]
fn only_the_part_that_fails_is_told() {
    let content = "var x: int = 0; var y: int = 0;
set Threads  process thread for self in Threads { a: x := x + 1; b: y := y + 1; }
invariant both: x >= 0 && (x == 0 -> y == 0 && x == 0);
";
    let output = prove(content);
    let told = words(&output.stdout);
    let part = "then this part of `both` does not hold: x == 0 -> y == 0";
    assert!(told.contains(part), "{told}");
    let model = &object(content)["counter_models"][0];
    assert_eq!(model["broken"][0]["parts"], json!(["x == 0 -> y == 0"]), "{model:#}");
}

#[test]
fn the_part_that_a_run_violates_is_told() {
    let content = "var x: int = 0; var y: int = 0;
set Threads  process thread for self in Threads { a: x := x + 1; b: y := y + 1; }
invariant both: x >= 0 && y < 1;
";
    let told = words(&prove(content).stdout);
    assert!(told.contains("- `both` does not hold: this part of it does not: `y < 1`"), "{told}");
    let object = object(content);
    assert_eq!(object["counterexample"]["end"]["parts"], json!(["y < 1"]), "{object:#}");
    let two = words(&prove(&content.replace("x >= 0 && y < 1", "x + y < 2 && y < 1")).stdout);
    let parts = "- `both` does not hold: these parts of it do not: `x + y < 2` and `y < 1`";
    assert!(two.contains(parts), "{two}");
}

#[test]
fn a_draft_excludes_the_state_and_can_be_pasted() {
    let goal = GOAL.replace("        skip;\n", "");
    let output = prove(&goal);
    let told = words(&output.stdout);
    assert!(told.contains("A draft that excludes this state"), "{told}");
    let object = object(&goal);
    let models = object["counter_models"].as_array().expect("states");
    let drafts: Vec<&Value> =
        models.iter().map(|it| &it["draft"]).filter(|it| !it.is_null()).collect();
    assert!(!drafts.is_empty(), "{object:#}");
    for draft in drafts {
        let line = draft["text"].as_str().expect("a line");
        assert_eq!(draft["names"], json!([]), "{draft:#}");
        assert!(line.starts_with("invariant todo") && told.contains(line), "{line}\n{told}");
        let output = prove(&format!("{goal}{line}\n"));
        // The first step that failed is through: something else is in the way now.
        assert!(matches!(output.code, Some(0 | 4)), "{output:?}");
        let first = words(&output.stdout);
        assert!(!first.contains("`mutex` does not hold"), "{first}");
    }
}

#[test]
fn a_draft_says_which_statement_has_to_be_named() {
    let content = GOAL.replace("wait: ", "").replace("leave: ", "");
    let content = content.replace(
        "        skip;\n        serving := serving + 1;\n",
        "        crit: { skip; serving := serving + 1; }\n",
    );
    let content = content.replace("at(i, leave) && at(j, leave)", "at(i, crit) && at(j, crit)");
    let object = object(&content);
    let models = object["counter_models"].as_array().expect("states");
    let draft = &models[0]["draft"];
    let names = draft["names"].as_array().expect("names");
    assert!(!names.is_empty(), "{object:#}");
    assert!(names.iter().all(|it| {
        draft["text"]
            .as_str()
            .is_some_and(|text| it["name"].as_str().is_some_and(|name| text.contains(name)))
    }));
    let told = words(&prove(&content).stdout);
    assert!(told.contains("has to be named: `line_"), "{told}");
}

#[test]
fn a_number_that_counts_threads_is_pointed_out() {
    let content = "var free: int = 3;
set Threads  process thread for self in Threads {
    loop {
        get: atomic { await free > 0; free := free - 1; }
        put: free := free + 1;
    }
}
invariant bound: free >= 0 && free <= 3;
";
    let told = words(&prove(content).stdout);
    assert!(told.contains("formulas cannot count them: keep a `set of Threads` instead"), "{told}");
    let tickets = words(&prove(GOAL).stdout);
    assert!(!tickets.contains("count them"), "{tickets}");
}

#[test]
fn mistakes_are_told_with_the_names_of_the_file() {
    let typed = prove("int x = 0;\nthread { x := 1; }\n");
    assert_eq!(typed.code, Some(2), "{typed:?}");
    assert!(typed.stderr.contains("shared variables are declared with `var`"), "{typed:?}");
    let thread = prove("thread { x := 1; }\n");
    assert!(thread.stderr.contains("`process thread for self in Threads { ... }`"), "{thread:?}");
    let local = prove("set Threads  process thread for self in Threads { int z; }\n");
    assert!(local.stderr.contains("to say which values it takes, write `var x: "), "{local:?}");
    let unknown =
        prove("var x: int = 0;\nset Threads  process thread for self in Threads { x := y; }\n");
    assert!(unknown.stderr.contains("`var y: int`"), "{unknown:?}");
    assert!(!unknown.stderr.contains("`var x: int`"), "{unknown:?}");
}

#[test]
fn a_certificate_says_what_it_claims_and_what_it_was_compared_with() {
    let folder = folder("words-verify");
    let content = "var x: int = 0;\nset Threads  process thread for self in Threads { a: x := x + 1; }\ninvariant low: x >= 0;\n";
    let path = file(&folder, "low.ser", content);
    let certificate = text(&folder.join("c.json"));
    ser(&["prove", "--certificate", &certificate, &path]);
    let alone = ser(&["verify", &certificate]);
    assert!(alone.stdout.contains("\n  low: x >= 0\n"), "{alone:?}");
    let compared = ser(&["verify", "--source", &path, &certificate]);
    assert_eq!((compared.code, &compared.stdout), (Some(0), &alone.stdout), "{compared:?}");
    let whole = std::fs::read_to_string(&certificate).expect("the certificate");
    let touched = whole.replace("low: x >= 0", "low: true");
    assert_ne!(touched, whole);
    let touched = ser(&["verify", &file(&folder, "t.json", touched)]);
    assert_eq!(touched.code, Some(1), "{touched:?}");
    assert!(touched.stdout.contains("another source (the texts differ)"), "{touched:?}");
    assert!(!touched.stdout.contains("x >= 0"), "{touched:?}");
    // It is always compared with a file, and that has to be there.
    let moved = text(&folder.join("moved.ser"));
    std::fs::rename(&path, &moved).expect("another name");
    let missing = ser(&["verify", &certificate]);
    assert_eq!(missing.code, Some(2), "{missing:?}");
    assert!(missing.stderr.contains("low.ser is not here; name it with --source FILE"));
    let named = ser(&["verify", "--source", &moved, &certificate]);
    assert_eq!((named.code, &named.stdout), (Some(0), &alone.stdout), "{named:?}");
    std::fs::write(&moved, content.replace(">= 0", ">= 1")).expect("another text");
    let other = ser(&["verify", "--source", &moved, &certificate]);
    assert_eq!(other.code, Some(1), "{other:?}");
    assert!(other.stdout.contains("the digests differ"), "{other:?}");
}

#[test]
fn what_is_no_certificate_is_told_in_plain_words() {
    let folder = folder("words-no-certificate");
    for (content, part) in [
        ("null", "it is `null`, not an object"),
        ("[1]", "it is a list, not an object"),
        ("{\"format\": \"x\"}", "its format is not `ser-certificate`"),
        ("{\"format\": \"ser-invar", "it is not JSON (line 1, column "),
        ("{\"format\": \"ser-invariance\", \"version\": 1}", "version 1 of its format"),
        ("{\"format\": \"ser-certificate\", \"version\": 2}", "missing field `kind`"),
    ] {
        let output = ser(&["verify", &file(&folder, "c.json", content)]);
        assert_eq!(output.code, Some(2), "{output:?}");
        assert!(output.stderr.contains(part), "{output:?}");
        assert!(!output.stderr.contains("struct "), "{output:?}");
        assert!(output.stderr.matches("line 1").count() <= 1, "{output:?}");
    }
}

#[test]
fn graphs_in_formats_that_are_not_drawn_are_refused() {
    let folder = folder("words-graph");
    let path = file(&folder, "goal.ser", GOAL);
    let target = folder.join("x.png");
    let output = ser(&["prove", "--graph", &text(&target), &path]);
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(output.stderr.contains("not drawn as .png"), "{output:?}");
    assert!(!target.exists());
}

#[test]
fn names_that_the_search_has_given_to_places_come_with_their_lines() {
    let output = ser_with(&["prove", "--infer", "--color", "never", "-"], GOAL.as_bytes(), &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let told = words(&output.stdout);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let added = output.stdout.split("In this, ").next().expect("what was found");
    let new = added.split(|c| !is_word(c)).filter(|it| {
        it.strip_prefix("at").is_some_and(|it| !it.is_empty() && it.parse::<u32>().is_ok())
    });
    for name in new {
        assert!(told.contains(&format!("`{name}` is line ")), "{name}: {told}");
    }
}

#[test]
fn the_test_of_an_endless_loop_has_words_of_its_own() {
    let output =
        ser_with(&["prove", "--conditions", "--color", "never", "-"], GOAL.as_bytes(), &[]);
    assert!(output.stdout.contains("loop (goes in)"), "{output:?}");
    assert!(output.stdout.contains("loop (never)"), "{output:?}");
    assert!(!output.stdout.contains("(does not)"), "{output:?}");
}

#[test]
fn programs_that_take_too_long_are_pointed_to_ser_prove() {
    let folder = folder("words-too-long");
    let program = file(
        &folder,
        "a.ser",
        "request r(a in 0..9, b in 0..9) { X := X + a; yield; Y := Y * 3 + b; yield; X + Y }",
    );
    let output = ser(&["check", "--timeout", "0.000001", &program]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert!(words(&output.stdout).contains("writes a file for `ser prove`"), "{output:?}");
}

/// Hand over hand through a list, with an invariant that is not kept.
#[cfg(target_os = "linux")]
const HANDS: &str = "\
var head: addr;
assume head != null && reach(head, null);
set Threads  process thread for self in Threads {
    var p: addr = null; var c: addr = null;
    loop {
        p := head;
        lockp: lock p;
        first: c := p.next;
        walk: while c != null {
            lockc: lock c;
            rel: unlock p;
            mv: p := c;
            adv: c := p.next;
        }
        last: unlock p;
    }
}
invariant hd: head != null;
invariant pnn(i): at(i, lockp..last) -> p[i] != null;
invariant cnn(i): at(i, lockc..adv) -> c[i] != null;
invariant own(i): at(i, first..rel, last, adv) -> p[i].lockid == i;
";

#[cfg(target_os = "linux")]
#[test]
fn who_interrupts_is_not_told_to_raise_limits_and_sees_what_is_known() {
    use rustix::process::{Pid, Signal, kill_process};
    use std::process::{Command, Stdio};
    use std::time::Duration;
    let folder = folder("words-interrupt");
    let path = file(&folder, "hands.ser", HANDS);
    let mut all = Vec::new();
    // The proof takes a moment, and small instances some seconds. Machines are sometimes busy.
    for (signal, milliseconds) in
        [(Signal::INT, 500), (Signal::TERM, 1_000), (Signal::INT, 2_000), (Signal::INT, 4_000)]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ser"));
        command.args(["prove", "--threads", "8", "--color", "never", &path]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = command.spawn().expect("the binary starts");
        std::thread::sleep(Duration::from_millis(milliseconds));
        if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, signal);
        }
        let output = child.wait_with_output().expect("an end");
        let told = words(&String::from_utf8_lossy(&output.stdout));
        assert!(!told.contains("raise --timeout"), "{told}");
        let is_known = told.contains("There is no answer yet; interrupted.")
            && told.contains("may break `own`");
        if is_known {
            return;
        }
        all.push(told);
    }
    panic!("{all:#?}");
}
