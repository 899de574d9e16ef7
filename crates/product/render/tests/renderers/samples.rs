//! Reports of all kinds, made by hand.

use ser_draw::{Edge, Graph, Node, Shape};
use ser_report::run::{End, Lane, Run, Stand, Step, StepLine, Value};
use ser_report::{
    Answer, Block, Detail, Finding, Kind, Level, Mark, MarkKind, Method, Picture, Points, Proof,
    Question, Related, Report, Rule, Section, Source, SourceError, Table, Unknown, Violation,
};
use ser_syntax::{Diagnostic, Span};
use std::sync::Arc;
use std::time::Duration;

pub const LOST_UPDATE: &str = "\
// Two increments at the same time: one of them may get lost.
request increment {
    n := Count;
    yield;
    Count := n + 1;
    n + 1
}
";

/// The place of the `nth` occurrence of some words.
pub fn span(text: &str, words: &str, nth: usize) -> Span {
    let start = text.match_indices(words).nth(nth).map_or(0, |(at, _)| at);
    Span::new(start as u32, (start + words.len()) as u32)
}

fn named(list: &[(&str, i64)]) -> Vec<(String, Value)> {
    list.iter().map(|(name, value)| ((*name).to_owned(), Value::Number(*value))).collect()
}

fn line(text: &str, words: &str, note: &str) -> StepLine {
    let span = span(text, words, 0);
    let line = text[..span.start as usize].matches('\n').count() as u32 + 1;
    let notes = if note.is_empty() { Vec::new() } else { vec![note.to_owned()] };
    StepLine { line: line.into(), span, code: words.trim().to_owned(), notes }
}

fn base(file: &str, kind: Kind, text: &str, question: Question, answer: Answer) -> Report {
    let mut report = Report::new(file, question, answer);
    report.source = Some(Arc::new(Source::new(file, kind, text.to_owned())));
    report.timing.total = Duration::from_micros(1600);
    report
}

fn picture() -> Picture {
    let mut graph = Graph::new("system", "Network system");
    let start = graph.add(Node::new("start", "start", Shape::Rounded).marked());
    let end = graph.add(Node::new("end", "r\u{202e}ead", Shape::Rounded));
    graph.edges.push(Edge::new(start, end).labelled("reads Count"));
    Picture {
        title: "Network system".into(),
        about: "What one request does.".into(),
        graph,
        shown: 2,
        all: 5,
        noun: "local state".into(),
    }
}

/// A run of two requests that read the same value.
pub fn interleaving() -> Run {
    let text = LOST_UPDATE;
    let reads = |lane| Step {
        lane,
        arrives: true,
        lines: vec![line(text, "n := Count;", "Count is 0")],
        reads: named(&[("Count", 0)]),
        stands: Some(Stand {
            next: Some(span(text, "Count := n + 1", 0)),
            locals: named(&[("n", 0)]),
        }),
        pauses_at: Some(span(text, "yield", 0)),
        after: vec![Value::Number(0)],
        ..Step::default()
    };
    let writes = |lane, meanwhile| Step {
        lane,
        lines: vec![line(text, "Count := n + 1;", "Count is 1"), line(text, "n + 1\n", "")],
        writes: named(&[("Count", 1)]),
        meanwhile,
        end: Some(End::Responds("1".into())),
        after: vec![Value::Number(1)],
        ..Step::default()
    };
    let changed = vec![("Count".to_owned(), Value::Number(0), Value::Number(1))];
    let lane = |name: &str| Lane { name: name.into(), label: "increment".into() };
    Run {
        title: "The interleaving".into(),
        lanes: vec![lane("#1 increment"), lane("#2 increment")],
        columns: vec!["Count".into()],
        start: vec![Value::Number(0)],
        steps: vec![reads(0), reads(1), writes(0, Vec::new()), writes(1, changed)],
        ends: Vec::new(),
    }
}

/// Not serializable, with all that can be told about it.
pub fn counterexample() -> Report {
    let checked = Some("a run of 2 requests whose responses no serial order gives".into());
    let answer = Answer::Violated(Violation { runs: vec![interleaving()], checked });
    let question = Question::of(Method::Serializability);
    let mut report = base("a b/lost_update.ser", Kind::Program, LOST_UPDATE, question, answer);
    report.meaning = "2 requests can end with responses that no serial order gives.".into();
    let order = "#1 reads `Count` on line 3 before #2 writes it on line 5".to_owned();
    report.sections = vec![
        Section::of([
            Block::Text(report.meaning.replace('.', ":")),
            Block::Emphasis(vec!["increment responds 1 (2 times)".into()]),
            Block::Text("One after the other, the closest is:".into()),
            Block::Quote(vec!["increment responds 1, then increment responds 2".into()]),
            Block::Text(
                "The interleaving: 2 requests (the fewest possible), 4 steps, 3 context switches."
                    .into(),
            ),
            Block::Run(0),
        ]),
        Section::titled(
            "No serial order keeps these conflicts:",
            [
                Block::Cycle(vec![(0, "Count".into()), (1, "Count".into())]),
                Block::points(vec![order.clone(), "#2 reads `Count` before #1 writes it".into()]),
            ],
        ),
        Section::titled(
            "The yield points that let it happen:",
            [
                Block::points(vec!["the `yield` on line 4 of `increment`".into()]),
                Block::Help("`ser repair lost_update.ser` looks for changes that help".into()),
            ],
        ),
        Section::titled("Pictures", [Block::Picture(Box::new(picture()))])
            .with_detail(Detail::Page),
    ];
    let blamed = span(LOST_UPDATE, "yield", 0);
    report.marks = vec![Mark {
        span: blamed,
        kind: MarkKind::Blamed,
        label: "races with line 8 (Count)".into(),
        words: "Meanwhile other requests write Count.".into(),
    }];
    report.findings = vec![Finding {
        rule: Rule::NotSerializable,
        level: Level::Error,
        message: "not serializable: no serial order gives these responses".into(),
        span: Some(blamed),
        related: vec![Related { span: span(LOST_UPDATE, "Count", 0), message: order }],
        run: Some(0),
        identity: vec!["increment responds 1 (2 times)".into()],
    }];
    report.certificate = Some("{\"format\":\"ser\"}".into());
    report
}

/// Serializable, with points, a table and a picture.
pub fn proof() -> Report {
    let text = "// A lock.\nrequest enter {\n    while (Held == 1) { yield };\n    Held := 1\n}\n";
    let answer = Answer::Holds(Proof {
        method: "inclusion".into(),
        why: "every outcome is a serial one".into(),
        points: vec!["`Held` is 0 or 1".into()],
        checked: Some("every outcome of any number of requests is serial".into()),
    });
    let question = Question::of(Method::Serializability);
    let mut report = base("lock.ser", Kind::Program, text, question, answer);
    report.meaning = "For any number of concurrent requests, every combination of responses also \
                      comes from running the requests one after the other."
        .into();
    let region = |n: usize| vec![n.to_string(), "enter 0".into(), "`Held` stays 1".into()];
    let points = Points {
        items: vec!["`Held` is 0 or 1".into(), "the `yield` on line 3 makes no difference".into()],
        brief: Some(1),
        more: "see `ser explain lock.ser`".into(),
    };
    report.sections = vec![
        Section::of([
            Block::Text(report.meaning.clone()),
            Block::Text("Why: every outcome is a serial one.".into()),
            Block::Points(points),
        ]),
        Section::titled(
            "3 regions",
            [Block::Table(Table {
                header: ["Region", "Run once", "And any number of times"].map(String::from).into(),
                rows: (1..4).map(region).collect(),
            })],
        ),
        Section::titled("Pictures", [Block::Picture(Box::new(picture()))]),
    ];
    report.marks = vec![Mark {
        span: span(text, "yield", 0),
        kind: MarkKind::Harmless,
        label: "harmless".into(),
        words: "Other requests may run here, and it makes no difference.".into(),
    }];
    report.warnings = vec![
        Diagnostic::warning("unused", "the response is always 1", span(text, "1\n}", 0))
            .with_label("always 1")
            .with_secondary(span(text, "enter", 0), "of this request")
            .with_help("leave it out"),
    ];
    report.certificate = Some("x".repeat(300_000));
    report
}

const MUTEX: &str = "\
var Flag: 0..2
process enter(i in 1..2) {
    await (Flag == 0);
    Flag := i;
}
reach \"both\": done(enter(1)) && done(enter(2))
reach \"none\": Flag == 3
";

/// One report for each goal of a file; the first two can be reached.
pub fn goals() -> Vec<Report> {
    let lane = |i: usize| {
        let name = format!("enter({i})");
        Lane { name: name.clone(), label: name }
    };
    let awaits = |lane: usize, flag: i64| Step {
        lane,
        lines: vec![line(MUTEX, "await (Flag == 0);", "Flag is 0")],
        reads: named(&[("Flag", 0)]),
        stands: Some(Stand { next: Some(span(MUTEX, "Flag := i", 0)), locals: Vec::new() }),
        after: vec![Value::Number(flag)],
        ..Step::default()
    };
    let writes = |lane: usize| Step {
        lane,
        lines: vec![line(MUTEX, "Flag := i;", "")],
        writes: named(&[("Flag", lane as i64 + 1)]),
        end: Some(End::Ends),
        after: vec![Value::Number(lane as i64 + 1)],
        ..Step::default()
    };
    let run = |steps| Run {
        title: "The run".into(),
        lanes: vec![lane(1), lane(2)],
        columns: vec!["Flag".into()],
        start: vec![Value::Number(0)],
        steps,
        ends: Vec::new(),
    };
    let question = |name: &str, text: &str| Question {
        name: Some(name.into()),
        text: Some(text.into()),
        span: Some(span(MUTEX, name, 0)),
        ..Question::of(Method::Reachability)
    };
    let report =
        |question, answer| base("processes/mutex.ser", Kind::Processes, MUTEX, question, answer);
    let reached = |name: &str, text: &str, steps| {
        let checked = Some("the run ends in the goal".into());
        let answer = Answer::Violated(Violation { runs: vec![run(steps)], checked });
        let mut report = report(question(name, text), answer);
        report.certificate = Some(format!("{{\"goal\":\"{name}\"}}"));
        report.meaning = format!("There is a run to `{name}`.");
        if name == "both" {
            let lead = Block::Text("4 steps of 2 processes:".into());
            let meaning = Block::Text(report.meaning.clone());
            report.sections = vec![
                Section::of([meaning, lead, Block::Run(0)]),
                Section::titled("What is left", [Block::points(vec!["nothing".into()])]),
            ];
        }
        report
    };
    vec![
        reached(
            "both",
            "reach \"both\": done(enter(1)) && done(enter(2))",
            vec![awaits(0, 0), awaits(1, 0), writes(0), writes(1)],
        ),
        reached("one", "reach \"one\": done(enter(1))", vec![awaits(0, 0), writes(0)]),
        report(
            question("none", "reach \"none\": Flag == 3"),
            Answer::Holds(Proof { method: "clauses".into(), ..Proof::default() }),
        ),
    ]
}

const PING: &str = "\
msg Ping = Ping;
set Client;
server process hub { loop { Ping := recv Ping; } }
process client for c in Client { send Ping to hub; Ping := recv Ping; }
";

/// A process that waits forever.
pub fn protocol() -> Report {
    let lane = |name: &str| Lane { name: name.into(), label: name.into() };
    let step = |lane, says: &str, words: &str, end| Step {
        lane,
        lines: vec![line(PING, words, "")],
        says: vec![says.to_owned()],
        stands: Some(Stand::default()),
        end,
        ..Step::default()
    };
    let run = Run {
        title: "The run, with Client = 1".into(),
        lanes: vec![lane("client(0)"), lane("hub")],
        steps: vec![
            step(0, "sends Ping to hub", "send Ping to hub;", None),
            step(1, "receives Ping from client(0)", "Ping := recv Ping;", None),
            step(0, "", "Ping := recv Ping; }\n", Some(End::Fails("nobody sends".into()))),
        ],
        ends: vec!["client(0) waits forever for a Ping on line 4".into()],
        ..Run::default()
    };
    let answer = Answer::Violated(Violation { runs: vec![run], checked: None });
    let question = Question::of(Method::Sequentialization);
    let mut report = base("ping.ser", Kind::Protocol, PING, question, answer);
    let waits = span(PING, "recv", 1);
    let wrong = Diagnostic::error("deadlock", "`client` may wait forever here", waits)
        .with_label("nobody sends a `Ping` to it");
    report.sections = vec![
        Section::of([Block::Snippet { diagnostic: wrong, other: None }]),
        Section::titled("The run, with Client = 1", [Block::Run(0)]),
        Section::titled(
            "What was sequentialized before",
            [Block::Code("for c in Client {\n    send Ping to hub; // sent\n}\n".into())],
        ),
        Section::titled(
            "2 conditions",
            [Block::Table(Table {
                header: vec!["Line".into()],
                rows: vec![vec!["line 3".into()], vec!["line 4".into()]],
            })],
        )
        .with_detail(Detail::Verbose),
    ];
    report.findings = vec![Finding {
        rule: Rule::Protocol,
        level: Level::Error,
        message: "`client` may wait forever here".into(),
        span: Some(waits),
        related: Vec::new(),
        run: Some(0),
        identity: Vec::new(),
    }];
    report
}

/// An invariant that is not inductive, in a file that the proof was not written for.
pub fn not_inductive() -> Report {
    let text = "var n: int\ninvariant low: n < 3\n";
    let question = Question::of(Method::Invariance);
    let mut report = base("low.ser", Kind::Invariants, text, question, Answer::NotInductive);
    report.meaning = "A step may break `low`.".into();
    let wrong = Diagnostic::error("breaks", "this step may break `low`", Span::new(0, 3));
    let other = Some(("old.ser".to_owned(), "n := n + 1;\n".to_owned()));
    report.sections = vec![Section::titled(
        "A step that breaks `low`",
        [
            Block::Snippet { diagnostic: wrong, other },
            Block::Line(span(text, "invariant", 0)),
            Block::Remark("No run is known that gets there.".into()),
        ],
    )];
    report.findings = vec![Finding {
        rule: Rule::NotInductive,
        level: Level::Warning,
        message: "this step may break `low`".into(),
        span: None,
        related: Vec::new(),
        run: None,
        identity: vec!["low".into()],
    }];
    report
}

pub fn unknown() -> Report {
    let answer = Answer::Unknown(Unknown {
        reason: "the time was not enough".into(),
        span: Some(span(LOST_UPDATE, "Count := n + 1", 0)),
        tried: vec!["up to 3 requests: all outcomes are serial".into()],
        help: vec!["raise --timeout".into(), "bound `Count`".into()],
        ..Unknown::default()
    });
    let question = Question::of(Method::Serializability);
    base("slow.ser", Kind::Program, LOST_UPDATE, question, answer)
}

pub fn withheld() -> Report {
    let answer = Answer::Withheld("step 3 is not possible".into());
    base("odd.ser", Kind::Program, LOST_UPDATE, Question::of(Method::Serializability), answer)
}

/// Errors of all kinds.
pub fn errors() -> Vec<Report> {
    let text = "request a<script>alert(1)</script> {\n    X = 1;\n}\n";
    let wrong = Diagnostic::error("wrong-sign", "expected `:=`", span(text, "=", 0))
        .with_label("not `=`")
        .with_help("write `:=`");
    let question = || Question::of(Method::Serializability);
    let error = |kind, error| base("wrong.ser", kind, text, question(), Answer::Error(error));
    let argument = SourceError::Argument {
        argument: "--reach",
        text: "X = 1".into(),
        diagnostics: vec![Diagnostic::error("wrong-sign", "expected `==`", Span::new(2, 3))],
    };
    let at = SourceError::At {
        path: "$.requests[0]".into(),
        message: "expected a name".into(),
        help: Some("write one".into()),
    };
    vec![
        error(Kind::Program, SourceError::Diagnostics(vec![wrong])),
        error(Kind::Program, argument),
        error(Kind::System, at),
        Report::error(
            "no/such/file.ser",
            question(),
            SourceError::unreadable("there is no such file", "look again"),
        ),
    ]
}

/// A system whose names try to become elements, attributes and scripts.
pub fn hostile() -> Report {
    let evil = "</script><script>window.ran = 1</script><img onerror=x>'\"{{script}}\u{202e}";
    let step = Step {
        arrives: true,
        local: Some((format!("{evil}1"), format!("{evil}2"))),
        writes: vec![(evil.to_owned(), Value::Name(evil.to_owned()))],
        says: vec![evil.to_owned()],
        end: Some(End::Responds(evil.to_owned())),
        after: vec![Value::Name(evil.to_owned())],
        ..Step::default()
    };
    let run = Run {
        title: evil.to_owned(),
        lanes: vec![Lane { name: format!("#1 {evil}"), label: evil.to_owned() }],
        columns: vec![evil.to_owned()],
        start: vec![Value::List(vec![Value::Name(evil.to_owned())])],
        steps: vec![step],
        ends: vec![evil.to_owned()],
    };
    let checked = Some(evil.to_owned());
    let answer = Answer::Violated(Violation { runs: vec![run], checked });
    let question = Question {
        name: Some(evil.to_owned()),
        text: Some(evil.to_owned()),
        ..Question::of(Method::Serializability)
    };
    let mut report = base("<evil>.json", Kind::System, &format!("\"{evil}\""), question, answer);
    report.meaning = evil.to_owned();
    let words = || evil.to_owned();
    let mut graph = Graph::new("g", words());
    graph.description = words();
    graph.add(Node::new("n", words(), Shape::Box).hinted(words()));
    let diagnostic = Diagnostic::error("e", words(), Span::new(0, 1)).with_help(words());
    report.sections = vec![Section::titled(
        words(),
        [
            Block::Text(words()),
            Block::Remark(words()),
            Block::Emphasis(vec![words()]),
            Block::Emphasis(vec![words()]),
            Block::Quote(vec![words()]),
            Block::points(vec![words()]),
            Block::Run(0),
            Block::Code(words()),
            Block::Line(Span::new(0, 1)),
            Block::Snippet { diagnostic, other: Some((words(), words())) },
            Block::Table(Table { header: vec![words()], rows: vec![vec![words()]] }),
            Block::Cycle(vec![(0, words()), (7, words())]),
            Block::Picture(Box::new(Picture {
                title: words(),
                about: words(),
                graph,
                shown: 0,
                all: 1,
                noun: words(),
            })),
            Block::Help(words()),
        ],
    )];
    report.certificate = Some(words());
    report
}

/// Every sample, one after the other.
pub fn all() -> Vec<(&'static str, Vec<Report>)> {
    let mut all = vec![
        ("counterexample", vec![counterexample()]),
        ("proof", vec![proof()]),
        ("goals", goals()),
        ("protocol", vec![protocol()]),
        ("not_inductive", vec![not_inductive()]),
        ("unknown", vec![unknown()]),
        ("withheld", vec![withheld()]),
        ("hostile", vec![hostile()]),
    ];
    let names = ["error", "argument", "path", "missing"];
    all.extend(names.into_iter().zip(errors()).map(|(name, report)| (name, vec![report])));
    all
}
