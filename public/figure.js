// Saves a chart: as SVG and PNG with its title, its sentence and its legend, or its numbers as CSV. Loaded on the first
// press of such a button (boot.js), so that nobody who saves none downloads it.
//
// Colours come from the style sheet, which a saved file does not have: every mark takes along what it looks like now.

const LOOK = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linejoin', 'opacity', 'font-family', 'font-size', 'font-weight', 'font-variant-numeric'];
const CHART = 'svg.c[role=img]';
const SVG = 'http://www.w3.org/2000/svg';
const MARGIN = 16;
const PNG_SCALE = 2;

export async function save(button) {
  const figure = button.closest('figure');
  // While this script came the page may have drawn the figure anew: what is gone has no looks to take along.
  if (!figure?.isConnected) return;
  const kind = button.dataset.figure;
  const name = `shardwise-${figure.closest('section')?.id ?? 'chart'}.${kind}`;
  if (kind === 'csv') return download(name, new Blob(['\ufeff', csv(figure)], { type: 'text/csv' }));
  if (!figure.querySelector(CHART)) return;
  const { svg, width, height } = picture(figure);
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(svg)}`;
  if (kind === 'svg') return download(name, new Blob([text], { type: 'image/svg+xml' }));
  const image = await raster(text, width, height);
  if (image) download(name, image);
}

function download(name, blob) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 40_000);
}

/** The figure's table; numbers as a spreadsheet reads them. */
function csv(figure) {
  const plain = (cell) => {
    const text = cell.innerText.replace(/\s+/g, ' ').trim();
    const number = text.replace(/,(?=\d{3})/g, '').replace('−', '-');
    return /^-?\d+(\.\d+)?$/.test(number) ? number : `"${text.replaceAll('"', '""')}"`;
  };
  const rows = [...figure.querySelectorAll('table tr')];
  // A column of buttons has no numbers.
  const cells = (row) => [...row.cells].filter((cell) => !cell.querySelector('button')).flatMap((cell) => [plain(cell), ...Array(cell.colSpan - 1).fill('')]);
  return `${rows.map((row) => cells(row).join(',')).join('\r\n')}\r\n`;
}

/** A drawing of its own: title, sentence, chart and legend one below the other. */
function picture(figure) {
  const own = figure.querySelector(CHART);
  const width = Number(own.getAttribute('width')) + 2 * MARGIN;
  const svg = element('svg', { xmlns: SVG });
  const ground = element('rect', { width: '100%', height: '100%', fill: backdrop(figure) });
  svg.append(ground, defs());
  let top = MARGIN;
  const title = figure.closest('section')?.querySelector('h2, h3');
  for (const source of [title, ...figure.querySelectorAll('figcaption p')]) {
    if (source?.innerText.trim()) top = write(svg, source, top, width - 2 * MARGIN);
  }
  const chart = dressed(own);
  chart.setAttribute('x', MARGIN);
  chart.setAttribute('y', top + 8);
  svg.append(chart);
  top += Number(own.getAttribute('height')) + 20;
  const height = Math.ceil(legend(svg, figure, top, width) + MARGIN);
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) svg.setAttribute(name, value);
  return { svg, width, height };
}

function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function backdrop(of) {
  for (let at = of; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (colour && !/^(transparent|rgba\(0, 0, 0, 0\))$/.test(colour)) return colour;
  }
  return 'Canvas';
}

/** A copy whose every mark says what it looks like. */
function dressed(own) {
  const copy = own.cloneNode(true);
  const pairs = [own, ...own.querySelectorAll('*')].map((from, index) => [from, index ? copy.querySelectorAll('*')[index - 1] : copy]);
  for (const [from, to] of pairs) {
    const style = getComputedStyle(from);
    for (const name of LOOK) {
      if (name === 'fill' && to.getAttribute('fill')?.startsWith('url')) continue;
      to.setAttribute(name, style.getPropertyValue(name));
    }
    to.removeAttribute('class');
    to.removeAttribute('aria-labelledby');
  }
  return copy;
}

function defs() {
  const made = element('defs', {});
  const hatch = document.getElementById('hatch');
  if (hatch) {
    const copy = dressed(hatch);
    copy.id = 'hatch';
    made.append(copy);
  }
  return made;
}

/** Puts the words of an element into lines; returns where the next may begin. */
function write(svg, source, top, width) {
  const style = getComputedStyle(source);
  const size = parseFloat(style.fontSize);
  const measure = document.createElement('canvas').getContext('2d');
  measure.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const lines = [''];
  for (const word of source.innerText.trim().match(/[\u3000-\u9fff\uff00-\uffef]|[^\s\u3000-\u9fff\uff00-\uffef]+\s?/g) ?? []) {
    if (lines.at(-1) && measure.measureText(lines.at(-1) + word).width > width) lines.push('');
    lines[lines.length - 1] += word;
  }
  for (const line of lines) {
    const text = element('text', { x: MARGIN, y: top + size, fill: style.color, 'font-family': style.fontFamily, 'font-size': size, 'font-weight': style.fontWeight });
    text.textContent = line.trimEnd();
    svg.append(text);
    top += size * 1.4;
  }
  return top + 4;
}

function legend(svg, figure, top, width) {
  let left = MARGIN;
  for (const item of figure.querySelectorAll('.legend li')) {
    const wide = item.getBoundingClientRect().width;
    if (left > MARGIN && left + wide > width - MARGIN) {
      left = MARGIN;
      top += 20;
    }
    const swatch = item.querySelector('.sw');
    const drawn = item.querySelector('svg');
    if (drawn) {
      const copy = dressed(drawn);
      for (const [name, value] of Object.entries({ x: left, y: top, width: 18, height: 10 })) copy.setAttribute(name, value);
      svg.append(copy);
    } else if (swatch) {
      const style = getComputedStyle(swatch);
      const fill = style.backgroundImage.includes('gradient') ? 'url(#hatch)' : style.backgroundColor;
      svg.append(element('rect', { x: left, y: top, width: 11, height: 11, rx: 2, fill }));
    }
    const style = getComputedStyle(item);
    const text = element('text', { x: left + (drawn ? 24 : 18), y: top + 10, fill: style.color, 'font-family': style.fontFamily, 'font-size': parseFloat(style.fontSize) });
    text.textContent = item.innerText.trim();
    svg.append(text);
    left += wide + 14;
  }
  return top + 12;
}

async function raster(text, width, height) {
  const image = new Image();
  // The page's policy allows images of its own and of such addresses.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), { width: width * PNG_SCALE, height: height * PNG_SCALE });
  const context = canvas.getContext('2d');
  context.scale(PNG_SCALE, PNG_SCALE);
  context.drawImage(image, 0, 0);
  return new Promise((done) => canvas.toBlob(done, 'image/png'));
}
