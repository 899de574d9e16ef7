// What moves in a report: stepping through runs, light and dark, zoom, the certificate.
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

  // The certificates.
  (data.certificates ?? []).forEach(({ text, name }, i) => {
    const suffix = suffixOf(i);
    find(`download${suffix}`).addEventListener("click", () => {
      const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
      const link = element("a");
      link.href = address;
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 10000);
    });
    find(`copy${suffix}`).addEventListener("click", async () => {
      let words = "Copied.";
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        words = "The browser does not allow it here; download it instead.";
      }
      find(`copied${suffix}`).textContent = words;
    });
  });

  /** How ids end: those of the first one are plain. */
  function suffixOf(i) {
    return i === 0 ? "" : `-${i + 1}`;
  }

  // With more lanes, only those that matter at a step are listed.
  const FEW_LANES = 8;

  // A long listing opens where something happens.
  const opens = find(`L${data.opens}`);
  if (opens && !location.hash.startsWith("#L")) reveal(opens, opens.closest(".scroll"));

  // The source is shown once, for all runs.
  const lines = new Map();
  for (const line of document.querySelectorAll(".code .line")) lines.set(line.dataset.line, line);
  const runs = data.runs ?? [];
  makeRoom(runs);
  const players = runs.map(makePlayer);
  // Keys are for the run that somebody has touched last.
  let active = players[0];
  const named = runs.findIndex((_, i) => stepInAddress(i) !== null);
  if (named > 0) players[named].jump(stepInAddress(named));
  document.addEventListener("keydown", (event) => active?.key(event));
  if (data.refreshes) refresh(players);

  /** Room beside the lines for those who stand there. */
  function makeRoom(runs) {
    const code = document.querySelector(".code");
    const stands = runs.filter((run) =>
      run.lanes.length > 0 && run.steps.some((step) => step.stands?.line !== undefined));
    if (!code || stands.length === 0) return;
    const widths = stands.map(({ lanes }) => {
      const widest = Math.max(...lanes.map((lane) => [...markOf(lane)].length));
      return (0.54 + 0.41 * widest) * Math.min(lanes.length, 3);
    });
    code.style.setProperty("--stand", `${0.6 + Math.max(...widths)}rem`);
  }

  /** What stands for a lane where there is little room: `e(1)` for `enter(1)`. */
  function markOf({ short }) {
    if ([...short].length <= 5) return short;
    const [first, ...rest] = [...short];
    const index = /\(.{1,3}\)$/.exec(short);
    return index ? `${first}${index[0]}` : `${first}${rest.slice(0, 3).join("")}…`;
  }

  /** Everything about a run: `go` shows the state after a step; step 0 is the start. */
  function makePlayer(run, number) {
    const part = (id) => find(`${id}${run.suffix}`);
    const last = run.steps.length;
    const states = statesOf(run);
    const section = part("run").closest("section");
    const rows = [...section.querySelectorAll(".lanes li.row")];
    const controls = section.querySelector(".player");
    const dock = section.querySelector(".dock");
    const figure = section.querySelector(".lanes ol");
    part("slider").max = last;
    let current = -1;
    let timer = null;

    function go(step, moved = true) {
      step = Math.min(last, Math.max(0, step));
      if (step === current) return;
      current = step;
      const state = states[step];
      showLines(state);
      showShared(state);
      showLanes(state);
      part("slider").value = step;
      part("slider").setAttribute("aria-valuetext", step === 0 ? "Start" : `Step ${step} of ${last}`);
      part("position").textContent = step === 0 ? `Start of ${last}` : `Step ${step} of ${last}`;
      part("say").textContent = state.say;
      keepHeight();
      showFigure(step, moved);
      for (const [id, off] of [["first", step === 0], ["back", step === 0], ["forward", step === last], ["last", step === last]]) {
        part(id).setAttribute("aria-disabled", off);
      }
      if (moved) keepInAddress(number, step);
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
        const line = lines.get(String(number));
        if (!line) continue;
        line.className += ` now hue-${hue(state.active)}`;
        first ??= line;
      }
      for (const [lane, { line: at }] of state.lanes) {
        const line = lines.get(String(at));
        if (!line || !run.lanes[lane]) continue;
        const mark = element("b", `hue-${hue(lane)}`, markOf(run.lanes[lane]));
        mark.title = `${run.lanes[lane].short} goes on here`;
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

    function showShared(state) {
      const box = part("globals");
      if (run.columns.length + run.left_out === 0) {
        box.closest("section").hidden = true;
        return;
      }
      const table = element("table");
      run.columns.forEach((column, i) => {
        const row = table.insertRow();
        row.append(element("th", "name", column.name));
        row.cells[0].scope = "row";
        const cell = element("td", "now");
        const value = element("span", "", state.shared[i]);
        value.dataset.global = column.name;
        cell.append(value);
        row.append(cell);
        if (state.changed.has(i)) {
          row.className = "changed";
          cell.append(element("span", "was", `was ${state.changed.get(i)}`));
        }
      });
      box.replaceChildren(table);
      keepInView(box, ".changed");
      if (run.left_out > 0) {
        box.append(element("p", "legend", `${run.left_out} more that this run does not touch.`));
      }
    }

    function showLanes(state) {
      const box = part("requests");
      if (run.lanes.length === 0) {
        box.closest("section").hidden = true;
        return;
      }
      const table = element("table");
      const folded = new Map();
      run.lanes.forEach((lane, i) => {
        const about = state.lanes.get(i);
        const before = lane.arrives ? "not here yet" : "at the start";
        if (run.lanes.length > FEW_LANES && i !== state.active && !about?.underWay) {
          const words = about ? "done" : before;
          folded.set(words, (folded.get(words) ?? 0) + 1);
          return;
        }
        const row = table.insertRow();
        row.className = `hue-${hue(i)}${state.active === i ? " active" : ""}`;
        row.dataset.request = i + 1;
        const head = element("th");
        head.scope = "row";
        head.append(element("span", "id", lane.short), ` ${lane.name}`);
        row.append(head);
        const cell = element("td");
        cell.append(element("span", "state", about ? about.words : before));
        if (about && about.locals.length > 0) {
          const locals = element("span", "memory");
          for (const [local, value] of about.locals) {
            const entry = element("span", "", `${local} = ${value}`);
            entry.dataset.local = local;
            entry.dataset.value = value;
            locals.append(entry);
          }
          cell.append(locals);
        }
        row.append(cell);
      });
      box.replaceChildren(table);
      if (folded.size > 0) {
        const count = [...folded.values()].reduce((sum, part) => sum + part, 0);
        const words = ["done", "not here yet", "at the start"].filter((what) => folded.has(what))
          .map((what) => `${folded.get(what)} ${what}`).join(", ");
        const more = table.rows.length > 0 ? `and ${count} more` : `${count} in all`;
        box.append(element("p", "legend folded", `${more}: ${words}`));
      }
      keepInView(box, ".active");
    }

    function play() {
      for (const other of players) if (other !== player) other.pause();
      if (current === last) jump(0);
      controls.classList.add("playing");
      part("play").setAttribute("aria-label", "Pause");
      const wait = () => 1400 / Number(part("speed").value);
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
      part("play").setAttribute("aria-label", "Play");
    }

    /** A person takes over. */
    function jump(step) {
      pause();
      if (active !== player) {
        // The listing shows what another run does: have this one show its own.
        active = player;
        current = -1;
      }
      go(step);
    }

    part("first").addEventListener("click", () => jump(0));
    part("back").addEventListener("click", () => jump(current - 1));
    part("forward").addEventListener("click", () => jump(current + 1));
    part("last").addEventListener("click", () => jump(last));
    part("play").addEventListener("click", () => (timer === null ? play() : pause()));
    part("slider").addEventListener("input", (event) => jump(Number(event.target.value)));
    for (const row of rows) {
      row.addEventListener("click", (event) => {
        if (!event.target.closest("a")) jump(Number(row.dataset.step));
      });
    }
    section.addEventListener("focusin", () => { active = player; });
    function key(event) {
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
    }
    addEventListener("hashchange", () => {
      const step = stepInAddress(number);
      if (step !== null) jump(step);
    });
    const player = { key, jump, pause, isPlaying: () => timer !== null };
    go(stepInAddress(number) ?? 0, false);
    return player;
  }

  /** The state after each step, from the start on. */
  function statesOf(run) {
    const shared = run.columns.map((column) => column.value);
    const lanes = new Map();
    const nobody = run.lanes.length > 0 && run.lanes.every((lane) => lane.arrives) ? ": no request has arrived yet" : "";
    const states = [{
      shared: [...shared], changed: new Map(), lanes: new Map(), lines: [], active: null,
      say: `Start${nobody}. Step with the arrow keys or the buttons, or play with the space bar.`,
    }];
    for (const step of run.steps) {
      const changed = new Map();
      for (const [i, value] of step.changes) {
        changed.set(i, shared[i]);
        shared[i] = value;
      }
      let words = "under way";
      if (step.end !== undefined) words = step.end;
      else if (step.stands?.line !== undefined) words = `before line ${step.stands.line}`;
      else if (step.stands?.state !== undefined) words = `in ${step.stands.state}`;
      const underWay = step.end === undefined;
      lanes.set(step.lane, { words, underWay, line: step.stands?.line, locals: step.locals ?? [] });
      states.push({
        shared: [...shared], changed, lanes: new Map(lanes), lines: step.lines,
        active: step.lane, say: `${step.say}.`,
      });
    }
    return states;
  }

  function hue(lane) {
    return lane % 8;
  }

  /** The step of a run that the address names; nothing if it names none of this run. */
  function stepInAddress(number) {
    const found = /^#(?:run=(\d+)&)?step=(.*)$/.exec(location.hash);
    if (!found || Number(found[1] ?? 1) !== number + 1) return null;
    // What is no step is the start; beyond the end is the end.
    return /^\d+$/.test(found[2]) ? Number(found[2]) : 0;
  }

  function keepInAddress(number, step) {
    const run = number === 0 ? "" : `run=${number + 1}&`;
    try {
      history.replaceState(null, "", step === 0 ? "#" : `#${run}step=${step}`);
    } catch { /* a panel without an address */ }
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
   * The page was written with `--watch`, which writes it again when the source changes. A page
   * from a file cannot ask whether it has changed, so it loads itself again now and then: when it comes
   * into view, and while nobody is doing anything with it. The step is in the address, and stays.
   */
  function refresh(players) {
    const PATIENCE = 2000;
    let touched = Date.now();
    for (const kind of ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"]) {
      addEventListener(kind, () => { touched = Date.now(); }, { passive: true });
    }
    const busy = () =>
      document.hidden || players.some((player) => player.isPlaying()) || Date.now() - touched < PATIENCE || String(getSelection()) !== "";
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
