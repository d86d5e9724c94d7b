"""The style of every page: for screens of any width, in light and dark, and for paper."""

from __future__ import annotations

STYLE = """
:root {
  color-scheme: light dark;
  --ink: #1f2933; --quiet: #5b6673; --rule: #dfe4ea; --paper: #ffffff; --panel: #f5f7f9;
  --gain: #0072b2; --loss: #b8460b; --faint: #f0f4f8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e4e9ee; --quiet: #9aa6b2; --rule: #343d47; --paper: #14191f; --panel: #1c232b;
    --gain: #4aa8e0; --loss: #f0965a; --faint: #1a2129;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); }
body { font: 16px/1.55 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 40px 24px 56px; }
h1 { font-size: 34px; line-height: 1.2; letter-spacing: -0.01em; margin: 0 0 12px; }
h2 { font-size: 25px; margin: 52px 0 10px; padding-top: 18px; border-top: 2px solid var(--rule); }
h3 { font-size: 19px; margin: 36px 0 8px; }
h4 { font-size: 15px; margin: 14px 0 6px; }
p { margin: 0 0 12px; max-width: 78ch; }
.warning { border-left: 4px solid var(--loss); background: var(--panel); padding: 10px 14px; max-width: none; }
.warning { font-weight: 600; }
.lead { font-size: 20px; line-height: 1.45; margin-bottom: 8px; max-width: 62ch; }
.quiet { color: var(--quiet); font-size: 14px; max-width: 100ch; }
.columns { columns: 2; column-gap: 44px; }
.columns section { break-inside: avoid; margin-bottom: 16px; }
.columns p { margin-bottom: 8px; }
.columns h4 { margin-top: 0; }
@media (max-width: 760px) { .columns { columns: 1; } }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 6px 0 8px; }
table { font-size: 14.5px; font-variant-numeric: tabular-nums; }
th, td { padding: 6px 8px; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th { font-weight: 600; color: var(--quiet); vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; }
.swatch::before { content: ""; display: inline-block; width: 10px; height: 10px; margin-right: 8px; }
.swatch::before { background: var(--swatch); }
td.key { font-weight: 700; }
table.plain td { white-space: normal; text-align: left; vertical-align: top; }
table.plain td:first-child { color: var(--quiet); width: 11em; }
code { font: 0.92em ui-monospace, "DejaVu Sans Mono", monospace; }
code { background: var(--panel); padding: 1px 5px; border-radius: 4px; }
svg { display: block; width: 100%; height: auto; font-size: 14px; }
svg text { fill: var(--ink); }
svg .tick { fill: var(--quiet); font-size: 13px; }
svg .group { fill: var(--quiet); font-style: italic; }
svg .strong { font-weight: 700; }
svg .rule { stroke: var(--rule); }
svg .mark { stroke: var(--quiet); stroke-dasharray: 4 3; }
svg .base { fill: var(--rule); }
nav { margin: 18px 0 0; font-size: 15px; }
nav a { margin-right: 18px; white-space: nowrap; }
a { color: var(--gain); }
ul.quiet { margin: 6px 0 12px; padding-left: 18px; max-width: 100ch; overflow-wrap: anywhere; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 430px), 1fr)); gap: 8px 48px; }
.grid > * { min-width: 0; }
figure { margin: 8px 0 14px; break-inside: avoid; }
figure h4 { margin: 0 0 4px; }
figcaption { color: var(--quiet); font-size: 13.5px; margin-top: 2px; }
table.wrap tbody th { white-space: normal; min-width: 11em; }
th.text, td.text { text-align: left; }
tbody th { font-weight: 400; color: var(--ink); text-align: left; }
thead th { line-height: 1.3; white-space: normal; min-width: 4.2em; }
td.loss, .loss { color: var(--loss); font-weight: 700; }
td.ours, .ours { font-weight: 700; }
tbody tr:hover { background: var(--faint); }
table.dense { font-size: 13px; }
table.dense th, table.dense td { padding: 3px 7px; }
table.dense thead th { white-space: nowrap; }
dl { display: grid; grid-template-columns: 15em 1fr; gap: 0; font-size: 14.5px; margin: 6px 0 8px; }
dt, dd { margin: 0; padding: 7px 8px; border-top: 1px solid var(--rule); overflow-wrap: anywhere; }
dt small { display: block; color: var(--loss); font-weight: 700; font-size: inherit; }
details { margin: 10px 0; border: 1px solid var(--rule); border-radius: 6px; padding: 0 14px; }
summary { cursor: pointer; padding: 8px 0; font-size: 15px; font-weight: 600; }
code { overflow-wrap: anywhere; }
svg .strong.loss { fill: var(--loss); }
svg .loss { fill: var(--loss); }
svg .bar.gain { fill: var(--gain); }
svg .even { stroke: var(--quiet); stroke-width: 1.4; }
svg .whisker { stroke: var(--ink); stroke-width: 1.1; fill: none; opacity: 0.75; }
svg .group { paint-order: stroke; stroke: var(--paper); stroke-width: 6px; stroke-linejoin: round; font-size: 13px; }
svg .label { font-size: 13px; }
svg .strong { font-size: 13px; }
@media (max-width: 760px) {
  main { padding: 24px 16px 40px; }
  h1 { font-size: 27px; }
  h2 { margin-top: 44px; font-size: 22px; }
  dl { display: block; }
  dt { padding-bottom: 0; }
  dd { border: 0; padding-top: 2px; }
  dt small { display: inline; }
  table.wrap tbody th { min-width: 9.5em; }
  .wide svg { min-width: 680px; }
}
@page { size: A4; margin: 13mm 12mm; }
@media print {
  :root {
    color-scheme: light;
    --ink: #1f2933; --quiet: #5b6673; --rule: #dfe4ea; --paper: #ffffff; --panel: #f5f7f9;
    --gain: #0072b2; --loss: #b8460b;
  }
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  nav { display: none; }
  h1 { font-size: 22pt; }
  h2 { font-size: 16pt; margin-top: 26pt; }
  h2, h3, h4, summary { break-after: avoid; }
  h3 { font-size: 12.5pt; margin-top: 16pt; }
  h4, summary { font-size: 10pt; }
  .lead { font-size: 12pt; }
  .quiet, figcaption { font-size: 8pt; }
  dt { break-after: avoid; }
  .grid { grid-template-columns: 1fr 1fr; gap: 4pt 18pt; }
  .scroll { overflow: visible; }
  table, dl { font-size: 8pt; }
  table.dense { font-size: 6.6pt; }
  th, td { padding: 2.2pt 4pt; }
  table.dense th, table.dense td { padding: 1.2pt 2.6pt; }
  thead th { min-width: 0; }
  tr { break-inside: avoid; }
  details { border: 0; padding: 0; }
  details::details-content { content-visibility: visible; block-size: auto; }
  summary { list-style: none; }
}
"""
