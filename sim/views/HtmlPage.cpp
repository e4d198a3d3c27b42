#include "sim/views/HtmlPage.h"

namespace tlx::sim {

const char *const htmlHead = R"PAGE(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>)PAGE";

const char *const htmlStyle = R"PAGE(</title>
<link rel="icon" href="data:,">
<style>
:root { --ink: #1c2430; --faint: #6b7684; --line: #dde2e8; --paper: #fff; }
body { font: 14px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 24px auto; max-width: 1232px; padding: 0 24px; }
h1 { font-size: 22px; margin: 0 0 4px; } h2 { font-size: 16px; margin: 28px 0 8px; }
p { margin: 4px 0; } .faint { color: var(--faint); }
.cards { display: flex; flex-wrap: wrap; gap: 12px; margin: 16px 0; }
.card { border: 1px solid var(--line); border-radius: 6px; padding: 10px 14px; min-width: 128px; }
.card b { display: block; font-size: 18px; } .card span { color: var(--faint); font-size: 12px; }
.meter { height: 6px; background: var(--line); border-radius: 3px; margin-top: 6px; }
.meter i { display: block; height: 6px; border-radius: 3px; background: #3b6fd4; }
table { border-collapse: collapse; width: 100%; } th { text-align: left; color: var(--faint); font-weight: 500; }
th, td { padding: 4px 8px; border-bottom: 1px solid var(--line); } td.n { text-align: right; white-space: nowrap; }
code { font: 12px/1.4 ui-monospace, monospace; }
.bar { display: flex; height: 18px; border-radius: 3px; overflow: hidden; } .bar i { display: block; height: 18px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 8px 0; font-size: 12px; }
.legend i { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 5px; }
#time { width: 100%; border: 1px solid var(--line); border-radius: 6px; cursor: grab; display: block; }
#tip { min-height: 20px; font-size: 12px; color: var(--faint); margin-top: 4px; }
</style></head><body>
)PAGE";

const char *const htmlScript = R"PAGE(
(function () {
  const canvas = document.getElementById('time');
  if (!canvas || !data.tracks.length) return;
  const tip = document.getElementById('tip'), rowHeight = 22, labelWidth = 170, axis = 24, chartHeight = 70;
  const rows = data.tracks.map(() => []);
  let last = 1;
  for (const b of data.bars) { rows[b[0]].push(b); last = Math.max(last, b[2]); }
  for (const r of rows) r.sort((a, b) => a[1] - b[1]);
  let from = 0, to = last, hover = null;
  const charts = axis + rowHeight * rows.length + 6, height = charts + chartHeight * data.memories.length;
  function x(cycle, width) { return labelWidth + (cycle - from) / (to - from) * (width - labelWidth); }
  // Draws a step series as an area between `base` and `base` - `tall` at `limit`.
  function area(g, width, series, limit, base, tall, colour) {
    let px = labelWidth, level = 0;
    g.fillStyle = colour;
    for (const step of series.concat([[last, 0]])) {
      const next = Math.min(width, Math.max(labelWidth, x(step[0], width)));
      if (level) g.fillRect(px, base - level / limit * tall, next - px, level / limit * tall);
      px = next; level = step[1];
    }
  }
  function value(series, cycle) {
    let level = 0;
    for (const step of series) { if (step[0] > cycle) break; level = step[1]; }
    return level;
  }
  const most = series => series.reduce((m, step) => Math.max(m, step[1]), 0);
  const amount = (n, unit) => unit === 'bytes' ? (n / 1024).toFixed(1) + ' KiB' : n + ' ' + unit;
  function drawCharts(g, width) {
    data.memories.forEach((m, i) => {
      const base = charts + (i + 1) * chartHeight - 8, tall = chartHeight - 18;
      area(g, width, m.allocated, m.limit, base, tall, '#c9d7f3');
      area(g, width, m.used, m.limit, base, tall, '#3b6fd4');
      g.strokeStyle = '#c9663c'; g.beginPath(); g.moveTo(labelWidth, base - tall); g.lineTo(width, base - tall); g.stroke();
      g.fillStyle = '#1c2430'; g.fillText(m.name, 6, base - tall + 10, labelWidth - 10);
      g.fillStyle = '#6b7684';
      g.fillText('limit ' + amount(m.limit, m.unit), 6, base - tall + 25, labelWidth - 10);
      g.fillText('allocated ' + amount(most(m.allocated), m.unit), 6, base - tall + 39, labelWidth - 10);
      g.fillText('in use at most ' + amount(most(m.used), m.unit), 6, base - tall + 53, labelWidth - 10);
    });
  }
  function draw() {
    const width = canvas.clientWidth, scale = window.devicePixelRatio || 1;
    canvas.width = width * scale; canvas.height = height * scale; canvas.style.height = height + 'px';
    const g = canvas.getContext('2d');
    g.scale(scale, scale); g.clearRect(0, 0, width, height); g.font = '12px system-ui, sans-serif';
    let step = Math.pow(10, Math.floor(Math.log10((to - from) / 6)));
    while ((to - from) / step > 12) step *= (to - from) / step > 24 ? 5 : 2;
    g.strokeStyle = '#eef1f4'; g.fillStyle = '#6b7684'; g.textAlign = 'center';
    for (let c = Math.ceil(from / step) * step; c <= to; c += step) {
      const px = x(c, width);
      g.beginPath(); g.moveTo(px, axis - 4); g.lineTo(px, height); g.stroke();
      g.fillText(String(Math.round(c)), px, 14);
    }
    g.textAlign = 'left';
    rows.forEach((row, i) => {
      const top = axis + i * rowHeight;
      let edge = -1;
      for (const b of row) {
        if (b[2] < from || b[1] > to) continue;
        const left = Math.max(labelWidth, x(b[1], width)), right = Math.min(width, x(b[2], width));
        if (right - left < 0.4 && left < edge) continue;
        edge = left + 0.4;
        g.fillStyle = data.colours[b[3]];
        g.fillRect(left, top + 2, Math.max(0.6, right - left), rowHeight - 4);
      }
      g.fillStyle = '#fff'; g.fillRect(0, top, labelWidth, rowHeight);
      g.fillStyle = '#1c2430'; g.fillText(data.tracks[i], 6, top + 15, labelWidth - 10);
    });
    drawCharts(g, width);
  }
  function at(event) {
    const box = canvas.getBoundingClientRect();
    const cycle = from + (event.clientX - box.left - labelWidth) / (box.width - labelWidth) * (to - from);
    return { cycle: cycle, row: Math.floor((event.clientY - box.top - axis) / rowHeight),
      memory: data.memories[Math.floor((event.clientY - box.top - charts) / chartHeight)] };
  }
  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    const c = at(event).cycle, factor = event.deltaY > 0 ? 1.25 : 0.8;
    from = Math.max(0, c - (c - from) * factor); to = Math.min(last, c + (to - c) * factor);
    if (to - from < 20) to = from + 20;
    draw();
  }, { passive: false });
  let grip = null;
  canvas.addEventListener('mousedown', event => { grip = { x: event.clientX, from: from, to: to }; });
  window.addEventListener('mouseup', () => { grip = null; });
  window.addEventListener('mousemove', event => {
    if (!grip) return;
    const shift = (grip.x - event.clientX) / (canvas.clientWidth - labelWidth) * (grip.to - grip.from);
    const span = grip.to - grip.from;
    from = Math.min(Math.max(0, grip.from + shift), Math.max(0, last - span)); to = from + span;
    draw();
  });
  canvas.addEventListener('mousemove', event => {
    const p = at(event), m = p.memory;
    if (m) {
      tip.textContent = m.name + ' at cycle ' + Math.round(p.cycle) + ': ' + amount(value(m.used, p.cycle), m.unit) + ' in use, ' +
        amount(value(m.allocated, p.cycle), m.unit) + ' allocated';
      return;
    }
    const row = rows[p.row];
    const b = row && row.find(b => b[1] <= p.cycle && p.cycle < b[2]);
    tip.textContent = b ? data.tracks[p.row] + ': ' + data.labels[b[4]] + ', cycles ' + b[1] + ' to ' + b[2] : '';
  });
  canvas.addEventListener('dblclick', () => { from = 0; to = last; draw(); });
  window.addEventListener('resize', draw);
  draw();
})();
)PAGE";

} // namespace tlx::sim
