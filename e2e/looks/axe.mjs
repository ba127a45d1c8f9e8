// What axe finds on the page that is shown, or on parts of it, of any weight, as sentences.

import AxeBuilder from '@axe-core/playwright';
import { layOut } from './laid.mjs';

// What passes is not asked for, and what axe found is not put together in a page of its own: it would take as long again.
export async function violations(page, ...parts) {
  await layOut(page);
  const axe = parts.reduce((all, part) => all.include(part), new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] }));
  const found = await axe.analyze();
  return found.violations.map(({ id, impact, nodes }) =>
    `${id} (${impact}): ${nodes.slice(0, 3).map((node) => node.target.join(' ')).join(', ')}${nodes.length > 3 ? ` and ${nodes.length - 3} more` : ''}`);
}
