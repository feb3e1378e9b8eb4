// Checks answers against config/openapi.json. The document allows fields to be
// added; here an object may have only what the document lists, so that a field
// that is served but not described is found.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { require, root } from './daemon.mjs';

const Ajv = require('ajv/dist/2020').default;
export const openapi = JSON.parse(readFileSync(path.join(root, 'config/openapi.json'), 'utf8'));

function close(node) {
  if (Array.isArray(node)) return node.map(close);
  if (node === null || typeof node !== 'object') return node;
  const copy = {};
  for (const [key, value] of Object.entries(node)) copy[key] = close(value);
  if (copy.type === 'object' && copy.properties && copy.additionalProperties === undefined)
    copy.additionalProperties = false;
  return copy;
}

const ajv = new Ajv({ strict: false, allErrors: true });
ajv.addSchema({ $id: 'api', components: close(openapi.components) });

const compiled = new Map();
export function validate(schema, value) {
  if (!compiled.has(schema)) compiled.set(schema, ajv.compile({ $ref: `api#/components/schemas/${schema}` }));
  const check = compiled.get(schema);
  if (!check(value)) {
    const first = check.errors.slice(0, 5).map((e) => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`);
    throw new Error(`not a ${schema}:\n${first.join('\n')}`);
  }
}

function pathOf(target) {
  const asked = new URL(target, 'http://localhost').pathname.split('/');
  const fits = (pattern) => {
    const pieces = pattern.split('/');
    return pieces.length === asked.length && pieces.every((p, i) => p.startsWith('{') || p === asked[i]);
  };
  return Object.keys(openapi.paths).find(fits);
}

const used = new Set();

// ${answer} to ${method} ${target} is what the document says.
export function conforms(method, target, answer) {
  const pattern = pathOf(target);
  const operation = openapi.paths[pattern]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`${method} ${target} is not in the document`);
  used.add(operation.operationId);
  let described = operation.responses[answer.status] ?? operation.responses.default;
  if (described.$ref) described = openapi.components.responses[described.$ref.split('/').pop()];
  if (operation.responses[answer.status] === undefined)
    throw new Error(`${method} ${pattern}: status ${answer.status} is not described`);
  const type = (answer.headers['content-type'] ?? '').split(';')[0];
  const content = described.content?.[type];
  if (described.content && content === undefined)
    throw new Error(`${method} ${pattern}: ${answer.status} has type '${type}'`);
  if (!described.content && answer.text) throw new Error(`${method} ${pattern}: ${answer.status} has a body`);
  const ref = content?.schema.$ref;
  if (ref) validate(ref.split('/').pop(), answer.json);
  return answer;
}

export function unusedOperations() {
  return Object.values(openapi.paths)
    .flatMap((methods) => Object.values(methods))
    .map((operation) => operation.operationId)
    .filter((id) => !used.has(id));
}
