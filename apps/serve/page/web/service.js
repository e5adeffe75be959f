// The service behind the page: requests that end in a document or a Problem, and the live connection.

export class Problem extends Error {
  constructor(document) {
    super(document.detail || document.title || "the request failed");
    this.document = document;
  }
}

// A server with a token hands out pages without it; the token comes in the address (#token=...) and stays in this tab.
export function token() {
  const match = /(?:^#|&)token=([A-Za-z0-9._~-]+)/.exec(location.hash);
  if (match) {
    sessionStorage.setItem("token", match[1]);
    history.replaceState(null, "", location.pathname + location.hash.replace(/&?token=[^&]*/, "").replace(/^#$/, ""));
  }
  return sessionStorage.getItem("token");
}

function headers(more = {}) {
  const secret = token();
  return secret ? {...more, Authorization: `Bearer ${secret}`} : more;
}

async function failure(response) {
  let document = {detail: `${response.status} ${response.statusText}`};
  try { document = await response.json(); } catch { /* no document */ }
  if (document.remedy?.length) {
    document.detail += ` (try ${document.remedy.map(r => r.value ? `${r.option} ${r.value}` : r.option).join(", ")})`;
  }
  return new Problem(document);
}

export async function post(path, body, signal) {
  const response = await fetch(path, {method: "POST", signal, headers: headers({"Content-Type": "application/json"}),
                                      body: JSON.stringify(body)});
  if (!response.ok) throw await failure(response);
  return response.json();
}

// Lines of progress, then the result. Aborting the signal closes the connection, which stops the work.
export async function stream(path, body, onProgress, signal) {
  const response = await fetch(path, {method: "POST", signal, headers: headers({"Content-Type": "application/json"}),
                                      body: JSON.stringify({...body, stream: true})});
  if (!response.ok) throw await failure(response);
  if (!response.headers.get("Content-Type").includes("ndjson")) return response.json();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const {value, done} = await reader.read();
    if (done) throw new Problem({detail: "the answer ended too early"});
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines.filter(Boolean)) {
      const message = JSON.parse(line);
      if (message.problem) throw new Problem(message.problem);
      if (message.result) return message.result;
      onProgress(message.progress);
    }
  }
}

export async function download(path) {
  const response = await fetch(path, {headers: headers()});
  if (!response.ok) throw await failure(response);
  return response.blob();
}

const PATIENCE = 500;  // milliseconds; a server whose threads are all taken does not answer

// Messages carry a number; the server works on the newest only, and an answer older than the last one shown is dropped.
export class Live {
  constructor(onAnswer, onStatus) {
    this.onAnswer = onAnswer;
    this.onStatus = onStatus;
    this.seq = 0;
    this.shown = 0;
    this.latest = null;
    this.sent = new Map();
    this.busy = false;
    this.next = null;
    this.connect();
  }

  // Calls once no answer is being waited for, after the caller has finished what it is at.
  whenFree(call) {
    this.next = call;
    queueMicrotask(() => this.go());
  }
  go() {
    if (this.busy || !this.next) return;
    const call = this.next;
    this.next = null;
    call();
  }
  free() {
    this.busy = false;
    clearTimeout(this.timer);
    this.go();
  }

  connect() {
    const secret = token();
    const protocols = secret ? ["instantgp", `bearer.${secret}`] : ["instantgp"];
    this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/v1/live`, protocols);
    this.socket.onopen = () => {
      this.wait = 500;
      this.onStatus("");
      if (this.latest) this.socket.send(this.latest);
    };
    this.socket.onmessage = event => {
      const answer = JSON.parse(event.data);
      if (answer.seq !== undefined) {
        if (answer.seq < this.shown) return this.free();
        this.shown = answer.seq;
        answer.round_trip_ms = performance.now() - (this.sent.get(answer.seq) ?? NaN);
        for (const seq of this.sent.keys()) if (seq <= answer.seq) this.sent.delete(seq);
      }
      this.onAnswer(answer);
      this.free();
    };
    this.socket.onclose = () => {
      this.onStatus("not connected; trying again");
      this.free();
      this.wait = Math.min(2 * (this.wait ?? 250), 8000);
      setTimeout(() => this.connect(), this.wait);
    };
  }

  send(message) {
    message.seq = ++this.seq;
    this.sent.set(message.seq, performance.now());
    this.latest = JSON.stringify(message);
    if (this.socket.readyState !== WebSocket.OPEN) return;
    this.socket.send(this.latest);
    this.busy = true;
    this.timer = setTimeout(() => this.free(), PATIENCE);
  }
}
