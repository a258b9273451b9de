// Files, worker threads, child processes, a server on loopback, cryptography: node's own library.
const assert = require('assert');
const childProcess = require('child_process');
const crypto = require('crypto');
const fs = require('fs');
const http = require('http');
const os = require('os');
const path = require('path');
const zlib = require('zlib');
const {Worker, isMainThread, parentPort, workerData} = require('worker_threads');

if (!isMainThread) {
  let sum = 0;
  for (let i = 0; i <= workerData; i++) sum += i;
  parentPort.postMessage(sum);
  return;
}

const inThread = (n) => new Promise((resolve, reject) => {
  const worker = new Worker(__filename, {workerData: n});
  worker.once('message', resolve);
  worker.once('error', reject);
});

const get = (port) => new Promise((resolve, reject) => {
  http.get({host: '127.0.0.1', port, path: '/x'}, (response) => {
    let text = '';
    response.on('data', (part) => text += part).on('end', () => resolve(text));
  }).on('error', reject);
});

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'work-'));
  const file = path.join(folder, 'file');
  await fs.promises.writeFile(file, 'x'.repeat(1 << 20));
  assert.strictEqual((await fs.promises.stat(file)).size, 1 << 20);
  fs.renameSync(file, `${file}2`);
  assert.deepStrictEqual(fs.readdirSync(folder), ['file2']);
  const watcher = fs.watch(folder);
  const seen = new Promise((resolve) => watcher.once('change', resolve));
  fs.writeFileSync(path.join(folder, 'new'), '');
  await seen;
  watcher.close();
  fs.rmSync(folder, {recursive: true});

  assert.deepStrictEqual(await Promise.all([inThread(10), inThread(100)]), [55, 5050]);

  assert.strictEqual(childProcess.execSync('echo $((6 * 7))').toString(), '42\n');
  const cat = childProcess.spawn('cat');
  cat.stdin.end('through');
  assert.strictEqual(await new Promise((resolve) => cat.stdout.once('data', (d) => resolve(`${d}`))), 'through');
  const forked = childProcess.fork(path.join(__dirname, 'child.js'));
  forked.send(21);
  assert.strictEqual(await new Promise((resolve) => forked.once('message', resolve)), 42);

  const server = http.createServer((request, response) => response.end(`hello ${request.url}`));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  assert.strictEqual(await get(server.address().port), 'hello /x');
  server.close();
  server.closeAllConnections?.();

  assert.strictEqual(crypto.createHash('sha256').digest('hex').slice(0, 8), 'e3b0c442');
  assert.strictEqual(crypto.randomBytes(16).length, 16);
  const {privateKey, publicKey} = crypto.generateKeyPairSync('ec', {namedCurve: 'P-256'});
  assert(crypto.verify('sha256', Buffer.from('m'), publicKey, crypto.sign('sha256', Buffer.from('m'), privateKey)));
  assert.strictEqual(zlib.gunzipSync(zlib.gzipSync('text')).toString(), 'text');
  console.log('node fine');
}

main().catch((error) => { console.error(error); process.exit(1); });
