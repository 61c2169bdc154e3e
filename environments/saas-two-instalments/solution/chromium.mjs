// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-dc339b96fdb9: keep out of training data
// A small driver for Chromium over its DevTools protocol: plain Node, no packages. It looks for a control in the page
// and in all its frames, whatever process they run in, and types with the keyboard.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FLAGS = [
  "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
  "--remote-debugging-port=0", "--window-size=1280,1400", "about:blank",
];

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Start Chromium and resolve to `{page, close}`. */
export async function launch() {
  const profile = mkdtempSync(join(tmpdir(), "shopper-"));
  const browser = spawn("chromium", [`--user-data-dir=${profile}`, ...FLAGS], { stdio: ["ignore", "ignore", "pipe"] });
  const address = await new Promise((resolve, reject) => {
    let printed = "";
    browser.stderr.on("data", (data) => {
      printed += data;
      const found = printed.match(/DevTools listening on (ws:\S+)/);
      if (found) resolve(found[1]);
    });
    browser.on("exit", () => reject(new Error(`chromium did not start:\n${printed}`)));
  });
  const connection = new Connection(new WebSocket(address));
  await connection.opened;
  const close = async () => {
    const ended = new Promise((resolve) => browser.once("exit", resolve));
    await connection.send("Browser.close").catch(() => browser.kill());
    await ended;
    try {
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    } catch {
      // What is left of a profile in the temporary directory does no harm.
    }
  };
  return { page: await Page.open(connection), close };
}

class Connection {
  constructor(socket) {
    this.socket = socket;
    this.waiting = new Map();
    this.listeners = [];
    this.last = 0;
    this.opened = new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve);
      socket.addEventListener("error", () => reject(new Error("cannot connect to chromium")));
    });
    socket.addEventListener("message", (event) => {
      const message = JSON.parse(event.data);
      if (message.id) {
        const { resolve, reject } = this.waiting.get(message.id) ?? { resolve() {}, reject() {} };
        this.waiting.delete(message.id);
        if (message.error) reject(new Error(message.error.message));
        else resolve(message.result);
      } else {
        for (const listen of this.listeners) listen(message);
      }
    });
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.last;
    this.socket.send(JSON.stringify({ id, method, params, sessionId }));
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject, sessionId }));
  }

  /** A frame that went away answers no more. */
  lost(sessionId) {
    for (const [id, one] of this.waiting) {
      if (one.sessionId !== sessionId) continue;
      this.waiting.delete(id);
      one.reject(new Error("the frame went away"));
    }
  }
}

class Page {
  constructor(connection) {
    this.connection = connection;
    this.contexts = new Map(); // "session/context" -> [session, context]
    this.main = null;
    connection.listeners.push((message) => this.hear(message));
  }

  static async open(connection) {
    const page = new Page(connection);
    const { targetInfos } = await connection.send("Target.getTargets");
    const { targetId } = targetInfos.find((target) => target.type === "page");
    const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
    page.main = sessionId;
    await page.attach(sessionId);
    return page;
  }

  async attach(session) {
    await this.connection.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: true }, session);
    await this.connection.send("Runtime.enable", {}, session);
    await this.connection.send("Page.enable", {}, session);
  }

  hear({ method, params, sessionId }) {
    const key = (id) => `${sessionId}/${id}`;
    if (method === "Target.attachedToTarget") this.attach(params.sessionId).catch(() => {});
    if (method === "Target.detachedFromTarget") {
      this.connection.lost(params.sessionId);
      for (const [name, [session]] of this.contexts) if (session === params.sessionId) this.contexts.delete(name);
    }
    if (method === "Runtime.executionContextCreated") {
      this.contexts.set(key(params.context.id), [sessionId, params.context.id]);
    }
    if (method === "Runtime.executionContextDestroyed") this.contexts.delete(key(params.executionContextId));
    if (method === "Runtime.executionContextsCleared") {
      for (const [name, [session]] of this.contexts) if (session === sessionId) this.contexts.delete(name);
    }
  }

  async run(expression, [session, contextId]) {
    const { result, exceptionDetails } = await this.connection.send(
      "Runtime.evaluate", { expression, contextId, awaitPromise: true, returnByValue: true }, session,
    );
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** The first frame in which an expression is true, tried again and again until the deadline. */
  async frame(expression, what, seconds = 60) {
    for (const deadline = Date.now() + seconds * 1000; ;) {
      for (const context of [...this.contexts.values()]) {
        const found = await Promise.race([this.run(expression, context).catch(() => false), pause(3000)]);
        if (found) return context;
      }
      if (Date.now() > deadline) throw new Error(`not so within ${seconds} seconds: ${what}\n${await this.text()}`);
      await pause(50);
    }
  }

  async goto(url) {
    await this.connection.send("Page.navigate", { url }, this.main);
    await this.frame(`location.href === ${JSON.stringify(url)} && document.readyState === "complete"`, `${url} is open`);
  }

  async at(part, seconds = 30) {
    const wanted = JSON.stringify(part);
    await this.frame(`window === top && location.pathname.startsWith(${wanted}) && document.readyState === "complete"`, `the page is ${part}`, seconds);
  }

  async click(selector) {
    const context = await this.visible(selector);
    await this.run(`document.querySelector(${JSON.stringify(selector)}).click()`, context);
  }

  async has(selector) {
    for (const context of [...this.contexts.values()]) {
      if (await Promise.race([this.run(isVisible(selector), context).catch(() => false), pause(3000)])) return true;
    }
    return false;
  }

  /** Put the cursor into a field and type. */
  async type(selector, text) {
    const context = await this.visible(selector);
    await this.run(`(() => { const f = document.querySelector(${JSON.stringify(selector)}); window.focus(); f.focus(); f.select?.(); })()`, context);
    await this.connection.send("Input.insertText", { text }, context[0]);
    const typed = await this.run(`document.querySelector(${JSON.stringify(selector)}).value`, context);
    if (!typed) throw new Error(`nothing could be typed into ${selector}`);
  }

  async choose(selector, value) {
    const context = await this.visible(selector);
    await this.run(`(() => {
      const list = document.querySelector(${JSON.stringify(selector)});
      list.value = ${JSON.stringify(value)};
      list.dispatchEvent(new Event("input", { bubbles: true }));
      list.dispatchEvent(new Event("change", { bubbles: true }));
    })()`, context);
  }

  async text() {
    const parts = [];
    for (const context of [...this.contexts.values()]) {
      parts.push((await Promise.race([this.run(`location.href + "\\n" + (document.body?.innerText ?? "")`, context).catch(() => ""), pause(3000)])) ?? "");
    }
    return parts.join("\n---\n");
  }

  visible(selector) {
    return this.frame(isVisible(selector), `${selector} is shown`);
  }
}

function isVisible(selector) {
  return `(() => { const e = document.querySelector(${JSON.stringify(selector)}); return !!e && e.getClientRects().length > 0; })()`;
}
