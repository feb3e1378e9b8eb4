// Checks answers against config/openapi.json. The document permits additional fields;
// here an object may only have the fields that the document lists, so that a field that is
// served but not described is found.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { require, root } from './daemon.mjs';

const Ajv = require('ajv/dist/2020').default;
export const openapi = JSON.parse(readFileSync(path.join(root, 'config/openapi.json'), 'utf8'));
const { schemas } = openapi.components;
const nameOf = (ref) => ref.split('/').pop();

// ${node} without permission for additional fields. The parts of a composed schema
// (allOf) stay open at the top, as NAME.part; the whole is closed.
function close(node, isPart = false) {
  if (Array.isArray(node)) return node.map((item) => close(item, isPart));
  if (node === null || typeof node !== 'object') return node;
  if (node.$ref && isPart) return { ...node, $ref: `${node.$ref}.part` };
  const copy = {};
  for (const [key, value] of Object.entries(node)) copy[key] = close(value, key === 'allOf');
  if (!isPart && (copy.properties || copy.allOf) && copy.additionalProperties === undefined)
    copy.unevaluatedProperties = false;
  return copy;
}

const closed = {};
for (const [name, schema] of Object.entries(schemas)) {
  closed[name] = close(schema);
  closed[`${name}.part`] = close(schema, true);
}
const ajv = new Ajv({ strict: false, allErrors: true });
ajv.addSchema({ $id: 'api', components: { schemas: closed } });

const compiled = new Map();
export function validate(schema, value) {
  if (!compiled.has(schema)) compiled.set(schema, ajv.compile({ $ref: `api#/components/schemas/${schema}` }));
  const check = compiled.get(schema);
  if (!check(value)) {
    const first = check.errors.slice(0, 5).map((e) => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`);
    throw new Error(`not a ${schema}:\n${first.join('\n')}`);
  }
  note(planOf(schemas[schema], schema), value);
}

// For each field ("Run.overhead") the number of objects that may have it, that have it,
// and in which it is not null.
export const fields = new Map();

const plans = new Map(); // by schema, then by name

// What is counted in a value of ${schema} that is called ${name}. Worked out once: done for
// each value, it takes a third of the time of these tests.
function planOf(schema, name) {
  if (schema.$ref) return planOf(schemas[nameOf(schema.$ref)], nameOf(schema.$ref));
  if (!plans.has(schema)) plans.set(schema, new Map());
  const known = plans.get(schema);
  if (known.has(name)) return known.get(name);
  const plan = {};
  known.set(name, plan); // a schema may contain itself
  plan.parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? [])].map((part) => planOf(part, name));
  plan.items = schema.items && planOf(schema.items, name);
  plan.fields = Object.entries(schema.properties ?? {}).map(([key, field]) => {
    const full = `${name}.${key}`;
    if (!fields.has(full)) fields.set(full, { objects: 0, present: 0, filled: 0 });
    return { key, seen: fields.get(full), plan: planOf(field, full) };
  });
  plan.others = typeof schema.additionalProperties === 'object' ? planOf(schema.additionalProperties, name) : undefined;
  return plan;
}

function note(plan, value) {
  if (value === null || typeof value !== 'object') return;
  for (const part of plan.parts) note(part, value);
  if (Array.isArray(value)) {
    if (plan.items) for (const item of value) note(plan.items, item);
    return;
  }
  for (const field of plan.fields) {
    const { seen } = field;
    const own = value[field.key];
    seen.objects++;
    if (own === undefined) continue;
    seen.present++;
    if (own === null) continue;
    seen.filled++;
    note(field.plan, own);
  }
  if (plan.others) for (const item of Object.values(value)) note(plan.others, item);
}

// All fields of all schemas. A field that is required together with another one does not
// count as optional.
export function allFields() {
  const found = [];
  const walk = (node, name) => {
    if (node.$ref) return;
    const needed = [...(node.required ?? []), ...Object.values(node.dependentRequired ?? {}).flat(),
      ...Object.keys(node.dependentRequired ?? {})];
    for (const part of [...(node.allOf ?? []), ...(node.anyOf ?? [])]) walk(part, name);
    for (const [key, field] of Object.entries(node.properties ?? {})) {
      found.push({ name: `${name}.${key}`, isOptional: !needed.includes(key) });
      walk(field, `${name}.${key}`);
    }
    if (node.items) walk(node.items, name);
    if (typeof node.additionalProperties === 'object') walk(node.additionalProperties, name);
  };
  for (const [name, schema] of Object.entries(schemas)) walk(schema, name);
  return found;
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

// ${answer} to ${method} ${target} must be as described.
export function conforms(method, target, answer) {
  const pattern = pathOf(target);
  const operation = openapi.paths[pattern]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`${method} ${target} is not in the document`);
  used.add(operation.operationId);
  let described = operation.responses[answer.status] ?? operation.responses.default;
  if (described.$ref) described = openapi.components.responses[nameOf(described.$ref)];
  if (operation.responses[answer.status] === undefined)
    throw new Error(`${method} ${pattern}: status ${answer.status} is not described`);
  const type = (answer.headers['content-type'] ?? '').split(';')[0];
  const content = described.content?.[type];
  if (described.content && content === undefined)
    throw new Error(`${method} ${pattern}: ${answer.status} has type '${type}'`);
  if (!described.content && answer.text) throw new Error(`${method} ${pattern}: ${answer.status} has a body`);
  const ref = content?.schema.$ref;
  if (ref) validate(nameOf(ref), answer.json);
  return answer;
}

export function unusedOperations() {
  return Object.values(openapi.paths)
    .flatMap((methods) => Object.values(methods))
    .map((operation) => operation.operationId)
    .filter((id) => !used.has(id));
}
