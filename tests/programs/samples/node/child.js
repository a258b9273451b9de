// The other end of work.js's child_process.fork.
process.once('message', (n) => process.send(2 * n, () => process.disconnect()));
