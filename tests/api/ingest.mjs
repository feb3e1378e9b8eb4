// Frames for the ingest socket, as a target would send them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { bin } from './daemon.mjs';

// The frames of a capture by stream.
function streams(bytes) {
  const found = new Map();
  for (let at = 0; at < bytes.length;) {
    const length = 48 + bytes.readUInt32LE(at + 8);
    const id = bytes.readBigUInt64LE(at + 16);
    found.set(id, [...(found.get(id) ?? []), bytes.subarray(at, at + length)]);
    at += length;
  }
  return [...found.values()];
}

// The streams of an invented run, each as a list of frames.
export function made(daemon, ...options) {
  const file = path.join(daemon.dir, 'live.cadv');
  execFileSync(path.join(bin, 'make_capture'), [file, ...options]);
  return streams(readFileSync(file));
}

// Sends them on a new socket; returns it after the first ACK.
export function connect(daemon, frames) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(path.join(daemon.dir, 'run/ingest.sock'));
    socket.on('error', reject);
    socket.once('data', () => resolve(socket));
    socket.on('connect', () => frames.forEach((frame) => socket.write(frame)));
  });
}

export async function until(wanted, what) {
  let value;
  for (let i = 0; i < 300; i++) {
    value = await wanted();
    if (value) return value;
    await new Promise((r) => setTimeout(r, 100));
  }
  return assert.fail(what);
}
