// Documents against the package's schema.

import Ajv2020 from 'ajv/dist/2020.js';

// No object has a field that its schema does not name.
function closed(one) {
  if (Array.isArray(one)) return one.map(closed);
  if (one === null || typeof one !== 'object') return one;
  const own = Object.fromEntries(Object.entries(one).map(([key, value]) => [key, closed(value)]));
  return own.type === 'object' && own.properties && !('additionalProperties' in own) ? { ...own, additionalProperties: false } : own;
}

/** What is wrong with a document by the name of its type; an empty text where nothing is. */
export function checker(schema) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'all', ...closed(schema) });
  return (name, document) => {
    const check = ajv.getSchema(`all#/$defs/${name}`);
    return check(document) ? '' : `${name}: ${ajv.errorsText(check.errors)}`;
  };
}
