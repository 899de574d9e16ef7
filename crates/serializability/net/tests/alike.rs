//! What nobody can tell apart is one.

use ser_base::Limits;
use ser_model::ProgramModel;
use ser_net::find_alike;

fn alike(text: &str) -> Option<usize> {
    let limits = Limits::default();
    let program = ser_syntax::parse(text).program;
    let model = ProgramModel::new(&program, text, &limits).expect("a program");
    let found = find_alike(model.system(), &limits).expect("small")?;
    let mut globals = found.globals;
    globals.sort_unstable();
    globals.dedup();
    Some(globals.len())
}

#[test]
fn requests_that_differ_by_a_name_are_one() {
    let requests = |text: &str| {
        let limits = Limits::default();
        let program = ser_syntax::parse(text).program;
        let model = ProgramModel::new(&program, text, &limits).expect("a program");
        let found = find_alike(model.system(), &limits).expect("small");
        found.map(|alike| alike.quotient(model.system()).spawns().len())
    };
    let (add, get) = ("{ x := X; yield; X := 1 - x; x }", "request get { X }");
    let table = [
        (format!("request a {add} request b {add} {get}"), Some(2)),
        (format!("request a {add} request b {{ yield; 0 }} {get}"), None),
        (format!("request a(v in 0..3) {add} {get}"), Some(2)),
        ("request set(v in 0..3) { X := v; yield; 0 } request get { X }".into(), None),
    ];
    for (text, expected) in table {
        assert_eq!(requests(&text), expected, "{text}");
    }
}

#[test]
fn what_nobody_sees_makes_no_difference() {
    // (program, how many global states are left if some are alike)
    let table = [
        ("request hit(v in 1..3) { x := X; yield; X := 1 - x; v }", Some(1)),
        ("request hit(v in 1..3) { x := X; yield; X := 1 - x; v } request see { X }", None),
        // Seen through another variable.
        ("request hit { x := X; yield; X := 1 - x; Y := x; 0 } request see { Y }", None),
        // Only whether it is zero.
        ("request hit { if (X < 4) { X := X + 1 }; 0 } request see { X == 0 }", Some(2)),
        ("request one { 1 }", None),
    ];
    for (text, expected) in table {
        assert_eq!(alike(text), expected, "{text}");
    }
}
