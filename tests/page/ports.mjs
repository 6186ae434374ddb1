// Ports that stay a test's own while its server is away: `tests/support/ports.rs` takes them in the same way.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** Below those that the system gives to whoever asks for any, the page's own connections among them. */
const FIRST = 20_000;
const COUNT = 10_000;
let next = process.pid;

/** A port of this computer that no other test has until it is freed. */
export async function ownPort() {
  for (let tries = 0; tries < COUNT; tries++) {
    const number = FIRST + (next++ % COUNT);
    const mark = createSocket('udp4').bind(number, '127.0.0.1');
    try {
      await once(mark, 'listening');
      return { number, free: () => mark.close() };
    } catch (error) {
      if (error.code !== 'EADDRINUSE') throw error;
    }
  }
  throw new Error('no free port');
}
