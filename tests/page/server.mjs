// `deepanalyze serve` for a test: a folder of its own, the scripted engine, and a browser that is let in.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { ownPort } from './ports.mjs';

export class Server {
  /** With further flags of the engine, and of `serve`. */
  constructor(flags = [], more = []) {
    this.engine = [process.env.ENGINE, ...flags].join(' ');
    this.more = more;
    this.folder = mkdtempSync(join(tmpdir(), 'deepanalyze-serve-'));
  }

  /** Starts it, on the same port as before. */
  async start() {
    this.own ??= await ownPort();
    this.port = this.own.number;
    const args = ['serve', '--port', String(this.port), '--engine', this.engine, '--engines', '1', '--distance', '30', ...this.more];
    this.process = spawn(process.env.DEEPANALYZE, args, { ...this.place(), stdio: ['ignore', 'pipe', 'pipe'] });
    this.said = '';
    this.process.stderr.on('data', data => (this.said += data));
    const lines = createInterface({ input: this.process.stdout });
    this.address = await new Promise((found, failed) => {
      lines.on('line', line => {
        const address = line.match(/http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/)?.[0];
        if (address) found(address);
      });
      this.process.on('exit', code => failed(new Error(`serve ended with ${code}: ${this.said}`)));
    });
    this.token = new URL(this.address).searchParams.get('token');
  }

  place() {
    const env = { PATH: process.env.PATH, HOME: this.folder, DEEPANALYZE_CONFIG: process.env.SEALED, DEEPANALYZE_DB: join(this.folder, 'tree.db') };
    return { cwd: this.folder, env };
  }

  /** Another command on the same database. */
  async run(...args) {
    await promisify(execFile)(process.env.DEEPANALYZE, args, this.place());
  }

  /** Ends it as Ctrl-C does, or at once. */
  async end(signal = 'SIGINT') {
    if (!this.process || this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, 'exit');
    this.process.kill(signal);
    await ended;
  }

  async close() {
    await this.end('SIGKILL');
    this.own?.free();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Waits for an event of the stream, as a script does. */
  async event(kind) {
    const stop = new AbortController();
    const response = await fetch(`http://127.0.0.1:${this.port}/api/events`, { headers: { Authorization: `Bearer ${this.token}` }, signal: stop.signal });
    let heard = '';
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      heard += part;
      if (heard.includes(`event: ${kind}\n`)) break;
    }
    stop.abort();
  }

  /** Asks the API as a script does. */
  async api(method, path, body) {
    const headers = { Authorization: `Bearer ${this.token}`, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) };
    const response = await fetch(`http://127.0.0.1:${this.port}/api/${path}`, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  }
}
