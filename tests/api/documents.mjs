// What can be asked of a run.
import assert from 'node:assert/strict';
import { conforms, openapi } from './schema.mjs';

// Every resource of ${run}, at one value of each of its parameters.
export async function askAll(daemon, run) {
  const get = async (target) => {
    const answer = conforms('GET', target, await daemon.get(target));
    assert.ok(answer.status < 500, `${target}: ${answer.text}`);
    return answer.json ?? {};
  };
  const first = async (part, key) => (await get(`/api/v1/runs/${run}/${part}`)).items?.[0]?.[key];
  const value = { '{id}': run, '{kid}': (await first('kernels', 'id')) ?? 1,
    '{fid}': (await first('findings', 'id')) ?? 'none', '{n}': 0 };
  for (const [pattern, methods] of Object.entries(openapi.paths)) {
    if (!pattern.startsWith('/api/v1/runs/{id}') || !methods.get || pattern.endsWith('/events')) continue;
    const target = pattern.replace(/\{\w+\}/g, (name) => value[name]);
    if (pattern.endsWith('/export')) await get(`${target}?format=json`);
    else await get(target);
  }
  // Close up: drawn from the records themselves.
  const wall = (await get(`/api/v1/runs/${run}/timeline`)).to_ns ?? 0;
  for (let from = 0; from + 8 <= wall; from += Math.floor(wall / 8))
    await get(`/api/v1/runs/${run}/timeline?px=1000&from_ns=${from}&to_ns=${from + Math.floor(wall / 8)}`);
  await get(`/api/v1/runs/${run}/kernels/${value['{kid}']}/source?sass=1`);
  await get(`/api/v1/compare?base=${run}&target=${run}`);
}

