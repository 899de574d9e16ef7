// The report as the page of a webview.
//
// The report is one HTML file with its own scripts and styles. It shows the source of a program, which may
// come from anywhere, so the page may do what the report needs and nothing else: run the scripts that are
// in it (named by their hashes, so that no handler in an attribute runs), use styles and pictures that are
// in it, and never reach the network.

import { createHash } from "node:crypto";

export function contentSecurityPolicy(html: string): string {
  const hashes = inlineScripts(html).map(
    (script) => `'sha256-${createHash("sha256").update(script, "utf8").digest("base64")}'`,
  );
  const scripts = hashes.length === 0 ? "'none'" : [...new Set(hashes)].join(" ");
  return [
    "default-src 'none'",
    `script-src ${scripts}`,
    "style-src 'unsafe-inline'",
    "img-src data:",
    "font-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** The texts of all scripts without a source, as a browser hashes them: with plain line feeds. */
function inlineScripts(html: string): string[] {
  const scripts = html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script\s*>/gi);
  return [...scripts]
    .filter(([, attributes]) => !/\ssrc\s*=/i.test(attributes ?? ""))
    .map(([, , text]) => (text ?? "").replace(/\r\n?/g, "\n"));
}

/** The report with our policy as the first thing that it says. */
export function securePage(html: string): string {
  const meta = `<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy(html)}">`;
  const head = /<head\b[^>]*>/i.exec(html);
  if (head !== null) {
    const at = head.index + head[0].length;
    return html.slice(0, at) + meta + html.slice(at);
  }
  const doctype = /^\s*<!doctype[^>]*>/i.exec(html)?.[0] ?? "";
  return `${doctype}<head>${meta}</head>${html.slice(doctype.length)}`;
}

/** A page that says something in words instead of a report. */
export function messagePage(title: string, text: string): string {
  return securePage(
    "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"></head>" +
      `<body><h2>${escapeHtml(title)}</h2><pre style="white-space: pre-wrap">${escapeHtml(text)}</pre></body></html>`,
  );
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
