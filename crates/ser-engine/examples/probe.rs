fn main() {
    for f in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&f).unwrap();
        let limits = ser_model::Limits::default();
        let m;
        let js;
        let system = if f.ends_with("json") {
            js = ser_model::read_json(&text).unwrap();
            &js
        } else {
            let p = ser_lang::parse(&text);
            m = ser_model::ProgramModel::new(&p.program, &text, &limits).unwrap();
            m.system()
        };
        let t = std::time::Instant::now();
        let mut o = ser_engine::Options::default();
        o.refute.max_states = 20000;
        let (a, s) = ser_engine::decide(system, &o, &limits, &|_| {});
        let dt = t.elapsed();
        let d = match &a {
            ser_engine::Answer::NotSerializable(r) => format!("NOT k={}", r.requests),
            ser_engine::Answer::Serializable(p) => match &p.argument {
                ser_engine::Argument::Atomic => {
                    format!("atomic, {} reductions", p.reductions.len())
                }
                ser_engine::Argument::Arithmetic(c) => {
                    format!("arithmetic {} components {} cases", c.components.len(), c.cases.len())
                }
                ser_engine::Argument::Inclusion(i) => {
                    format!("inclusion {:?} {} triples", i.attempt, i.triples.len())
                }
            },
            ser_engine::Answer::Unknown(u) => format!("UNKNOWN {:?}", u.tried),
        };
        println!(
            "{} {:?} {:?}->{:?}->{:?} {d}",
            f.rsplit('/').next().unwrap(),
            dt,
            s.before,
            s.after,
            s.moved
        );
    }
}
