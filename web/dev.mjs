// `npm run dev -- http://127.0.0.1:7373/?token=…`: the page of `serve` from these sources, made anew whenever one of them
// changes, with the API of a server that runs. What the server sends itself stays as it was built.
import { createServer, request } from 'node:http';
import { context } from 'esbuild';
import { folder, options } from './build.mjs';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PORT = Number(process.env.PORT ?? 7380);
const KINDS = { js: 'text/javascript', css: 'text/css', html: 'text/html', svg: 'image/svg+xml', webmanifest: 'application/manifest+json' };

const address = process.argv[2];
if (!address) {
  console.error('npm run dev -- ADDRESS: the address that `deepanalyze serve` has printed, with its token');
  process.exit(2);
}
const server = new URL(address);
const made = new Map();

/** Makes a file now and after each change, and keeps it in memory. */
async function watch(entry, name) {
  const keep = {
    name: 'keep',
    setup: ({ onEnd }) => onEnd(({ errors, outputFiles }) => {
      if (errors.length) return;
      made.set(`/${name}`, outputFiles[0].contents);
      console.log(`${new Date().toLocaleTimeString()} ${name}`);
    }),
  };
  const making = await context({ ...options(entry), minify: false, sourcemap: 'inline', plugins: [...options(entry).plugins, keep] });
  await making.watch();
}

const file = path => made.get(path) ?? (path === '/' || /^\/(icon\.svg|manifest\.webmanifest)$/.test(path) ? readFileSync(join(folder, 'serve', path === '/' ? 'index.html' : path)) : undefined);

/** The server lets in only who asks it by its own name. */
function pass(incoming, outgoing) {
  const headers = { ...incoming.headers, host: server.host };
  if (headers.origin) headers.origin = server.origin;
  delete headers.referer;
  const asked = request({ host: server.hostname, port: server.port, method: incoming.method, path: incoming.url, headers }, answer => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    answer.pipe(outgoing);
  });
  asked.on('error', error => outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end(error.message));
  outgoing.on('close', () => asked.destroy());
  incoming.pipe(asked);
}

await Promise.all([watch('serve/src/main.tsx', 'app.js'), watch('serve/src/style.css', 'app.css')]);
createServer((incoming, outgoing) => {
  const { pathname, search } = new URL(incoming.url, 'http://localhost');
  // The first visit brings the token: the server gives a cookie for it.
  const content = search ? undefined : file(pathname);
  if (!content) return pass(incoming, outgoing);
  outgoing.writeHead(200, { 'Content-Type': KINDS[pathname === '/' ? 'html' : pathname.split('.').pop()], 'Cache-Control': 'no-store' });
  outgoing.end(content);
}).listen(PORT, '127.0.0.1', () => console.log(`http://127.0.0.1:${PORT}/${server.search}`));
