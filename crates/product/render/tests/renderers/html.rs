//! Pages: what is in them, and that names stay text. What they do in a browser is tested with the
//! command itself.

use crate::samples;
use ser_render::html::{About, Entry, index, page};
use ser_report::Report;
use std::path::Path;

/// The page; it is also written to a file, to be looked at.
fn shown(name: &str, reports: &[Report]) -> String {
    let about = About { command: format!("ser check --html {name}.html"), refreshes: false };
    let html = page(reports, &about);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let write = |extension: &str, text: &str| {
        let path = folder.join(format!("{name}.{extension}"));
        std::fs::write(path, text).expect("a file is written");
    };
    write("html", &html);
    if let [report] = reports {
        write("json", &ser_render::json::report(report, false).to_string());
    }
    html
}

fn count(page: &str, what: &str) -> usize {
    page.matches(what).count()
}

fn has_all(page: &str, parts: &[&str]) {
    for part in parts {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
}

/// Where parts stand, which must be in this order.
fn in_order(page: &str, parts: &[&str]) {
    let mut at = 0;
    for part in parts {
        let found = page[at..].find(part);
        assert!(found.is_some(), "{part} does not come next");
        at += found.unwrap_or(0);
    }
}

#[test]
fn a_counterexample_is_explained_and_can_be_stepped_through() {
    let html = shown("counterexample", &[samples::counterexample()]);
    in_order(
        &html,
        &[
            "<title>lost_update.ser: not serializable</title>",
            "</span>Not serializable</h1>",
            "<ul class=\"outcome\"><li>increment responds 1 (2 times)</li></ul>",
            "<p class=\"facts\">1.6 ms · checked independently</p>",
            "<div class=\"pair\">",
            "increment responds 1, then increment responds 2",
            "No serial order keeps these conflicts</h2>",
            "<b class=\"knot hue-0\">#1</b><span class=\"before\"><i>Count</i></span>\
             <b class=\"knot hue-1\">#2</b><span class=\"before\"><i>Count</i></span>\
             <b class=\"knot hue-0\">#1</b>",
            "<div class=\"split\">",
            "<span class=\"keyword yield blamed\" title=\"Meanwhile other requests write Count.\">",
            ">The interleaving</h2>",
            "2 requests (the fewest possible), 4 steps, 3 context switches. Time goes down.",
            "data-lanes=\"2\" style=\"--n:2;--digits:1\"",
            "<b>#1</b> increment <span class=\"tag\">arrives</span>",
            "<p class=\"meanwhile\"><b>Count</b> went from 0 to 1 meanwhile</p>",
            "<p class=\"end\">responds <b>1</b></p>",
            "has gone through the run step by step and accepted it",
            "Drawn: 2 of 5 local states",
            "ser verify lost_update.ser.cert.json --source &#39;a b/lost_update.ser&#39;",
        ],
    );
    // The outcome is shown once, and a picture spells out what cannot be seen.
    assert_eq!(count(&html, "increment responds 1 (2 times)"), 1);
    assert_eq!(count(&html, "responses that no serial order gives"), 1, "it is not repeated");
    assert!(html.contains("r[U+202E]ead"));
    has_all(&html, &["\"stands\":{\"line\":5}", "\"end\":\"responded 1\"", "\"opens\":3"]);
}

#[test]
fn a_proof_is_beside_its_source() {
    let html = shown("proof", &[samples::proof()]);
    in_order(
        &html,
        &[
            "</span>Serializable</h1>",
            "1.6 ms · proved by inclusion · checked independently",
            "<h2>1 warning</h2>",
            "<p class=\"place\"><a href=\"#L4\">line 4</a>, column 13: always 1</p>",
            "<div class=\"split proved\">",
            "yield harmless",
            ">Why</h2><p class=\"lead\">Every outcome is a serial one.</p>",
            "<li><code>Held</code> is 0 or 1.</li>",
            "makes no difference.</li>",
            "<th scope=\"col\">Run once</th>",
            "has gone through the proof",
            "The certificate is too large for this page (300,000 bytes)",
            "ser check --certificate lock.ser.cert.json lock.ser",
        ],
    );
    assert!(!html.contains("id=\"download"));
}

#[test]
fn several_goals_share_a_page_and_each_run_has_its_own_player() {
    let html = shown("goals", &samples::goals());
    in_order(
        &html,
        &[
            "<title>mutex.ser: 1 unreachable, 2 reachable</title>",
            "<h1>3 goals</h1><p class=\"meaning\">1 unreachable, 2 reachable</p>",
            "<section class=\"source\"",
            "<article class=\"answer bad\"",
            "done(enter(1)) &amp;&amp; done(enter(2))",
            "id=\"run\"",
            "<p class=\"lead\">4 steps of 2 processes. Time goes down.</p>",
            "id=\"play\"",
            ">What is left</h3>",
            "<article class=\"answer bad\"",
            "<p class=\"lead\">2 processes, 2 steps, 0 context switches. Time goes down.</p>",
            "id=\"play-2\"",
            "<article class=\"answer good\"",
            ">Unreachable</h2>",
            "id=\"download\"",
            "id=\"download-2\"",
        ],
    );
    assert_eq!(count(&html, "<ol class=\"code\""), 1, "one source");
    assert_eq!(count(&html, "There is a run to <code>both</code>."), 1, "it is not repeated");
    let ids: Vec<&str> =
        html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let mut different = ids.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), ids.len(), "ids are unique");
}

#[test]
fn a_protocol_has_words_instead_of_values() {
    let html = shown("protocol", &[samples::protocol()]);
    in_order(
        &html,
        &[
            "</span>Refuted</h1>",
            "<p><code>client</code> may wait forever here</p>",
            "line 4</a>, column 60: nobody sends a <code>Ping</code> to it",
            "<div class=\"lanes bare\"",
            "<p class=\"says\">sends Ping to hub</p>",
            "<p class=\"end fails\"><b>fails:</b> nobody sends</p>",
            "<h3>At the end</h3>",
            "<pre class=\"program\"><code><span class=\"keyword\">for</span>",
            "<details class=\"fold words\"><summary><h2>2 conditions</h2></summary>",
        ],
    );
}

#[test]
fn messages_about_another_text_show_its_line() {
    let html = shown("not_inductive", &[samples::not_inductive()]);
    in_order(
        &html,
        &[
            "</span>Not inductive</h1>",
            "A step may break <code>low</code>.",
            "old.ser, line 1, column 1</p><pre class=\"excerpt\"><code>n := n + 1;</code></pre>",
            "<p class=\"excerpt\"><a href=\"#L2\">2</a>",
        ],
    );
}

#[test]
fn what_is_missing_or_wrong_comes_first() {
    let html = shown("unknown", &[samples::unknown()]);
    has_all(
        &html,
        &[
            "The time was not enough (<a href=\"#L5\">line 5</a>).",
            "<li>Up to 3 requests: all outcomes are serial.</li>",
            "<li>Bound <code>Count</code>.</li>",
            "<li class=\"line warning\" id=\"L5\"",
        ],
    );
    has_all(
        &shown("withheld", &[samples::withheld()]),
        &["the independent checker rejected the answer", "<li>Step 3 is not possible.</li>"],
    );
    let parts: [&[&str]; 4] = [
        &[
            "Not understood</h1>",
            "<p>Expected <code>:=</code></p>",
            "class=\"line error\" id=\"L2\"",
        ],
        &["--reach, line 1, column 3", "<code>X = 1</code>"],
        &["<p class=\"place\">at $.requests[0]</p>", "<b>Help:</b> write one"],
        &["Not readable</h1>", "<p>There is no such file</p>", "<b>Help:</b> look again"],
    ];
    for (report, parts) in samples::errors().into_iter().zip(parts) {
        has_all(&shown("error", &[report]), parts);
    }
}

#[test]
fn names_stay_text() {
    let html = shown("hostile", &[samples::hostile()]);
    assert_eq!(count(&html, "<script"), 2, "the data and the script");
    assert_eq!(count(&html, "</script"), 2);
    assert_eq!(count(&html, "<img"), 0);
    let before_data = html.split("<script").next().unwrap_or_default();
    assert!(!before_data.contains('\u{202e}'), "only the certificate is as it is");
    assert!(html.contains("&lt;/script&gt;&lt;script&gt;window.ran"));
}

#[test]
fn a_page_asks_for_nothing_from_elsewhere() {
    for (name, reports) in samples::all() {
        let html = shown(name, &reports);
        assert!(html.contains("default-src &#39;none&#39;; script-src &#39;sha256-"), "{name}");
        assert!(html.ends_with("</html>\n"), "{name}");
        let html = html.replace("http://www.w3.org/2000/svg", "");
        for bad in ["http:", "https:", "<link", "<iframe", "@import", " src=", "url(data", "fetch("]
        {
            assert!(!html.contains(bad), "{name}: {bad}");
        }
    }
}

#[test]
fn many_files_have_a_list() {
    let [lost, proof, wrong] =
        [samples::counterexample(), samples::proof(), samples::errors().remove(0)];
    let html = index(&[
        Entry::new(&lost, Some("lost update.html")),
        Entry::new(&proof, None),
        Entry::new(&wrong, Some("wrong.html")),
    ]);
    in_order(
        &html,
        &[
            "<h1>3 files</h1>",
            "1 serializable, 1 not serializable, 1 with errors",
            "<tr class=\"bad\"><th scope=\"row\"><a href=\"./lost%20update.html\">",
            "<td>2 requests</td>",
            "<td>by inclusion<p class=\"faint\">There is no page: it could not be written.",
            "expected <code>:=</code>",
        ],
    );
}
