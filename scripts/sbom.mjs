// Writes what is compiled in as a CycloneDX document (https://cyclonedx.org/docs/1.6/json/): each crate with its version, licence,
// digest and what it takes. The same bytes from the same lock file.
//
//   node scripts/sbom.mjs site|package|program|wheel [TARGET] > shardwise.cdx.json

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { commit } from './identity.mjs';
import { PRODUCTS, linkedInto } from './linked.mjs';

const LOCK = fileURLToPath(new URL('../Cargo.lock', import.meta.url));

/** The document of a product, for a platform other than this machine's where one is named. */
export function sbom(product, target) {
  const { packages, takes } = linkedInto(product, target);
  const digests = new Map([...readFileSync(LOCK, 'utf8').matchAll(/^name = "(.+)"\nversion = "(.+)"\nsource = ".+"\nchecksum = "([0-9a-f]{64})"/gm)].map(([, name, version, sum]) => [`${name} ${version}`, sum]));
  const purl = ({ name, version }) => `pkg:cargo/${name}@${version}`;
  const references = new Map(packages.map((one) => [one.id, purl(one)]));
  const components = packages.map((one) => {
    const digest = digests.get(`${one.name} ${one.version}`);
    // Ours have none: they are of this commit.
    if (!digest && one.source) throw new Error(`Cargo.lock has no digest of ${one.name} ${one.version}`);
    return {
      type: 'library',
      'bom-ref': purl(one),
      name: one.name,
      version: one.version,
      // Older crates write a slash where https://spdx.dev/learn/handling-license-info/ has OR.
      licenses: [{ expression: one.license.replaceAll('/', ' OR ').replace(/ +/g, ' ') }],
      purl: purl(one),
      ...(digest && { hashes: [{ alg: 'SHA-256', content: digest }] }),
      ...(one.repository && { externalReferences: [{ type: 'vcs', url: one.repository }] }),
    };
  });
  const byReference = (one, other) => (one < other ? -1 : 1);
  const { version } = packages.find(({ name }) => name === PRODUCTS[product].names[0]);
  const own = commit();
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application', 'bom-ref': `shardwise-${product}`, name: 'shardwise', version, licenses: [{ expression: 'Apache-2.0 OR MIT' }],
        properties: [{ name: 'shardwise:product', value: product }, ...(target ? [{ name: 'shardwise:target', value: target }] : []), ...(own ? [{ name: 'shardwise:commit', value: own }] : [])],
      },
    },
    components: components.sort((one, other) => byReference(one['bom-ref'], other['bom-ref'])),
    dependencies: [
      { ref: `shardwise-${product}`, dependsOn: PRODUCTS[product].names.map((name) => purl(packages.find((one) => one.name === name))).sort() },
      ...packages.map((one) => ({ ref: purl(one), dependsOn: [...new Set(takes.get(one.id).map((id) => references.get(id)))].sort() })).sort((one, other) => byReference(one.ref, other.ref)),
    ],
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [product, target] = process.argv.slice(2);
  if (!(product in PRODUCTS)) {
    console.error(`usage: node scripts/sbom.mjs ${Object.keys(PRODUCTS).join('|')} [TARGET]`);
    process.exit(2);
  }
  console.log(JSON.stringify(sbom(product, target), null, 1));
}
