//! `ser reach`: nets and queries in, checked answers out.

use crate::common::{examples, file, folder, objects, ser, ser_with, text};
use ser_petri::{
    CalledBy, Names, answer_pair_by_force, read_net, read_properties, write_net, write_pnml,
    write_properties,
};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

const LOCK: &str = "net lock\npl free (1)\npl waiting (3)\n\
    tr take free waiting -> busy\ntr give busy -> free done\n";

fn nets() -> PathBuf {
    examples().join("nets")
}

fn net(name: &str) -> String {
    text(&nets().join(name))
}

/// The answer to one query as JSON.
fn answer(net: &str, query: &str) -> Value {
    let output = ser(&["reach", net, "--query", query, "--format", "json"]);
    objects(&output).pop().unwrap_or_else(|| panic!("{output:?}"))
}

#[test]
fn every_example_net_gives_what_it_promises() {
    let mut found = 0;
    for entry in std::fs::read_dir(nets()).expect("the folder of nets") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "net") {
            continue;
        }
        let content = std::fs::read_to_string(&path).expect("a readable example");
        for line in content.lines() {
            let Some(promise) = line.strip_prefix("# expect: ") else { continue };
            let (verdict, query) = promise.split_once(": ").expect("`verdict: query`");
            assert_eq!(answer(&text(&path), query)["verdict"], verdict, "{query}");
            found += 1;
        }
    }
    assert!(found >= 5, "only {found} promises");
}

#[test]
fn every_property_of_the_example_gives_what_it_promises() {
    let (pnml, xml) = (net("producer_consumer.pnml"), net("producer_consumer.xml"));
    let content = std::fs::read_to_string(&xml).expect("a readable example");
    let promises: Vec<&str> =
        content.lines().filter_map(|l| l.trim().strip_prefix("<description>expect: ")).collect();
    let output = ser(&["reach", &pnml, "--query-file", &xml, "--format", "json"]);
    let answers = objects(&output);
    assert_eq!(answers.len(), promises.len());
    for (answer, promise) in answers.iter().zip(promises) {
        let verdict = promise.strip_suffix("</description>").expect("the end of the element");
        assert_eq!(answer["verdict"], verdict, "{answer}");
    }
    assert_eq!(output.code, Some(1), "reachable is more serious than unreachable");
    let one = ["reach", &pnml, "--query-file", &xml, "--property", "no-deadlock"];
    let output = ser(&one);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stdout.contains("The property holds"), "{output:?}");
}

#[test]
fn the_toy_net_of_the_paper() {
    let toy = net("toy.net");
    let reachable = answer(&toy, "P1 = 0 && P2 = 0 && P3 = 0 && P4 = 0 && P5 = 1 && P6 = 1");
    assert_eq!(reachable["verdict"], "reachable");
    assert_eq!(reachable["firing_sequence"], serde_json::json!(["t3", "t5", "t4"]));
    assert_eq!(reachable["marking"], serde_json::json!({"P5": 1, "P6": 1}));
    let unreachable = answer(&toy, "P1 = 0 && P2 = 1 && P3 = 1 && P4 = 0 && P5 = 0 && P6 = 0");
    assert_eq!(unreachable["verdict"], "unreachable");
    // With two tokens at the start it would be.
    let content = std::fs::read_to_string(&toy).expect("the net");
    let folder = folder("reach_toy");
    let two = file(&folder, "two.net", content.replace("P2 (1)", "P2 (2)"));
    let query = "P1 = 0 && P2 = 1 && P3 = 1 && P4 = 0 && P5 = 0 && P6 = 0";
    assert_eq!(answer(&two, query)["verdict"], "reachable");
}

#[test]
fn exit_codes() {
    let folder = folder("reach_exit");
    let lock = file(&folder, "lock.net", LOCK);
    let code = |args: &[&str]| ser(&[&["reach"], args].concat()).code;
    for format in ["human", "json"] {
        assert_eq!(code(&[&lock, "--query", "busy >= 2", "--format", format]), Some(0));
        assert_eq!(code(&[&lock, "--query", "done = 3", "--format", format]), Some(1));
        assert_eq!(code(&[&lock, "--query", "AG busy <= 1", "--format", format]), Some(0));
        assert_eq!(code(&[&lock, "--query", "AG done <= 2", "--format", format]), Some(1));
        assert_eq!(code(&[&lock, "--query", "bsy = 1", "--format", format]), Some(2));
        let large = ["--query", "waiting <= 99999", "--format", format];
        assert_eq!(code(&[&[lock.as_str()][..], &large].concat()), Some(3));
    }
    assert_eq!(code(&[&lock]), Some(2), "no query");
    assert_eq!(code(&[&lock, "--query", "true", "--query-file", "x"]), Some(2), "two queries");
    assert_eq!(code(&["no/such.net", "--query", "true"]), Some(2));
    assert_eq!(code(&["-", "--query-file", "-"]), Some(2));
}

#[test]
fn a_net_on_standard_input_is_told_by_its_first_character() {
    let parsed = read_net(LOCK).expect("a net");
    for content in [LOCK.to_owned(), write_pnml(&parsed)] {
        let output = ser_with(&["reach", "-", "--query", "busy = 1"], content.as_bytes(), &[]);
        assert_eq!(output.code, Some(1), "{output:?}");
    }
}

#[test]
fn mistakes_are_told_with_a_place_and_a_way_out() {
    let folder = folder("reach_mistakes");
    let lock = file(&folder, "lock.net", LOCK);
    let inhibitor = file(&folder, "inhibitor.net", "pl a (1)\ntr t a?-1 -> b\n");
    let dtd = file(&folder, "dtd.pnml", "<!DOCTYPE x>\n<pnml/>");
    let xml = file(&folder, "empty.xml", "<property-set></property-set>");
    type Row<'a> = (&'a [&'a str], Option<(&'a str, u64, u64)>, &'a [&'a str]);
    let table: &[Row<'_>] = &[
        (
            &[&lock, "--query", "busi = 1"],
            Some(("--query", 1, 1)),
            &["no place `busi`", "did you mean `busy`?"],
        ),
        (&[&lock, "--query", "busy = "], Some(("--query", 1, 8)), &["found the end"]),
        (
            &[&inhibitor, "--query", "b = 1"],
            Some(("inhibitor.net", 2, 7)),
            &["inhibitor arcs", "complement"],
        ),
        (&[&dtd, "--query", "b = 1"], Some(("dtd.pnml", 1, 1)), &["type definitions", "remove"]),
        (&[&lock, "--query-file", &xml], None, &["empty.xml:1:1", "no <property>"]),
        (&[&text(&folder), "--query", "true"], None, &["this is a directory"]),
    ];
    for (args, place, expected) in table {
        for format in ["human", "json"] {
            let output = ser(&[&["reach"], *args, &["--format", format]].concat());
            assert_eq!(output.code, Some(2), "{args:?} {output:?}");
            for part in *expected {
                assert!(output.all().contains(part), "{part}: {output:?}");
            }
            let Some((name, line, column)) = *place else { continue };
            if format == "human" {
                let place = format!("{name}:{line}:{column}");
                assert!(output.stderr.contains(&place), "{place}: {output:?}");
                continue;
            }
            let object = &objects(&output)[0];
            let error = &object["errors"][0];
            let found = (error["line"].as_u64(), error["column"].as_u64());
            assert_eq!(found, (Some(line), Some(column)), "{output:?}");
            match name.starts_with("--") {
                true => assert_eq!(error["argument"], name, "{output:?}"),
                false => {
                    let file = object["file"].as_str();
                    assert!(file.is_some_and(|it| it.ends_with(name)), "{output:?}");
                }
            }
        }
    }
    let large = ser(&["reach", &lock, "--query", "waiting <= 99999"]);
    assert!(large.stdout.contains("at most 10000"), "{large:?}");
    assert!(large.stdout.contains("help: "), "{large:?}");
}

#[test]
fn more_tokens_than_can_be_counted_are_no_internal_error() {
    let half = 1u64 << 63;
    let content = format!("pl p ({half})\ntr t -> p*{half} q\n");
    let path = file(&folder("reach_tokens"), "large.net", content);
    let answer = answer(&path, "q = 1");
    assert_eq!(answer["verdict"], "unknown");
    let reason = answer["reason"].as_str().expect("a reason");
    assert!(reason.contains("more than 18446744073709551615 tokens"), "{reason}");
}

#[test]
fn certificates_can_be_verified_and_not_be_swapped() {
    let folder = folder("reach_certificates");
    let lock = file(&folder, "lock.net", LOCK);
    let certificate = |name: &str, query: &str| {
        let path = text(&folder.join(name));
        ser(&["reach", &lock, "--query", query, "--certificate", &path]);
        path
    };
    let verify = |path: &str| ser(&["verify", path, "--source", &lock]);
    let safe = certificate("safe.json", "AG busy + free = 1");
    let done = certificate("done.json", "done = 3");
    for (path, words) in [(&safe, "target is unreachable"), (&done, "target is reachable")] {
        let output = verify(path);
        assert_eq!(output.code, Some(0), "{output:?}");
        assert!(output.stdout.contains(words), "{output:?}");
    }
    // The same proof for another query, and the same run for another query.
    let change = |path: &str, from: &str, to: &str| {
        let content = std::fs::read_to_string(path).expect("a certificate");
        assert!(content.contains(from), "{content}");
        file(&folder, "changed.json", content.replacen(from, to, 1))
    };
    let changed = change(&safe, "AG free + busy = 1", "AG busy = 0");
    assert_eq!(verify(&changed).code, Some(1), "{:?}", verify(&changed));
    let changed = change(&done, "EF done = 3", "EF done = 2");
    assert_eq!(verify(&changed).code, Some(1));
    let changed = change(&done, "EF done = 3", "EF nothing = 2");
    assert_eq!(verify(&changed).code, Some(2));
    // The query is part of what the certificate is about.
    let changed = change(&done, ", \"query\": \"EF done = 3\"", "");
    assert_eq!(verify(&changed).code, Some(2));
    // Another net.
    let other = file(&folder, "other.net", LOCK.replace("(3)", "(4)"));
    assert_eq!(ser(&["verify", &safe, "--source", &other]).code, Some(1));
}

#[test]
fn several_certificates_go_into_a_folder() {
    let folder = folder("reach_folder");
    let target = text(&folder.join("all"));
    let (pnml, xml) = (net("producer_consumer.pnml"), net("producer_consumer.xml"));
    ser(&["reach", &pnml, "--query-file", &xml, "--certificate", &target]);
    let mut verified = 0;
    for entry in std::fs::read_dir(&target).expect("the folder") {
        let path = text(&entry.expect("an entry").path());
        assert_eq!(ser(&["verify", &path, "--source", &pnml]).code, Some(0), "{path}");
        verified += 1;
    }
    assert_eq!(verified, 4);
}

#[test]
fn what_a_person_reads() {
    let shown = |query: &str| {
        let output = ser(&["reach", &net("toy.net"), "--query", query]);
        let all = output.all().replace(&text(&nets()), "nets");
        let lines = all.lines().map(|line| match line.rsplit_once(" (") {
            Some((rest, time)) if time.ends_with(" ms)") || time.ends_with(" s)") => {
                format!("{rest} (TIME)\n")
            }
            _ => format!("{line}\n"),
        });
        lines.collect::<String>()
    };
    insta::assert_snapshot!("reach_reachable", shown("P1 >= 3 && P5 = 1"));
    insta::assert_snapshot!("reach_holds", shown("AG P5 = P6"));
    insta::assert_snapshot!("reach_error", shown("P1 >= 3 & P5 = 1"));
}

/// The example as a pair of files for other tools.
fn pair() -> (String, String) {
    let parsed = read_net(LOCK).expect("a net");
    let query = |name: &str, text: &str| {
        let query = ser_petri::read_query(text, &parsed).expect("a query");
        ser_petri::Query { name: name.to_owned(), ..query }
    };
    let queries = [
        query("all-done", "done = 3 && waiting = 0"),
        query("two-inside", "busy >= 2"),
        query("mutual-exclusion", "AG busy + free = 1"),
        query("at-most-two", "AG done <= 2"),
    ];
    (write_net(&parsed), write_properties(&parsed, &queries, CalledBy::Name))
}

#[test]
fn a_written_pair_means_the_same_to_brute_force_and_to_the_engine() {
    let (net_text, xml) = pair();
    let forced = answer_pair_by_force(&net_text, &xml, 1_000).expect("a pair");
    let expected = [true, false, true, false];
    assert_eq!(forced.iter().map(|(_, a)| *a).collect::<Vec<_>>(), expected.map(Some));
    let folder = folder("reach_pair");
    let (net_path, xml) = (file(&folder, "a.net", net_text), file(&folder, "a.xml", xml));
    let output = ser(&["reach", &net_path, "--query-file", &xml, "--format", "json"]);
    let holds: Vec<Value> = objects(&output).iter().map(|o| o["holds"].clone()).collect();
    assert_eq!(holds, expected.map(Value::from));
}

/// `SER_CONTEST_TOOL='COMMAND {net} {xml}'` names a program of the Model Checking Contest, which
/// must then print TRUE or FALSE for each property.
#[test]
#[allow(clippy::print_stderr)]
fn a_written_pair_means_the_same_to_another_tool() {
    let Ok(command) = std::env::var("SER_CONTEST_TOOL") else {
        eprintln!("skipped: SER_CONTEST_TOOL is not set");
        return;
    };
    let (net_text, xml) = pair();
    let parsed = read_net(&net_text).expect("a net");
    let queries = read_properties(&xml, &parsed, &Names::of(&parsed)).expect("queries");
    let folder = folder("reach_tool");
    let net_path = file(&folder, "a.net", &net_text);
    // One at a time, so that the answer is the only one that is printed.
    for query in &queries {
        let one = write_properties(&parsed, std::slice::from_ref(query), CalledBy::Name);
        let forced = answer_pair_by_force(&net_text, &one, 1_000).expect("a pair");
        let xml_path = file(&folder, "a.xml", &one);
        let line = command.replace("{net}", &net_path).replace("{xml}", &xml_path);
        let mut words = line.split_whitespace();
        let program = words.next().expect("SER_CONTEST_TOOL names a program");
        let output = Command::new(program).args(words).output().expect("the tool starts");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let found = (said.contains("TRUE"), said.contains("FALSE"));
        let expected = forced[0].1.expect("few markings");
        assert_eq!(found, (expected, !expected), "{}: {line}\n{said}", query.name);
    }
}
