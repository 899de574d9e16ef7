// What moves in a report: stepping through the interleaving, light and dark, zoom, the certificate.
//
// The page can be read without any of this. All text is set as text, never as HTML, because names in
// programs are anybody's. Nothing is loaded from anywhere.
"use strict";

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const find = (id) => document.getElementById(id);
  root.classList.add("js");

  /** An element with a class and, perhaps, text. */
  function element(tag, className, text) {
    const out = document.createElement(tag);
    if (className) out.className = className;
    if (text !== undefined) out.textContent = text;
    return out;
  }

  /** What the reader chose is kept where the browser allows it. */
  const memory = {
    get(name) {
      try { return localStorage.getItem(name); } catch { return null; }
    },
    set(name, value) {
      try { localStorage.setItem(name, value); } catch { /* not allowed here */ }
    },
  };

  // Light and dark.
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const chosen = memory.get("ser-theme");
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  find("theme").addEventListener("click", () => {
    const now = root.dataset.theme ?? (dark.matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    memory.set("ser-theme", root.dataset.theme);
  });

  // Pictures.
  for (const bar of document.querySelectorAll(".zoom")) {
    const svg = bar.parentElement.querySelector("svg");
    const [width, height] = [svg.width.baseVal.value, svg.height.baseVal.value];
    let scale = 1;
    const zoom = (to) => {
      scale = Math.min(4, Math.max(0.2, to));
      svg.setAttribute("width", width * scale);
      svg.setAttribute("height", height * scale);
    };
    bar.addEventListener("click", (event) => {
      const factor = event.target.dataset.zoom;
      if (factor !== undefined) zoom(factor === "0" ? 1 : scale * Number(factor));
    });
    // A picture that is a little too wide is made to fit when it is unfolded.
    bar.closest("details").addEventListener("toggle", () => {
      const room = svg.parentElement.clientWidth - 20;
      if (room > 0) zoom(Math.min(1, Math.max(0.65, room / width)));
    }, { once: true });
  }

  // The certificate.
  if (data.certificate !== undefined) {
    find("download").addEventListener("click", () => {
      const address = URL.createObjectURL(new Blob([data.certificate.text], { type: "application/json" }));
      const link = element("a");
      link.href = address;
      link.download = data.certificate.name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 10000);
    });
    find("copy").addEventListener("click", async () => {
      let words = "Copied.";
      try {
        await navigator.clipboard.writeText(data.certificate.text);
      } catch {
        words = "The browser does not allow it here; download it instead.";
      }
      find("copied").textContent = words;
    });
  }

  // With more requests, only those that matter at a step are listed.
  const FEW_REQUESTS = 8;

  // A long listing opens where something happens.
  const opens = find(`L${data.opens}`);
  if (opens && !location.hash.startsWith("#L")) reveal(opens, opens.closest(".scroll"));

  const player = data.run ? makePlayer(data.run) : null;
  if (data.refreshes) refresh(player);

  /** Everything about the run: `go` shows the state after a step; step 0 is the start. */
  function makePlayer(run) {
    const last = run.steps.length;
    const states = statesOf(run);
    const lines = new Map();
    for (const line of document.querySelectorAll(".code .line")) lines.set(Number(line.dataset.line), line);
    const rows = [...document.querySelectorAll(".lanes li.row")];
    const controls = find("slider").closest(".player");
    const dock = controls.closest(".dock");
    const figure = document.querySelector(".lanes ol");
    const code = document.querySelector(".code");
    if (code && lines.size > 0) {
      const mark = 0.95 + 0.41 * String(run.requests.length).length;
      code.style.setProperty("--stand", `${0.6 + mark * Math.min(run.requests.length, 3)}rem`);
    }
    find("slider").max = last;
    let current = -1;
    let timer = null;

    function go(step, moved = true) {
      step = Math.min(last, Math.max(0, step));
      if (step === current) return;
      current = step;
      const state = states[step];
      showLines(state);
      showGlobals(state);
      showRequests(state);
      find("slider").value = step;
      find("slider").setAttribute("aria-valuetext", step === 0 ? "Start" : `Step ${step} of ${last}`);
      find("position").textContent = step === 0 ? `Start of ${last}` : `Step ${step} of ${last}`;
      find("say").textContent = state.say;
      keepHeight();
      showFigure(step, moved);
      for (const [id, off] of [["first", step === 0], ["back", step === 0], ["forward", step === last], ["last", step === last]]) {
        find(id).setAttribute("aria-disabled", off);
      }
      if (moved) keepInAddress(step);
      if (step === last) pause();
    }

    /** The values never take less room than before, so that the figure below them stays where it is. */
    function keepHeight() {
      const values = dock.querySelector(".values");
      values.style.minHeight = `${values.getBoundingClientRect().height}px`;
    }
    addEventListener("resize", () => { dock.querySelector(".values").style.minHeight = ""; });

    function showLines(state) {
      for (const line of document.querySelectorAll(".line.now")) line.className = line.className.replace(/ now hue-\d/, "");
      for (const at of document.querySelectorAll(".stand b")) at.remove();
      for (const at of document.querySelectorAll(".stand[data-more]")) delete at.dataset.more;
      let first = null;
      for (const number of state.lines) {
        const line = lines.get(number);
        if (!line) continue;
        line.className += ` now hue-${hue(state.active)}`;
        first ??= line;
      }
      for (const [number, request] of state.requests) {
        const line = lines.get(request.line);
        if (!line) continue;
        const mark = element("b", `hue-${hue(number)}`, `#${number}`);
        mark.title = `#${number} goes on here`;
        line.querySelector(".stand").append(mark);
      }
      // There is room for three; of more, the first two are named.
      for (const stand of document.querySelectorAll(".stand:has(b:nth-child(4))")) {
        const others = [...stand.children].slice(2);
        for (const mark of others) mark.hidden = true;
        stand.dataset.more = `+${others.length}`;
      }
      if (first) reveal(first, first.closest(".scroll"));
    }

    function showFigure(step, moved) {
      for (const row of rows) {
        const at = Number(row.dataset.step);
        row.classList.toggle("current", at === step);
        // At the start nothing has happened, and everything can be read.
        row.classList.toggle("later", step > 0 && at > step);
        if (at === step) row.setAttribute("aria-current", "step");
        else row.removeAttribute("aria-current");
      }
      const row = rows.find((row) => Number(row.dataset.step) === step);
      // Only what has left the window is brought back; the page does not jump otherwise.
      if (row && moved) {
        // A long run has a box of its own.
        if (figure.scrollHeight > figure.clientHeight + 1) {
          const [box, at] = [figure.getBoundingClientRect(), row.getBoundingClientRect()];
          if (at.top < box.top) figure.scrollBy({ top: at.top - box.top - 8 });
          else if (at.bottom > box.bottom) figure.scrollBy({ top: at.bottom - box.bottom + 8 });
        }
        const { top, bottom } = row.getBoundingClientRect();
        const under = getComputedStyle(dock).position === "sticky" ? dock.getBoundingClientRect().height : 0;
        if (top < under) window.scrollBy({ top: top - under - 8 });
        else if (bottom > innerHeight) window.scrollBy({ top: Math.min(bottom - innerHeight + 16, top - under - 8) });
      }
    }

    function showGlobals(state) {
      const table = element("table");
      run.variables.forEach((variable, i) => {
        const row = table.insertRow();
        row.append(element("th", "name", variable.name));
        row.cells[0].scope = "row";
        const cell = element("td", "now");
        const value = element("span", "", state.globals[i]);
        value.dataset.global = variable.name;
        cell.append(value);
        row.append(cell);
        if (state.changed.has(i)) {
          row.className = "changed";
          cell.append(element("span", "was", `was ${state.changed.get(i)}`));
        }
      });
      if (run.variables.length === 0) find("globals").replaceChildren(element("p", "faint", "There are none."));
      else find("globals").replaceChildren(table);
      keepInView(find("globals"), ".changed");
      if (run.left_out > 0) {
        find("globals").append(element("p", "legend", `${run.left_out} more that this run does not touch.`));
      }
    }

    function showRequests(state) {
      const table = element("table");
      const folded = { done: 0, "not here yet": 0 };
      for (const { number, name } of run.requests) {
        const about = state.requests.get(number);
        if (run.requests.length > FEW_REQUESTS && number !== state.active && !about?.inFlight) {
          folded[about ? "done" : "not here yet"] += 1;
          continue;
        }
        const row = table.insertRow();
        row.className = `hue-${hue(number)}${state.active === number ? " active" : ""}`;
        row.dataset.request = number;
        const head = element("th");
        head.scope = "row";
        head.append(element("span", "id", `#${number}`), ` ${name}`);
        row.append(head);
        const cell = element("td");
        const request = state.requests.get(number);
        cell.append(element("span", "state", request ? request.words : "not here yet"));
        if (request && request.locals.length > 0) {
          const locals = element("span", "memory");
          for (const [local, value] of request.locals) {
            const entry = element("span", "", `${local} = ${value}`);
            entry.dataset.local = local;
            entry.dataset.value = value;
            locals.append(entry);
          }
          cell.append(locals);
        }
        row.append(cell);
      }
      find("requests").replaceChildren(table);
      const parts = Object.entries(folded).filter(([, count]) => count > 0);
      if (parts.length > 0) {
        const count = parts.reduce((sum, [, part]) => sum + part, 0);
        const words = parts.map(([what, part]) => `${part} ${what}`).join(", ");
        const more = table.rows.length > 0 ? `and ${count} more` : `${count} requests`;
        find("requests").append(element("p", "legend folded", `${more}: ${words}`));
      }
      keepInView(find("requests"), ".active");
    }

    function play() {
      if (current === last) go(0);
      controls.classList.add("playing");
      find("play").setAttribute("aria-label", "Pause");
      const wait = () => 1400 / Number(find("speed").value);
      const next = () => {
        go(current + 1);
        if (timer !== null) timer = setTimeout(next, wait());
      };
      timer = setTimeout(next, wait() / 2);
    }

    function pause() {
      clearTimeout(timer);
      timer = null;
      controls.classList.remove("playing");
      find("play").setAttribute("aria-label", "Play");
    }

    /** A person takes over. */
    function jump(step) {
      pause();
      go(step);
    }

    find("first").addEventListener("click", () => jump(0));
    find("back").addEventListener("click", () => jump(current - 1));
    find("forward").addEventListener("click", () => jump(current + 1));
    find("last").addEventListener("click", () => jump(last));
    find("play").addEventListener("click", () => (timer === null ? play() : pause()));
    find("slider").addEventListener("input", (event) => jump(Number(event.target.value)));
    for (const row of rows) {
      row.addEventListener("click", (event) => {
        if (!event.target.closest("a")) jump(Number(row.dataset.step));
      });
    }
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target;
      // These know better what their keys mean.
      if (target.closest("select, input, .scroll, summary")) return;
      const keys = {
        ArrowRight: () => jump(current + 1),
        ArrowDown: () => jump(current + 1),
        ArrowLeft: () => jump(current - 1),
        ArrowUp: () => jump(current - 1),
        Home: () => jump(0),
        End: () => jump(last),
      };
      if (event.key === " " && !target.closest("button, a")) keys[" "] = () => (timer === null ? play() : pause());
      const action = keys[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    });
    addEventListener("hashchange", () => {
      const step = stepInAddress();
      if (step !== null) jump(step);
    });
    go(stepInAddress() ?? 0, false);
    return { isPlaying: () => timer !== null };
  }

  /** The state after each step, from the start on. */
  function statesOf(run) {
    const globals = run.variables.map((variable) => variable.value);
    const requests = new Map();
    const states = [{
      globals: [...globals], changed: new Map(), requests: new Map(), lines: [], active: null,
      say: "Start: nobody is here yet. Step with the arrow keys or the buttons, or play with the space bar.",
    }];
    for (const step of run.steps) {
      const changed = new Map();
      for (const [i, value] of step.changes) {
        changed.set(i, globals[i]);
        globals[i] = value;
      }
      let words = "paused";
      if (step.responds !== undefined) words = `responded ${step.responds}`;
      else if (step.stands?.line !== undefined) words = `paused before line ${step.stands.line}`;
      else if (step.stands?.state !== undefined) words = `paused in ${step.stands.state}`;
      const inFlight = step.responds === undefined;
      requests.set(step.request, { words, inFlight, line: step.stands?.line, locals: step.locals ?? [] });
      states.push({
        globals: [...globals], changed, requests: new Map(requests), lines: step.lines,
        active: step.request, say: `${step.say}.`,
      });
    }
    return states;
  }

  function hue(number) {
    return (number - 1) % 8;
  }

  function stepInAddress() {
    if (!location.hash.startsWith("#step=")) return null;
    // What is no step is the start; beyond the end is the end.
    const found = /^#step=(\d+)$/.exec(location.hash);
    return found ? Number(found[1]) : 0;
  }

  function keepInAddress(step) {
    try { history.replaceState(null, "", step === 0 ? "#" : `#step=${step}`); } catch { /* a panel without an address */ }
  }

  /** Brings what matters in a box of values into view. */
  function keepInView(box, what) {
    const inner = box.querySelector(what);
    if (!inner || box.scrollHeight <= box.clientHeight) return;
    const [at, room] = [inner.getBoundingClientRect(), box.getBoundingClientRect()];
    if (at.top < room.top) box.scrollTop += at.top - room.top;
    else if (at.bottom > room.bottom) box.scrollTop += at.bottom - room.bottom;
  }

  /** Brings an element into view within its own box, without moving the page. */
  function reveal(inner, box) {
    if (!box || box.scrollHeight <= box.clientHeight) return;
    const top = inner.offsetTop - box.offsetTop;
    if (top < box.scrollTop + 20 || top > box.scrollTop + box.clientHeight - 80) {
      box.scrollTo({ top: Math.max(0, top - box.clientHeight / 3) });
    }
  }

  /**
   * The page was written by `ser check --watch`, which writes it again when the source changes. A page
   * from a file cannot ask whether it has changed, so it loads itself again now and then: when it comes
   * into view, and while nobody is doing anything with it. The step is in the address, and stays.
   */
  function refresh(player) {
    const PATIENCE = 2000;
    let touched = Date.now();
    for (const kind of ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"]) {
      addEventListener(kind, () => { touched = Date.now(); }, { passive: true });
    }
    const busy = () =>
      document.hidden || player?.isPlaying() || Date.now() - touched < PATIENCE || String(getSelection()) !== "";
    setInterval(() => { if (!busy()) location.reload(); }, PATIENCE);
    document.addEventListener("visibilitychange", () => { if (!document.hidden) location.reload(); });
    // What is unfolded stays so.
    const folds = [...document.querySelectorAll("details")];
    const open = (memory.get("ser-open") ?? "").split(",");
    folds.forEach((fold, i) => {
      if (open.includes(String(i))) fold.open = true;
      fold.addEventListener("toggle", () => {
        memory.set("ser-open", folds.flatMap((f, j) => (f.open ? [j] : [])).join(","));
      });
    });
  }
})();
