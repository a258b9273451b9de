// For node's own test runner.
const test = require('node:test');
const assert = require('assert');

test('adds', () => assert.strictEqual(1 + 1, 2));
test('waits', async () => assert.strictEqual(await Promise.resolve(3), 3));
