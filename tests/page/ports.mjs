// Ports that stay a test's own while its server is away: `tests/support/ports.rs` takes them in the same way.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that the system gives to programs that ask for any, the page's own connections among them. */
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
    } catch (error) {
      if (error.code !== 'EADDRINUSE') throw error;
      continue;
    }
    if (await isFree(number)) return { number, free: () => mark.close() };
    mark.close();
  }
  throw new Error('no free port');
}

/** True if no other program listens there. */
async function isFree(number) {
  const server = createServer().listen(number, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error.code !== 'EADDRINUSE') throw error;
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
