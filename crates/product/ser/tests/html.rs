//! HTML reports: where they are written, what is in them, and that they stay small and harmless.
//! What they do in a browser is tested in `browser.rs`.

use crate::common::{example, file, folder, generated, ser, ser_in, ser_with, text};
use ser_generators::families::Variant;
use std::path::Path;

fn page(name: &str, source: &str, options: &[&str]) -> String {
    let path = text(&folder(name).join("report.html"));
    ser(&[&["check", "--html", &path], options, &[source]].concat());
    std::fs::read_to_string(path).expect("the report is there")
}

/// How often an element starts in a page.
fn count(page: &str, what: &str) -> usize {
    page.matches(what).count()
}

#[test]
fn one_file_gives_one_page_and_the_usual_output() {
    let path = text(&folder("html_one").join("report.html"));
    let source = example("lost_update.ser");
    let with = ser(&["check", "--html", &path, &source]);
    let without = ser(&["check", &source]);
    assert_eq!(with.code, Some(1));
    let untimed = |text: &str| text.lines().skip(1).collect::<Vec<_>>().join("\n");
    assert_eq!(untimed(&with.stdout), untimed(&without.stdout));
    let page = std::fs::read_to_string(&path).expect("the report is there");
    assert!(
        page.contains(
            "<h1><span class=\"badge\" aria-hidden=\"true\"></span>Not serializable</h1>"
        )
    );
    assert!(page.ends_with("</html>\n"));
}

#[test]
fn a_page_asks_for_nothing_from_elsewhere() {
    for name in ["lost_update.ser", "spin_lock.ser", "login_session_race.json"] {
        let page = page("html_alone", &example(name), &[]);
        let policy = "default-src &#39;none&#39;; script-src &#39;sha256-";
        assert!(page.contains(policy), "{name}");
        let names = page.replace("http://www.w3.org/2000/svg", "");
        for bad in ["http:", "https:", "<link", "<iframe", "@import", " src=", "url(data", "fetch("]
        {
            assert!(!names.contains(bad), "{name}: {bad}");
        }
    }
}

#[test]
fn the_same_input_gives_the_same_page_but_for_the_time() {
    let source = example("write_skew.ser");
    let untimed = |page: String| {
        let at = page.find("<p class=\"facts\">").expect("the time");
        let end = page[at..].find(" ms").expect("milliseconds") + at;
        format!("{}{}", &page[..at], &page[end..])
    };
    let pages = [1, 2].map(|_| untimed(page("html_same", &source, &[])));
    assert_eq!(pages[0], pages[1]);
}

#[test]
fn several_files_give_a_folder_with_a_list() {
    let target = text(&folder("html_many").join("reports"));
    let files = [example("lost_update.ser"), example("spin_lock.ser"), "no/such.ser".to_owned()];
    let output = ser(&["check", "--html", &target, &files[0], &files[1], &files[2]]);
    assert_eq!(output.code, Some(2));
    let index = std::fs::read_to_string(Path::new(&target).join("index.html")).expect("a list");
    assert_eq!(count(&index, "<tr class="), 3);
    for link in index.split("href=\"./").skip(1) {
        let name = link.split('"').next().expect("an address");
        assert!(Path::new(&target).join(name).is_file(), "{name}");
    }
}

#[test]
fn a_file_where_a_folder_is_needed_is_refused() {
    let there = file(&folder("html_refused"), "there", "");
    let output = ser(&["check", "--html", &there, &example("aba.ser"), &example("no_yield.ser")]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("with several files this must be a folder"), "{output:?}");
}

#[test]
fn a_report_never_overwrites_its_source() {
    let source = file(&folder("html_itself"), "a.ser", "request a { X := 1 }\n");
    let output = ser(&["check", "--html", &source, &source]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("this is the input itself"), "{output:?}");
}

#[test]
fn a_folder_of_reports_never_overwrites_inputs() {
    let folder = folder("html_inputs");
    let program = "request a { X := 1 }\n";
    let (a, taken) = (file(&folder, "a.ser", program), text(&folder.join("pages")));
    for name in ["a.ser.html", "index.html"] {
        let inside = Path::new(&taken);
        std::fs::create_dir_all(inside).expect("a folder");
        let other = file(inside, name, program);
        let relative = ser_in(&folder, &["check", "--html", "pages", "a.ser", &other], b"", &[]);
        assert_eq!(relative.code, Some(2), "{name}: {relative:?}");
        assert!(relative.stderr.contains("this is the input itself"), "{relative:?}");
        assert!(relative.stderr.contains("help: name another folder"), "{relative:?}");
        assert_eq!(std::fs::read_to_string(&other).expect("it is there"), program);
        assert_eq!(std::fs::read_dir(inside).expect("a folder").count(), 1, "nothing was written");
        std::fs::remove_file(&other).expect("removed");
    }
    assert!(Path::new(&a).is_file());
}

#[test]
fn standard_output_is_no_place_for_a_page() {
    let output = ser(&["check", "--html", "-", &example("lost_update.ser")]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""));
    assert!(output.stderr.contains("help: name a file, such as --html answer.html"), "{output:?}");
    assert!(!Path::new("-").exists());
}

#[test]
fn a_verdict_without_a_page_is_on_the_list() {
    let folder = folder("html_no_page");
    let program = "request a { X := 1 }\n";
    // A file name may have 255 bytes; that of its page would have more.
    let long = file(&folder, &format!("{}.ser", "n".repeat(250)), program);
    let short = file(&folder, "short.ser", program);
    let target = text(&folder.join("pages"));
    let output = ser(&["check", "--html", &target, &long, &short]);
    assert_eq!(output.code, Some(2));
    let index = std::fs::read_to_string(Path::new(&target).join("index.html")).expect("a list");
    assert_eq!((count(&index, "<tr class=\"good\""), count(&index, "href=\"./")), (2, 1));
    assert_eq!(count(&index, "There is no page"), 1);
}

#[test]
fn files_with_names_alike_have_pages_of_their_own() {
    let folder = folder("html_alike");
    std::fs::create_dir_all(folder.join("a")).expect("a folder");
    file(&folder, "a_b.ser", "request alpha_one { X := 1 }\n");
    file(&folder.join("a"), "b.ser", "request beta_two { X := 1 }\n");
    let output = ser_in(&folder, &["check", "--html", "pages", "a_b.ser", "a/b.ser"], b"", &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let read = |name: &str| std::fs::read_to_string(folder.join("pages").join(name)).expect(name);
    let (one, two) = (read("a_b.ser.html"), read("a_b.ser-2.html"));
    assert!(one.contains("alpha_one") && !one.contains("beta_two"));
    assert!(two.contains("beta_two") && !two.contains("alpha_one"));
}

#[test]
fn what_cannot_be_seen_in_names_is_spelled_out_in_pictures_too() {
    let system = r#"{"initial_global": "g\u202e0", "requests": [["a\u202eb", "l\u2067d"]],
        "responses": [["e\u200bf", "h\u2066i"]],
        "transitions": [["l\u2067d", "g\u202e0", "e\u200bf", "g\u202e0"]]}"#;
    let source = file(&folder("html_hidden_source"), "system.json", system);
    let page = page("html_hidden", &source, &[]);
    let picture = page.split_once("<svg xmlns").expect("a picture").1;
    for shown in ["a[U+202E]b", "l[U+2067]d", "e[U+200B]f", "h[U+2066]i"] {
        assert!(picture.contains(shown), "{shown}");
    }
    let shown = page.split_once("<script").expect("data").0;
    assert!(!shown.contains(['\u{202e}', '\u{200b}', '\u{2066}', '\u{2067}', '\u{fffd}']));
}

#[test]
fn many_requests_do_not_make_many_lanes() {
    let program = generated("flip", 50, Variant::Broken);
    let source = file(&folder("html_lanes_source"), "flip.ser", program);
    let page = page("html_lanes", &source, &[]);
    assert!(page.contains("101 requests (the fewest found), 200 steps"), "many requests");
    assert!(page.contains("<div class=\"lanes long\" data-lanes=\"some\" style=\"--n:2;"));
}

#[test]
fn the_page_says_how_to_check_its_certificate_again() {
    let folder = folder("html_verify");
    let program = std::fs::read_to_string(example("lost_update.ser")).expect("an example");
    let source = file(&folder, "it's.ser", program);
    let page = page("html_verify_page", &source, &[]);
    let command =
        format!("ser verify 'it'\\''s.ser.cert.json' --source '{}'", source.replace('\'', r"'\''"));
    assert!(page.contains(&command.replace('\'', "&#39;")), "{command}");
    assert!(page.contains("has gone through the run step by step and accepted it"));
}

#[test]
fn names_stay_text() {
    let evil = "</script><script>evil()</script><img onerror=evil()>'\\\"{{script}}";
    let system = format!(
        r#"{{"initial_global": "{evil}0", "requests": [["{evil}1", "{evil}2"]],
            "responses": [["{evil}3", "{evil}4"]],
            "transitions": [["{evil}2", "{evil}0", "{evil}3", "{evil}5"]]}}"#
    );
    let source = file(&folder("html_names_source"), "system.json", system);
    let page = page("html_names", &source, &[]);
    assert_eq!(count(&page, "<script"), 2, "the data and the script");
    assert_eq!(count(&page, "</script"), 2);
    assert_eq!(count(&page, "<img"), 0);
    assert!(page.contains("&lt;/script&gt;&lt;script&gt;evil()"));
}

#[test]
fn a_program_of_four_megabytes_gives_a_small_page() {
    let folder = folder("html_large");
    let mut long =
        String::from("request a {\n    X := 1;\n    yield;\n    y := X;\n    X := 0;\n    y\n}\n");
    while long.len() < (4 << 20) - 200 {
        long +=
            "// A comment that says nothing, but says it at some length, <b>again</b> and again.\n";
    }
    let one_line =
        format!("request a {{ X := 1; yield; y := X; X := 0; y }} // {}\n", "<".repeat(4_000_000));
    for (name, content) in [("long.ser", long), ("wide.ser", one_line)] {
        let source = file(&folder, name, content);
        let page = page("html_large_page", &source, &[]);
        assert!(page.contains("Not serializable"), "{name}");
        assert!(page.len() < 300_000, "{name}: {} bytes", page.len());
        assert!(page.contains(if name == "long.ser" {
            "lines left out"
        } else {
            "more characters"
        }));
    }
}

#[test]
fn programs_with_too_many_states_to_list_have_small_pages_too() {
    let folder = folder("html_families");
    let (good, broken) = (Variant::Serializable, Variant::Broken);
    for (family, variant) in [("two_phase_locking", good), ("bank", broken), ("snapshot", broken)] {
        let source = file(&folder, "large.ser", generated(family, 40, variant));
        let page = page("html_families_page", &source, &[]);
        assert!(
            page.contains(if variant == broken { "Not serializable" } else { "Serializable" }),
            "{family}"
        );
        assert!(page.len() < 2_000_000, "{family}: {} bytes", page.len());
    }
}

#[test]
fn standard_input_has_a_report_too() {
    let path = text(&folder("html_stdin").join("report.html"));
    ser_with(&["check", "--html", &path, "-"], b"request a { X := 1 }", &[]);
    let page = std::fs::read_to_string(path).expect("the report is there");
    assert!(page.contains("<title>standard input: serializable</title>"));
}
