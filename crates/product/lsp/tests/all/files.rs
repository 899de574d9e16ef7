//! Documents that use other files, on the disk or in the editor.

use crate::client::{Client, edited, find};
use serde_json::{Value, json};

const SHOP: &str = "use \"stock file.ser\"
request buy { x := Free; yield; take(x); x }
";
const STOCK: &str = "var Free: int = 3
fn take(x) { Free := x - 1 }
";

/// A folder with a stock, and the address of a shop in it.
fn folder(name: &str) -> (std::path::PathBuf, String, String) {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("stock file.ser"), STOCK).expect("a file");
    let address = |name: &str| format!("file://{}/{name}", folder.display());
    let (shop, stock) = (address("shop.ser"), address("stock%20file.ser"));
    (folder, shop, stock)
}

fn has(client: &Client, uri: &str, words: &str) -> bool {
    client.diagnostics(uri).to_string().contains(words)
}

#[test]
fn what_a_document_uses_is_known() {
    let (_, shop, stock) = folder("lsp_files_known");
    let mut client = Client::new();
    client.open(&shop, SHOP);
    assert_eq!(client.verdict(&shop, 1)["verdict"], "not_serializable");
    let related = client.diagnostics(&shop)[0]["relatedInformation"].to_string();
    assert!(related.contains(&shop), "{related}");
    let place = client.at("textDocument/definition", &shop, find(SHOP, "take", 0));
    assert_eq!(place["uri"], stock);
    assert_eq!(place["range"]["start"], find(STOCK, "take", 0));
    let places = client.request(
        "textDocument/references",
        json!({"textDocument": {"uri": shop}, "position": find(SHOP, "Free", 0),
               "context": {"includeDeclaration": true}}),
    );
    let others = places.as_array().expect("places").iter().filter(|it| it["uri"] == stock);
    assert_eq!(others.count(), 2, "{places}");
    let lights = client.at("textDocument/documentHighlight", &shop, find(SHOP, "Free", 0));
    assert_eq!(lights.as_array().map(Vec::len), Some(1), "{lights}");
    let hover = client.at("textDocument/hover", &shop, find(SHOP, "take", 0)).to_string();
    assert!(hover.contains("fn take(x: int)"), "{hover}");
    let hover = client.at("textDocument/hover", &shop, find(SHOP, "Free", 0)).to_string();
    assert!(hover.contains("line stock file.ser:2") && hover.contains("starts at 3"), "{hover}");
    let outline = client.about("textDocument/documentSymbol", &shop).to_string();
    assert!(outline.contains("buy") && !outline.contains("take"), "{outline}");
    let all = client.at("textDocument/completion", &shop, find(SHOP, "Free", 0)).to_string();
    assert!(all.contains("\"Free\""), "{all}");
    let renamed = client.try_request(
        "textDocument/rename",
        json!({"textDocument": {"uri": shop}, "position": find(SHOP, "Free", 0), "newName": "Left"}),
    );
    let refusal = renamed.expect_err("a refusal").message;
    assert!(refusal.contains("stock file.ser:1"), "{refusal}");
    client.close();
}

#[test]
fn what_is_wrong_elsewhere_is_shown_where_it_is_used() {
    let (folder, shop, stock) = folder("lsp_files_wrong");
    let mut client = Client::new();
    client.open(&shop, SHOP);
    client.verdict(&shop, 1);
    // The stock is changed in the editor, and not saved.
    client.open(&stock, STOCK);
    client.replace(&stock, 2, "var Free: int = 3\nfn take(x { Free := x - 1 }");
    client.until(|client| has(client, &shop, "stock file.ser:2: "));
    let error = client.diagnostics(&shop)[0].clone();
    assert_eq!(error["range"]["start"], json!({"line": 0, "character": 0}), "{error}");
    assert_eq!(error["relatedInformation"][0]["location"]["uri"], stock);
    // Closed without saving: what is on the disk counts.
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": stock}}));
    client.until(|client| !has(client, &shop, "stock file.ser:2: "));
    std::fs::remove_file(folder.join("stock file.ser")).expect("removed");
    client.replace(&shop, 2, &SHOP.replace("x }", "0 }"));
    client.published(&shop, 2);
    assert!(has(&client, &shop, "there is no such file"), "{}", client.diagnostics(&shop));
    client.close();
}

#[test]
fn a_file_for_others_is_fine_and_laid_out() {
    let (_, _, stock) = folder("lsp_files_library");
    let mut client = Client::new();
    client.open(&stock, "var   Free: int");
    client.published(&stock, 1);
    let all = client.diagnostics(&stock);
    let severities: Vec<&Value> =
        all.as_array().expect("a list").iter().map(|it| &it["severity"]).collect();
    assert_eq!(severities, [&json!(3)], "{all}");
    let edits = client.layout(&stock);
    assert_eq!(edited("var   Free: int", &edits), "var Free: int\n");
    // Without a folder there is nothing to use.
    client.open("untitled:1", SHOP);
    client.published("untitled:1", 1);
    assert!(has(&client, "untitled:1", "no folder"), "{}", client.diagnostics("untitled:1"));
    client.close();
}
