// The resources of a run.
import assert from 'node:assert/strict';
import { conforms, openapi } from './schema.mjs';

async function ask(daemon, target) {
  const answer = conforms('GET', target, await daemon.get(target));
  assert.ok(answer.status < 500, `${target}: ${answer.text}`);
  return answer.json ?? {};
}

// All resources of ${run}, with one value for each of their parameters.
export async function askAll(daemon, run) {
  const get = (target) => ask(daemon, target);
  const first = async (part, key) => (await get(`/api/v1/runs/${run}/${part}`)).items?.[0]?.[key];
  const value = { '{id}': run, '{kid}': (await first('kernels', 'id')) ?? 1,
    '{fid}': (await first('findings', 'id')) ?? 'none', '{n}': 0 };
  for (const [pattern, methods] of Object.entries(openapi.paths)) {
    if (!pattern.startsWith('/api/v1/runs/{id}') || !methods.get || pattern.endsWith('/events')) continue;
    const target = pattern.replace(/\{\w+\}/g, (name) => value[name]);
    if (pattern.endsWith('/export')) await get(`${target}?format=json`);
    else await get(target);
  }
  await get(`/api/v1/runs/${run}/kernels/${value['{kid}']}/source?sass=1`);
  await get(`/api/v1/compare?base=${run}&target=${run}`);
}

// Its timeline at full zoom, which is computed from the records themselves.
export async function askCloseUp(daemon, run) {
  const target = `/api/v1/runs/${run}/timeline`;
  const wall = (await ask(daemon, target)).to_ns ?? 0;
  for (let from = 0; from + 8 <= wall; from += Math.floor(wall / 8))
    await ask(daemon, `${target}?px=1000&from_ns=${from}&to_ns=${from + Math.floor(wall / 8)}`);
}
